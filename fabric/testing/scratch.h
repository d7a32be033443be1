// SPDX-License-Identifier: Apache-2.0
// A directory that goes away with its test, and whole files as octets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace vg810::fabric::testing {

class scratch_directory {
  public:
    scratch_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "vg810-test-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw std::runtime_error("cannot make " + name);
        root_ = name;
    }
    ~scratch_directory() { std::filesystem::remove_all(root_); }
    scratch_directory(const scratch_directory&) = delete;
    scratch_directory& operator=(const scratch_directory&) = delete;
    std::string path(const std::string& name) const { return (root_ / name).string(); }

  private:
    std::filesystem::path root_;
};

inline std::vector<std::byte> read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + path);
    const std::string s{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::byte> out(s.size());
    std::ranges::transform(s, out.begin(), [](char c) { return static_cast<std::byte>(c); });
    return out;
}

} // namespace vg810::fabric::testing
