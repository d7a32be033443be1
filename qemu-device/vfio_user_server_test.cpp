// SPDX-License-Identifier: Apache-2.0
// The server against a client of its own: valid traffic, traffic with every field bent, traffic cut short.
#include "qemu-device/unix_socket.h"
#include "qemu-device/vfio_user_server.h"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace vg810::qemu;
using namespace vg810::qemu::vfio_user;

namespace {

using bytes = std::vector<std::byte>;

// Remembers what it was asked; BAR 0 is 64 KiB of memory, BAR 2 is 4 KiB.
class test_function : public pci_function_backend {
  public:
    bytes config = bytes(4096);
    bytes bar0 = bytes(0x10000);
    std::vector<std::string> log;

    void read_config(std::uint32_t offset, std::span<std::byte> data) override {
        note("read_config", offset, data.size());
        std::memcpy(data.data(), config.data() + offset, data.size());
    }
    void write_config(std::uint32_t offset, std::span<const std::byte> data) override {
        note("write_config", offset, data.size());
        std::memcpy(config.data() + offset, data.data(), data.size());
    }
    std::uint64_t bar_size(unsigned bar) const override { return bar == 0 ? 0x10000 : bar == 2 ? 0x1000 : 0; }
    void read_bar(unsigned bar, std::uint64_t offset, std::span<std::byte> data) override {
        note("read_bar" + std::to_string(bar), offset, data.size());
        if (bar == 0)
            std::memcpy(data.data(), bar0.data() + offset, data.size());
    }
    void write_bar(unsigned bar, std::uint64_t offset, std::span<const std::byte> data) override {
        note("write_bar" + std::to_string(bar), offset, data.size());
        if (bar == 0)
            std::memcpy(bar0.data() + offset, data.data(), data.size());
    }
    unsigned msix_vectors() const override { return 32; }
    void reset() override { log.emplace_back("reset"); }

