// SPDX-License-Identifier: Apache-2.0
// Reads what a guest's agent has written to its second serial port (harness_layout.h): the output of each
// step, its exit code, the files it returned. Works on a file that still grows and on one that ends anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vg810::qemu {

/// A file that a step returned, as far as it has arrived.
struct returned_file {
    std::string path; ///< in the guest
    std::string content;
    std::optional<int> error; ///< set at the end of the file: 0, or the guest's errno
};

struct step_output {
    std::string text;                    ///< stdout and stderr, in the order written
    std::optional<std::uint32_t> result; ///< the value of RESULT, once the step is done
    std::vector<returned_file> files;
};

class agent_stream {
  public:
    explicit agent_stream(std::filesystem::path file) : file_(std::move(file)) {}

    /// Reads what has been added. A file that is not there yet is empty. Throws std::runtime_error if it
    /// cannot be read.
    void poll();
    /// Takes bytes directly.
    void feed(const char* data, std::size_t size);

    bool hello() const { return hello_; }
    /// The step's output so far; empty if nothing has come.
    const step_output& step(std::uint32_t number) const;
    /// Called with each piece of output as it is read.
    void on_output(std::function<void(std::uint32_t step, const std::string& piece)> f) {
        on_output_ = std::move(f);
    }

    /// Bytes that belonged to no intact record and were skipped.
    std::uint64_t skipped() const { return skipped_; }

  private:
    std::size_t take_record(const char* data, std::size_t size);
    void accept(std::uint32_t step, std::uint16_t kind, const std::string& payload);

    std::filesystem::path file_;
    std::uint64_t offset_ = 0;
    std::string pending_;
    std::map<std::uint32_t, step_output> steps_;
    std::function<void(std::uint32_t, const std::string&)> on_output_;
    bool hello_ = false;
    std::uint64_t skipped_ = 0;
};

} // namespace vg810::qemu
