// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/qemu_command.h"
#include "qemu-device/file_descriptor.h"
#include "qemu-device/unix_socket.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>

#include <fstream>
#include <stdexcept>

namespace vg810::qemu {

namespace {

// In QEMU's key=value options a comma in a value is doubled.
std::string escaped(const std::string& value) {
    std::string out;
    for (const char c : value)
        out += c == ',' ? std::string(",,") : std::string(1, c);
    return out;
}

template <class T> T take(const nlohmann::json& object, const char* key, const std::filesystem::path& file) {
    try {
        return object.at(key).get<T>();
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(file.string() + ": '" + key + "' is missing or of the wrong type");
    }
}

void check(const guest_spec& spec) {
    if (spec.mode == time_mode::lockstep && spec.accelerator != "tcg")
        throw std::invalid_argument("guest '" + spec.name + "': lockstep needs accelerator tcg, not " +
                                    spec.accelerator);
    for (const pcie_slot& slot : spec.slots)
        if (slot.functions.empty() || slot.functions.size() > 8)
            throw std::invalid_argument("guest '" + spec.name + "': a PCIe slot has 1 to 8 functions");
    for (const pcie_slot& slot : spec.slots)
        for (const std::string& path : slot.functions)
            if (path.size() > max_socket_path)
                throw std::invalid_argument("guest '" + spec.name + "': socket path too long: " + path);
}

class argument_list {
  public:
    explicit argument_list(std::vector<std::string> start) : arguments_(std::move(start)) {}
    void add(std::initializer_list<std::string> more) { arguments_.insert(arguments_.end(), more); }
    std::vector<std::string> take() { return std::move(arguments_); }

  private:
    std::vector<std::string> arguments_;
};

void add_machine(argument_list& out, const guest_spec& spec) {
    const std::string memory = std::to_string(spec.memory_mib) + "M";
    out.add({"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"});
    out.add({"-machine", "q35,memory-backend=ram,vmport=off,hpet=off"});
    out.add({"-object", "memory-backend-memfd,id=ram,share=on,size=" + memory, "-m", memory});
    // Under TCG a small CPU boots in half the time of `max`: there is less to patch into the kernel and no
    // `rep movsb`, which counts as an instruction a byte.
    const std::string cpu = spec.accelerator == "kvm" ? "host" : "Nehalem,+rdrand,+x2apic";
    out.add({"-accel", spec.accelerator, "-cpu", cpu, "-smp", "1"});
    out.add({"-seed", std::to_string(spec.seed)});
    if (spec.mode == time_mode::lockstep)
        out.add({"-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01T00:00:00,clock=vm"});
}

void add_console(argument_list& out, const guest_spec& spec) {
    if (spec.console_file.empty() && !spec.console_socket.empty()) {
        out.add({"-chardev", "socket,id=console,server=on,wait=off,path=" + escaped(spec.console_socket),
                 "-serial", "chardev:console"});
    } else if (spec.console_file.empty()) {
        // mux: Ctrl-A X ends QEMU, whatever the guest does.
        out.add({"-chardev", "stdio,id=console,signal=off,mux=on", "-serial", "chardev:console"});
    } else {
        out.add(
            {"-chardev", "file,id=console,path=" + escaped(spec.console_file), "-serial", "chardev:console"});
    }
    if (!spec.agent_file.empty())
        out.add({"-chardev", "file,id=agent,path=" + escaped(spec.agent_file), "-serial", "chardev:agent"});
    out.add({"-monitor", "none"});
}

void add_slot(argument_list& out, const guest_spec& spec, std::size_t index) {
    const std::string port = "slot" + std::to_string(index);
    const std::string number = std::to_string(index + 1);
    out.add({"-device", "pcie-root-port,id=" + port + ",bus=pcie.0,chassis=" + number + ",slot=" + number +
                            ",addr=" + std::to_string(index + 2) + ".0,x-speed=16,x-width=8"});
    const std::vector<std::string>& functions = spec.slots[index].functions;
    for (std::size_t f = 0; f < functions.size(); ++f) {
        nlohmann::json device = {{"driver", "vfio-user-pci"},
                                 {"id", port + "f" + std::to_string(f)},
                                 {"bus", port},
                                 {"addr", "0." + std::to_string(f)},
                                 {"socket", {{"type", "unix"}, {"path", functions[f]}}},
                                 {"x-no-posted-writes", true},
                                 {"x-msg-timeout", std::chrono::milliseconds(spec.reply_limit).count()}};
        if (f == 0 && functions.size() > 1)
            device["multifunction"] = true;
        out.add({"-device", device.dump()});
    }
}

// nokaslr: addresses must not depend on a seed of the firmware's. In lockstep an instruction takes a
// nanosecond, so the TSC counts exactly 1 GHz: the kernel is told (tsc_early_khz) and kept from measuring it
// a little wrong against another timer (pmtmr=0; QEMU's hpet is off).
std::string kernel_command_line(const guest_spec& spec) {
    std::string line = "console=ttyS0 panic=-1 nokaslr no_timer_check nowatchdog "
                       "quiet mitigations=off cryptomgr.notests";
    if (spec.mode == time_mode::lockstep)
        line += " tsc=reliable tsc_early_khz=1000000 pmtmr=0";
    if (!spec.kernel_arguments.empty())
        line += " " + spec.kernel_arguments;
    return line;
}

} // namespace

guest_root guest_root::load(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in)
        throw std::runtime_error(file.string() + ": cannot read it; ./vg810 makes it with the guest root");
    const nlohmann::json object = nlohmann::json::parse(in, nullptr, false);
    if (!object.is_object())
        throw std::runtime_error(file.string() + ": not a JSON object");
    guest_root root;
    root.qemu = take<std::vector<std::string>>(object, "qemu", file);
    root.kernel = take<std::string>(object, "kernel", file);
    root.initramfs = take<std::string>(object, "initramfs", file);
    root.plugin = take<std::string>(object, "plugin", file);
    if (root.qemu.empty())
        throw std::runtime_error(file.string() + ": 'qemu' is empty");
    return root;
}

std::vector<std::string> qemu_arguments(const guest_root& root, const guest_spec& spec,
                                        const std::string& plugin_arguments) {
    check(spec);
    argument_list out(root.qemu);
    out.add({"-name", escaped(spec.name)});
    add_machine(out, spec);
    add_console(out, spec);
    for (std::size_t i = 0; i < spec.slots.size(); ++i)
        add_slot(out, spec, i);
    if (spec.mode == time_mode::lockstep)
        out.add({"-plugin", escaped(root.plugin) + "," + plugin_arguments});
    out.add({"-kernel", root.kernel, "-initrd", root.initramfs, "-append", kernel_command_line(spec)});
    return out.take();
}

bool kvm_usable() {
    const file_descriptor kvm(open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (!kvm || ioctl(kvm.get(), KVM_GET_API_VERSION, 0) != KVM_API_VERSION)
        return false;
    const file_descriptor machine(ioctl(kvm.get(), KVM_CREATE_VM, 0));
    if (!machine)
        return false;
    const file_descriptor vcpu(ioctl(machine.get(), KVM_CREATE_VCPU, 0));
    return static_cast<bool>(vcpu);
}

} // namespace vg810::qemu