  private:
    void note(const std::string& what, std::uint64_t offset, std::size_t size) {
        log.push_back(what + " " + std::to_string(offset) + "+" + std::to_string(size));
    }
};

struct answer {
    header head{};
    bytes payload;
    bool ok() const { return (head.flags & flag_error) == 0; }
    int error() const { return ok() ? 0 : static_cast<int>(head.error); }
};

template <class T> bytes pack(const T& value, const bytes& more = {}) {
    bytes out(sizeof value);
    std::memcpy(out.data(), &value, sizeof value);
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

bytes text(const std::string& s) {
    bytes out(s.size() + 1);
    std::memcpy(out.data(), s.c_str(), out.size());
    return out;
}

class rig {
  public:
    test_function function;
    file_descriptor client;
    std::optional<vfio_user_server> server;

    rig() {
        int pair[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
        client = file_descriptor(pair[0]);
        server.emplace(function, file_descriptor(pair[1]));
    }

    void send(const header& h, const bytes& payload, const std::vector<int>& fds = {}) {
        bytes all = pack(h, payload);
        send_raw(all, fds);
    }
    void send_raw(bytes all, const std::vector<int>& fds = {}) {
        iovec piece{all.data(), all.size()};
        std::vector<char> control(CMSG_SPACE(sizeof(int) * fds.size()));
        msghdr m{};
        m.msg_iov = &piece;
        m.msg_iovlen = 1;
        if (!fds.empty()) {
            m.msg_control = control.data();
            m.msg_controllen = control.size();
            cmsghdr* c = CMSG_FIRSTHDR(&m);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
            std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
        }
        REQUIRE(sendmsg(client.get(), &m, MSG_NOSIGNAL) == static_cast<ssize_t>(all.size()));
    }
    static header head(command c, std::size_t payload, std::uint32_t flags = 0) {
        return {next_id++, static_cast<std::uint16_t>(c),
                static_cast<std::uint32_t>(sizeof(header) + payload), flags, 0};
    }
    void pump() {
        server->on_readable();
        while (server->access()) {
            server->perform_access();
            server->send_reply();
        }
    }
    std::optional<answer> receive() {
        answer a;
        if (recv(client.get(), &a.head, sizeof a.head, MSG_DONTWAIT) != sizeof a.head)
            return std::nullopt;
        a.payload.resize(a.head.size - sizeof a.head);
        if (!a.payload.empty())
            REQUIRE(recv(client.get(), a.payload.data(), a.payload.size(), MSG_WAITALL) ==
                    static_cast<ssize_t>(a.payload.size()));
        return a;
    }
    answer call(command c, const bytes& payload, const std::vector<int>& fds = {}) {
        const header h = head(c, payload.size());
        send(h, payload, fds);
        pump();
        const std::optional<answer> a = receive();
        REQUIRE(a);
        CHECK(a->head.id == h.id);
        CHECK(a->head.command == h.command);
        CHECK((a->head.flags & type_mask) == type_reply);
        if (!a->ok())
            CHECK(a->payload.empty());
        return *a;
    }
    answer negotiate(const std::string& capabilities =
                         R"({"capabilities":{"max_msg_fds":8,"max_data_xfer_size":1048576}})") {
        return call(command::version, pack(version_payload{0, 1}, text(capabilities)));
    }
    answer access(bool write, std::uint32_t region, std::uint64_t offset, std::uint32_t count,
                  const bytes& data = {}) {
        return call(write ? command::region_write : command::region_read,
                    pack(region_access_payload{offset, region, count}, data));
    }

  private:
    static inline std::uint16_t next_id = 100;
};

bytes set_irqs(std::uint32_t flags, std::uint32_t index, std::uint32_t start, std::uint32_t count,
               const bytes& data = {}) {
    return pack(set_irqs_payload{static_cast<std::uint32_t>(sizeof(set_irqs_payload) + data.size()), flags,
                                 index, start, count},
                data);
}

} // namespace

TEST_CASE("the version is agreed, with the limits the client named and no others") {
    rig r;
    answer a = r.negotiate();
    REQUIRE(a.ok());
    std::string json(reinterpret_cast<const char*>(a.payload.data()) + 4);
    CHECK(json == R"({"capabilities":{"max_data_xfer_size":65536,"max_msg_fds":16}})");
    CHECK(json.find("write_multiple") == std::string::npos);
    CHECK(r.call(command::version, pack(version_payload{0, 1})).error() == EINVAL); // once only

    rig plain;
    a = plain.call(command::version, pack(version_payload{0, 0}));
    REQUIRE(a.ok());
    CHECK(a.payload[2] == std::byte{0});
    CHECK(std::string(reinterpret_cast<const char*>(a.payload.data()) + 4) == R"({"capabilities":{}})");
}

TEST_CASE("a client that does not speak the protocol is disconnected, and the error says why") {
    rig r;
    std::string expected;
    SECTION("another major version") {
        r.send(rig::head(command::version, 4), pack(version_payload{1, 0}));
        expected = "speaks vfio-user 1.x";
    }
    SECTION("no version first") {
        r.send(rig::head(command::device_reset, 0), {});
        expected = "first message is command 13";
    }
    SECTION("version too short") {
        r.send(rig::head(command::version, 2), bytes(2));
        expected = "too short";
    }
    SECTION("capabilities without NUL") {
        r.send(rig::head(command::version, 6), pack(version_payload{0, 1}, bytes(2, std::byte{'{'})));
        expected = "do not end in NUL";
    }
    SECTION("capabilities that are no JSON") {
        const bytes p = pack(version_payload{0, 1}, text("{nonsense"));
        r.send(rig::head(command::version, p.size()), p);
        expected = "not a JSON object";
    }
    SECTION("a message smaller than its header") {
        header h = rig::head(command::version, 0);
        h.size = 15;
        r.send(h, {});
        expected = "message size 15";
    }
    SECTION("a message that claims gigabytes") {
        header h = rig::head(command::version, 0);
        h.size = 0xffffffff;
        r.send(h, {});
        expected = "message size 4294967295";
    }
    SECTION("a reply to nothing") {
        r.send(rig::head(command::version, 0, type_reply), {});
        expected = "reply to nothing";
    }
    SECTION("an end in the middle of the header") {
        r.send_raw(bytes(7));
        r.client.close();
        expected = "middle of a message";
    }
    SECTION("an end in the middle of the payload") {
        r.send(rig::head(command::version, 100), bytes(50));
        r.client.close();
        expected = "middle of a message";
    }
    r.pump();
    CHECK(r.server->status() == vfio_user_server::state::failed);
    INFO(r.server->error());
    CHECK(r.server->error().find(expected) != std::string::npos);
    CHECK(r.server->poll_fd() == -1);
}

TEST_CASE("a client that leaves between messages has simply left") {
    rig r;
    r.negotiate();
    const file_descriptor memory(memfd_create("ram", MFD_CLOEXEC));
    REQUIRE(ftruncate(memory.get(), 4096) == 0);
    REQUIRE(r.call(command::dma_map, pack(dma_map_payload{32, 3, 0, 0, 4096}), {memory.get()}).ok());
    r.client.close();
    r.pump();
    CHECK(r.server->status() == vfio_user_server::state::disconnected);
    CHECK(r.server->error().empty());
    CHECK(r.server->memory().ranges() == 0);
}

TEST_CASE("a message arrives in any pieces") {
    rig r;
    const bytes payload = pack(version_payload{0, 1}, text(R"({"capabilities":{}})"));
    for (const std::byte b : pack(rig::head(command::version, payload.size()), payload)) {
        CHECK_FALSE(r.receive());
        r.send_raw({b});
        r.pump();
    }
    CHECK(r.receive());
}

TEST_CASE("the device describes itself") {
    rig r;
    r.negotiate();
    answer a = r.call(command::device_get_info, pack(device_info_payload{16, 0, 0, 0}));
    device_info_payload info{};
    REQUIRE(a.payload.size() == sizeof info);
    std::memcpy(&info, a.payload.data(), sizeof info);
    CHECK(info.flags == (device_is_pci | device_resettable));
    CHECK(info.regions == 9);
    CHECK(info.irqs == 5);

    const std::uint64_t sizes[] = {0x10000, 0, 0x1000, 0, 0, 0, 0, 4096, 0};
    for (std::uint32_t i = 0; i < 9; ++i) {
        a = r.call(command::device_get_region_info, pack(region_info_payload{32, 0, i, 0, 0, 0}));
        region_info_payload region{};
        REQUIRE(a.payload.size() == sizeof region);
        std::memcpy(&region, a.payload.data(), sizeof region);
        CHECK(region.size == sizes[i]);
        CHECK(region.flags == (sizes[i] == 0 ? 0u : 3u)); // never mmap-able
    }
    for (std::uint32_t i = 0; i < 5; ++i) {
        a = r.call(command::device_get_irq_info, pack(irq_info_payload{16, 0, i, 0}));
        irq_info_payload irq{};
        REQUIRE(a.payload.size() == sizeof irq);
        std::memcpy(&irq, a.payload.data(), sizeof irq);
        CHECK(irq.count == (i == msix_irq ? 32u : 0u));
    }
    CHECK(r.call(command::device_get_info, pack(device_info_payload{15, 0, 0, 0})).error() == EINVAL);
    CHECK(r.call(command::device_get_info, bytes(12)).error() == EINVAL);
    CHECK(r.call(command::device_get_region_info, pack(region_info_payload{32, 0, 9, 0, 0, 0})).error() ==
          EINVAL);
    CHECK(r.call(command::device_get_irq_info, pack(irq_info_payload{16, 0, 5, 0})).error() == EINVAL);
}

TEST_CASE("region accesses of any size and alignment reach the function, and wait for the owner") {
    rig r;
    r.negotiate();
    const bytes data{std::byte{0x11}, std::byte{0x22}};
    REQUIRE(r.access(true, config_region, 0x43, 2, data).ok());
    answer a = r.access(false, config_region, 0x41, 8);
    CHECK(a.payload[16 + 2] == std::byte{0x11});
    REQUIRE(r.access(false, config_region, 0, 4096).payload.size() == 16 + 4096);
    REQUIRE(r.access(true, 0, 0xfff1, 4, bytes(4, std::byte{7})).ok());
    CHECK(r.access(false, 0, 0xfff0, 8).payload[17] == std::byte{7});
    CHECK(r.function.log == std::vector<std::string>{"write_config 67+2", "read_config 65+8",
                                                     "read_config 0+4096", "write_bar0 65521+4",
                                                     "read_bar0 65520+8"});
    r.function.log.clear();
    REQUIRE(r.access(false, 0, 3, 14).ok()); // cut as a bus would
    CHECK(r.function.log ==
          std::vector<std::string>{"read_bar0 3+1", "read_bar0 4+4", "read_bar0 8+8", "read_bar0 16+1"});

    r.function.log.clear();
    r.send(rig::head(command::region_read, 16), pack(region_access_payload{0, 0, 4}));
    r.send(rig::head(command::device_reset, 0), {});
    r.server->on_readable();
    REQUIRE(r.server->access());
    CHECK(r.server->access()->what == access_request::kind::read_bar);
    CHECK(r.server->poll_fd() == -1);
    CHECK_FALSE(r.receive());
    CHECK(r.function.log.empty());
    r.server->perform_access();
    CHECK_FALSE(r.receive());
    r.server->send_reply();
    CHECK(r.receive());
    REQUIRE(r.server->access());
    CHECK(r.server->access()->what == access_request::kind::reset);
    r.pump();
    CHECK(r.function.log.back() == "reset");
}

TEST_CASE("accesses outside a region are refused") {
    rig r;
    r.negotiate();
    CHECK(r.access(false, config_region, 4096, 1).error() == EINVAL);
    CHECK(r.access(false, config_region, 4095, 2).error() == EINVAL);
    CHECK(r.access(false, 0, ~0ull, 4).error() == EINVAL);
    CHECK(r.access(false, 0, 0xfffe, 4).error() == EINVAL);
    CHECK(r.access(false, 1, 0, 4).error() == EINVAL);
    CHECK(r.access(false, rom_region, 0, 4).error() == EINVAL);
    CHECK(r.access(false, 77, 0, 4).error() == EINVAL);
    CHECK(r.access(false, 0, 0, 0).error() == EINVAL);
    CHECK(r.access(false, 0, 0, 0xffffffff).error() == EINVAL);
    CHECK(r.access(true, 0, 0, 8, bytes(4)).error() == EINVAL);
    CHECK(r.access(true, 0, 0, 4, bytes(8)).error() == EINVAL);
    CHECK(r.access(false, 0, 0, 4, bytes(4)).error() == EINVAL);
    CHECK(r.call(command::region_read, bytes(15)).error() == EINVAL);
    CHECK(r.function.log.empty());
    CHECK(r.server->status() == vfio_user_server::state::connected);
    CHECK(r.server->refused() == 13);
}

TEST_CASE("commands that are not offered are refused, not dropped") {
    rig r;
    r.negotiate();
    for (const command c : {command::device_get_region_io_fds, command::region_write_multi,
                            command::device_feature, command::mig_data_read, command::mig_data_write})
        CHECK(r.call(c, bytes(16)).error() == ENOTSUP);
    for (const int c : {0, 11, 12, 14, 19, 1000, 65535})
        CHECK(r.call(static_cast<command>(c), bytes(16)).error() == EINVAL);
    CHECK(r.call(command::device_reset, bytes(4)).error() == EINVAL);
}

TEST_CASE("a command that wants no reply gets none") {
    rig r;
    r.negotiate();
    const bytes p = pack(region_access_payload{8, 0, 4}, bytes(4, std::byte{9}));
    r.send(rig::head(command::region_write, p.size(), flag_no_reply), p);
    r.send(rig::head(command::region_read, 3, flag_no_reply), bytes(3));
    r.pump();
    CHECK_FALSE(r.receive());
    CHECK(r.function.bar0[8] == std::byte{9});
}

TEST_CASE("DMA mappings come with at most one descriptor and are checked") {
    rig r;
    r.negotiate();
    const file_descriptor memory(memfd_create("ram", MFD_CLOEXEC));
    REQUIRE(ftruncate(memory.get(), 0x10000) == 0);
    const auto map = [&](dma_map_payload p, const std::vector<int>& fds) {
        return r.call(command::dma_map, pack(p), fds).error();
    };
    CHECK(map({32, 3, 0, 0x1000, 0x1000}, {memory.get()}) == 0);
    CHECK(map({32, 3, 0, 0x1000, 0x1000}, {memory.get()}) == EEXIST);
    CHECK(map({32, 3, 0, 0x8000, 0x1000}, {memory.get(), memory.get()}) == EINVAL);
    CHECK(map({32, 0, 0, 0x8000, 0x1000}, {memory.get()}) == EINVAL);
    CHECK(map({32, 7, 0, 0x8000, 0x1000}, {memory.get()}) == EINVAL);
    CHECK(map({8, 3, 0, 0x8000, 0x1000}, {memory.get()}) == EINVAL);
    CHECK(map({32, 3, 0, 0x8000, 0x20000}, {memory.get()}) == EINVAL);
    CHECK(map({32, 1, 0, 0x8000, 0x1000}, {}) == 0);
    CHECK(r.call(command::dma_unmap, pack(dma_unmap_payload{24, 0, 0x1000, 0x2000})).error() == EINVAL);
    CHECK(r.call(command::dma_unmap, pack(dma_unmap_payload{24, 1, 0x1000, 0x1000})).error() == EINVAL);
    const bytes unmap = pack(dma_unmap_payload{24, 0, 0x1000, 0x1000});
    CHECK(r.call(command::dma_unmap, unmap).payload == unmap);
    CHECK(r.call(command::dma_unmap, pack(dma_unmap_payload{24, dma_unmap_all, 0, 0})).ok());
    CHECK(r.server->memory().ranges() == 0);
    CHECK(r.call(command::device_reset, {}, {memory.get()}).error() == EINVAL); // stray descriptors
}

TEST_CASE("vectors are set up in pieces, raised, lost and remembered") {
    rig r;
    r.negotiate();
    const file_descriptor a(eventfd(0, EFD_NONBLOCK));
    const file_descriptor b(eventfd(0, EFD_NONBLOCK));
    const std::uint32_t assign = irq_data_eventfd | irq_action_trigger;
    CHECK_FALSE(r.server->raise(0));
    REQUIRE(r.call(command::device_set_irqs, set_irqs(assign, msix_irq, 0, 1), {a.get()}).ok());
    REQUIRE(r.call(command::device_set_irqs, set_irqs(assign, msix_irq, 1, 2), {b.get(), b.get()}).ok());
    CHECK(r.server->has_remembered());
    CHECK(r.server->raise_remembered() == 1);
    CHECK_FALSE(r.server->has_remembered());

    std::uint64_t count = 0;
    CHECK(r.server->interrupts_in_flight());
    REQUIRE(read(a.get(), &count, 8) == 8);
    CHECK(count == 1);
    CHECK_FALSE(r.server->interrupts_in_flight());
    CHECK(r.server->raise(2));
    CHECK(r.server->interrupts_in_flight());

    REQUIRE(
        r.call(command::device_set_irqs, set_irqs(assign, msix_irq, 2, 1)).ok()); // no descriptor: taken away
    CHECK_FALSE(r.server->raise(2));
    REQUIRE(r.call(command::device_set_irqs,
                   set_irqs(irq_data_bool | irq_action_trigger, msix_irq, 0, 2, {std::byte{0}, std::byte{1}}))
                .ok());
    REQUIRE(read(b.get(), &count, 8) == 8);
    CHECK(read(a.get(), &count, 8) < 0);
    REQUIRE(
        r.call(command::device_set_irqs, set_irqs(irq_data_none | irq_action_trigger, msix_irq, 0, 0)).ok());
    CHECK_FALSE(r.server->raise(0));
    CHECK_THROWS_AS(r.server->raise(32), std::out_of_range);
}

TEST_CASE("bad interrupt set-ups are refused") {
    rig r;
    r.negotiate();
    const file_descriptor event(eventfd(0, EFD_NONBLOCK));
    const file_descriptor other(memfd_create("not an eventfd", MFD_CLOEXEC));
    const std::uint32_t assign = irq_data_eventfd | irq_action_trigger;
    const auto call = [&](const bytes& p, const std::vector<int>& fds = {}) {
        return r.call(command::device_set_irqs, p, fds).error();
    };
    CHECK(call(set_irqs(assign, 5, 0, 1), {event.get()}) == EINVAL);
    CHECK(call(set_irqs(assign, 0, 0, 1), {event.get()}) == EINVAL);
    CHECK(call(set_irqs(assign, msix_irq, 32, 1), {event.get()}) == EINVAL);
    CHECK(call(set_irqs(assign, msix_irq, 31, 2), {event.get(), event.get()}) == EINVAL);
    CHECK(call(set_irqs(assign, msix_irq, 0xffffffff, 2), {event.get(), event.get()}) == EINVAL);
    CHECK(call(set_irqs(assign, msix_irq, 0, 0xffffffff)) == EINVAL);
    CHECK(call(set_irqs(assign, msix_irq, 0, 2), {event.get()}) == EINVAL);
    CHECK(call(set_irqs(assign, msix_irq, 0, 1), {other.get()}) == EINVAL);
    CHECK(call(set_irqs(assign | irq_action_mask, msix_irq, 0, 1), {event.get()}) == EINVAL);
    CHECK(call(set_irqs(irq_data_none | irq_data_bool | irq_action_trigger, msix_irq, 0, 0)) == EINVAL);
    CHECK(call(set_irqs(irq_data_none | irq_action_trigger | 0x100, msix_irq, 0, 0)) == EINVAL);
    CHECK(call(set_irqs(irq_data_none | irq_action_mask, msix_irq, 0, 1)) == ENOTSUP);
    CHECK(call(set_irqs(irq_data_bool | irq_action_trigger, msix_irq, 0, 2, bytes(1))) == EINVAL);
    CHECK(call(bytes(19)) == EINVAL);
    CHECK(call(set_irqs(irq_data_none | irq_action_trigger, 0, 0, 0)) == 0);
    CHECK_FALSE(r.server->raise(0));
}

TEST_CASE("a client that never reads is disconnected, not waited for") {
    rig r;
    r.negotiate();
    const int flags = fcntl(r.client.get(), F_GETFL);
    fcntl(r.client.get(), F_SETFL, flags | O_NONBLOCK);
    const bytes request =
        pack(rig::head(command::region_read, 16), pack(region_access_payload{0, 0, 0x10000}));
    for (int i = 0; i < 200 && r.server->status() == vfio_user_server::state::connected; ++i) {
        REQUIRE(::send(r.client.get(), request.data(), request.size(), MSG_NOSIGNAL) > 0);
        r.pump();
    }
    CHECK(r.server->status() == vfio_user_server::state::failed);
    CHECK(r.server->error().find("does not read") != std::string::npos);
}

TEST_CASE("bent traffic never stops the server from answering valid traffic") {
    std::mt19937_64 random(1);
    const file_descriptor memory(memfd_create("ram", MFD_CLOEXEC));
    REQUIRE(ftruncate(memory.get(), 0x10000) == 0);
    const file_descriptor event(eventfd(0, EFD_NONBLOCK));
    const std::pair<command, bytes> valid[] = {
        {command::dma_map, pack(dma_map_payload{32, 3, 0, 0x4000, 0x1000})},
        {command::dma_unmap, pack(dma_unmap_payload{24, 0, 0x4000, 0x1000})},
        {command::device_get_info, pack(device_info_payload{16, 0, 0, 0})},
        {command::device_get_region_info, pack(region_info_payload{32, 0, 7, 0, 0, 0})},
        {command::device_get_irq_info, pack(irq_info_payload{16, 0, 2, 0})},
        {command::device_set_irqs, set_irqs(irq_data_eventfd | irq_action_trigger, msix_irq, 0, 1)},
        {command::region_read, pack(region_access_payload{0x40, 7, 4})},
        {command::region_write, pack(region_access_payload{0x40, 0, 4}, bytes(4))},
        {command::device_reset, {}},
    };
    rig r;
    r.negotiate();
    std::uint64_t refused = 0;
    for (int i = 0; i < 20000; ++i) {
        auto [c, payload] = valid[random() % std::size(valid)];
        for (std::size_t n = random() % 3; n > 0 && !payload.empty(); --n)
            payload[random() % payload.size()] =
                static_cast<std::byte>(random() % 4 ? random() % 8 : random());
        if (random() % 8 == 0)
            payload.resize(payload.size() + random() % 5);
        if (random() % 8 == 0)
            payload.resize(payload.size() - std::min<std::size_t>(payload.size(), random() % 5));
        std::vector<int> fds;
        if (random() % 2 == 0)
            fds = {random() % 2 ? memory.get() : event.get()};
        refused += !r.call(c, payload, fds).ok();
    }
    CHECK(refused > 1000);
    CHECK(refused < 19000);
    CHECK(r.access(false, config_region, 0, 4).ok());
}

TEST_CASE("a socket by path: one client, the file removed at the end, a long path refused with the cure") {
    char directory[] = "/tmp/vg810-test-XXXXXX";
    REQUIRE(mkdtemp(directory) != nullptr);
    const std::string path = std::string(directory) + "/f.sock";
    test_function function;
    {
        vfio_user_server server(function, path);
        CHECK(server.status() == vfio_user_server::state::listening);
        const file_descriptor client(socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        pollfd p{server.poll_fd(), POLLIN, 0};
        REQUIRE(poll(&p, 1, 1000) == 1);
        server.on_readable();
        CHECK(server.status() == vfio_user_server::state::connected);
    }
    CHECK(access(path.c_str(), F_OK) != 0);
    CHECK_THROWS_AS(vfio_user_server(function, std::string(108, 'x')), std::invalid_argument);
    CHECK_THROWS_AS(vfio_user_server(function, "/nonexistent/f.sock"), std::system_error);
    rmdir(directory);
}
