// SPDX-License-Identifier: Apache-2.0
// A network namespace of this machine's kernel with TAP interfaces whose other ends are ours, and commands
// that run in it. Everything goes away with the object, and with the simulator's process however it ends:
// interfaces, namespace and all processes started in it. Needs root, or user namespaces and an accessible
// /dev/net/tun.
#pragma once

#include "core/address.h"
#include "core/file_descriptor.h"
#include "core/units.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace vg810::fabric {

/// The namespace could not be made, or its holder is gone; what() names the step, the reason and a way out.
class namespace_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct tap_parameters {
    std::string name; ///< of the interface, 1 .. 15 octets
    mac_address mac;
    ipv4_address ip;             ///< 0.0.0.0 for none
    unsigned prefix_length = 24; ///< 0 .. 32
    unsigned mtu = 1500;         ///< 68 .. 9600
};

/// A shell command in a namespace: running, or ended with its output.
class namespace_command {
  public:
    bool running() const { return running_; }
    /// The shell's exit code; 128 + n after signal n. Precondition: not running.
    int exit_code() const { return exit_code_; }
    bool timed_out() const { return timed_out_; }
    const std::string& output() const { return streams_[0].text; } ///< standard output so far
    const std::string& errors() const { return streams_[1].text; } ///< standard error so far
    /// More than 16 MiB came; the rest was dropped.
    bool output_cut() const { return streams_[0].cut || streams_[1].cut; }

  private:
    friend class net_namespace;
    struct stream {
        file_descriptor fd;
        std::string text;
        bool cut = false;
        void drain();
    };
    std::int32_t id_ = 0;
    bool running_ = true;
    bool timed_out_ = false;
    int exit_code_ = 0;
    std::chrono::steady_clock::time_point deadline_;
    stream streams_[2];
};

class net_namespace {
  public:
    /// Throws namespace_error, or std::invalid_argument for parameters out of range.
    explicit net_namespace(const std::vector<tap_parameters>& taps);
    net_namespace(const net_namespace&) = delete;
    net_namespace& operator=(const net_namespace&) = delete;

    /// Our end of TAP `i`, not blocking; a read gives one frame, a write sends one.
    int tap(std::size_t i) const { return taps_.at(i).get(); }

    /// Starts `sh -c text`; standard input is empty. It is killed with its process group when `limit` is
    /// over. Throws namespace_error when the holder is gone, std::length_error for more than 32 KiB of text.
    std::shared_ptr<namespace_command> start(const std::string& text, std::chrono::milliseconds limit);

    /// Collects output and exit codes, enforces limits. Does not block. Throws namespace_error when the
    /// holder is gone.
    void poll();
    /// Becomes readable when poll() may have something to do (output apart).
    int descriptor() const { return socket_.get(); }

    /// Runs a command to its end, blocking, polling every millisecond.
    std::shared_ptr<namespace_command> run(const std::string& text, std::chrono::milliseconds limit);

  private:
    void receive_setup();
    void request(std::int32_t kind, std::int32_t id, const std::string& text, const int* fds);

    /// The anchor, as a pidfd; kills it and waits for its end.
    struct holder {
        file_descriptor pidfd;
        ~holder();
    };

    file_descriptor socket_;
    holder holder_;
    std::vector<file_descriptor> taps_;
    std::map<std::int32_t, std::shared_ptr<namespace_command>> running_;
    std::int32_t next_id_ = 1;
};

} // namespace vg810::fabric
