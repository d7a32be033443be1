// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/cc/plugin.h"

#include "model/rdma/cc/built_in.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace vg810::cc {

namespace {

constexpr const char* build_line = "build it with: cc -shared -fPIC -I model/rdma/cc my_cc.c -o my_cc.so";

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw std::runtime_error(fmt::format("congestion control {}: {}", file.string(), why));
}

std::string last_loader_error() {
    const char* text = dlerror();
    return text != nullptr ? text : "the loader gives no reason";
}

std::shared_ptr<const vg810_cc_algorithm> load(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        refuse(file, "no such file");
    if (!std::filesystem::is_regular_file(file, ignored))
        refuse(file, "not a file");
    const std::shared_ptr<void> object(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
        if (handle != nullptr)
            dlclose(handle);
    });
    if (!object)
        refuse(file, fmt::format("cannot be loaded ({}); {}", last_loader_error(), build_line));
    void* symbol = dlsym(object.get(), "vg810_cc_entry");
    if (symbol == nullptr)
        refuse(file,
               "lacks the function vg810_cc_entry(); include vg810_cc.h and define it (not static; in C++ "
               "extern \"C\")");
    const auto* table = reinterpret_cast<decltype(&vg810_cc_entry)>(symbol)();
    if (table == nullptr)
        refuse(file, "its vg810_cc_entry() returns null");
    // First of all, for these two fields say whether the others can be read.
    if (table->abi != VG810_CC_ABI || table->size != sizeof *table)
        refuse(file,
               fmt::format(
                   "built for version {} ({} octets) of vg810_cc.h, this is version {} ({} octets): build "
                   "it again with this vg810's header",
                   table->abi, table->size, VG810_CC_ABI, sizeof *table));
    return {object, table};
}

} // namespace

std::shared_ptr<const vg810_cc_algorithm> find_algorithm(std::string_view named,
                                                         const std::filesystem::path& folder) {
    if (named.find('/') != std::string_view::npos || named.ends_with(".so"))
        return load(std::filesystem::absolute(folder / std::filesystem::path(named)));
    if (const vg810_cc_algorithm* found = find_built_in(named))
        return {std::shared_ptr<void>(), found};
    std::string known;
    for (const vg810_cc_algorithm* a : built_ins())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", a->name);
    throw std::runtime_error(fmt::format(
        "no congestion control '{}'; there are {}, or a shared object of your own (\"./my_cc.so\")", named,
        known));
}

} // namespace vg810::cc
