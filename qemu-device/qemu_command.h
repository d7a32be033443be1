// SPDX-License-Identifier: Apache-2.0
// The QEMU command line of one guest.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace vg810::qemu {

/// What a guest is made of: where the launcher put (or found) QEMU, kernel, initramfs and the time-sync
/// plugin.
struct guest_root {
    std::vector<std::string> qemu; ///< command and leading arguments, ready for execv
    std::string kernel;
    std::string initramfs;
    std::string plugin; ///< vg810-sync.so

    /// Reads the launcher's JSON file: {"qemu": [...], "kernel": "...", "initramfs": "...", "plugin": "..."};
    /// further keys are ignored. Throws std::runtime_error naming the file, and the key that is missing or of
    /// a wrong type.
    static guest_root load(const std::filesystem::path& file);
};

/// How a guest's time relates to the model's.
enum class time_mode : std::uint8_t {
    lockstep, ///< -icount under the plugin: exact, one vCPU
    paced,    ///< free-running
};

/// One PCIe slot: a root port of 16 GT/s x8 and the sockets of its functions 0, 1, ...
struct pcie_slot {
    std::vector<std::string> functions;
};

struct guest_spec {
    std::string name;
    time_mode mode = time_mode::lockstep;
    unsigned memory_mib = 512;
    std::string accelerator = "tcg"; ///< paced only: tcg or kvm
    std::uint64_t seed = 1;          ///< of everything random in the guest
    std::string kernel_arguments;    ///< appended to the built-in ones
    std::vector<pcie_slot> slots;
    std::string console_file;              ///< serial port 0; empty: a socket, or QEMU's own stdin and stdout
    std::string console_socket;            ///< serial port 0 on a Unix socket of QEMU's, when there is no file
    std::string agent_file;                ///< serial port 1; empty: none
    std::string log_file;                  ///< QEMU's stderr (and stdout, unless it is the console)
    std::chrono::seconds reply_limit{600}; ///< after which QEMU gives up on the card
};

/// The whole argument vector. `plugin_arguments` as guest_clock gives them (lockstep only).
/// Throws std::invalid_argument for a spec that cannot work.
std::vector<std::string> qemu_arguments(const guest_root& root, const guest_spec& spec,
                                        const std::string& plugin_arguments);

/// Whether this machine's KVM does start a virtual machine; /dev/kvm alone proves nothing.
bool kvm_usable();

} // namespace vg810::qemu
