// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/run_directory.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace vg810::scenarios {
namespace {

namespace fs = std::filesystem;

std::string describe(const fs::path& file, int error) {
    const std::string text = fmt::format("cannot write {}: {}", file.string(), std::strerror(error));
    if (error == ENOSPC || error == EDQUOT)
        return text + "; free some space, or choose another place with --out DIR";
    return text + "; choose another place with --out DIR";
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
    return text;
}

/// An earlier run may be overwritten, anything else may not.
void refuse_foreign(const fs::path& path) {
    if (fs::exists(path) && !fs::is_empty(path) && !fs::exists(path / "scenario.toml"))
        throw output_error(path, ENOTEMPTY);
}

/// What runs leave, so that an earlier run's files do not pass for this one's. Anything else is the user's.
bool is_output(const fs::path& file) {
    constexpr std::string_view names[] = {"scenario.toml", "summary.json", "metrics.csv", "flows.csv",
                                          "pauses.csv",    "report.html",  "wall.json",   "checks.junit.xml",
                                          "steps",         "files"};
    const std::string name = file.filename().string();
    return std::find(std::begin(names), std::end(names), name) != std::end(names) ||
           file.extension() == ".pcapng" ||
           (file.extension() == ".log" && (name.starts_with("console.") || name.starts_with("qemu.")));
}

void remove_earlier(const fs::path& path) {
    if (!fs::exists(path / "scenario.toml"))
        return;
    for (const auto& entry : fs::directory_iterator(path))
        if (is_output(entry.path()))
            fs::remove_all(entry.path());
}

void make(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error)
        throw output_error(path, error.value());
    if (::access(path.c_str(), W_OK | X_OK) != 0)
        throw output_error(path, errno);
}

/// Writes and closes `fd`. Returns 0 or an errno.
int write_all(int fd, std::string_view content) {
    int error = 0;
    while (!content.empty()) {
        const ssize_t n = ::write(fd, content.data(), content.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            error = errno;
            break;
        }
        content.remove_prefix(static_cast<std::size_t>(n));
    }
    if (::close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

} // namespace

output_error::output_error(const fs::path& file, int error) : std::runtime_error(describe(file, error)) {}

run_directory::run_directory(const std::optional<fs::path>& chosen, const fs::path& base,
                             const std::string& name) {
    try {
        if (chosen) {
            path_ = fs::absolute(*chosen);
            refuse_foreign(path_);
            remove_earlier(path_);
        } else {
            const fs::path first = fs::absolute(base) / (name + "-" + utc_now());
            path_ = first;
            for (int i = 2; fs::exists(path_); ++i)
                path_ = first.string() + "-" + std::to_string(i);
        }
        make(path_);
    } catch (const fs::filesystem_error& e) {
        throw output_error(e.path1(), e.code().value());
    }
}

void run_directory::write(std::string_view name, std::string_view content) const {
    const fs::path target = file(name);
    const fs::path fresh = target.string() + ".new";
    std::error_code made;
    fs::create_directories(target.parent_path(), made);
    if (made)
        throw output_error(target, made.value());
    const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        throw output_error(target, errno);
    int error = write_all(fd, content);
    if (error == 0 && ::rename(fresh.c_str(), target.c_str()) != 0)
        error = errno;
    if (error != 0) {
        ::unlink(fresh.c_str());
        throw output_error(target, error);
    }
}

void run_directory::check_space(std::uintmax_t needed) const {
    std::error_code error;
    const fs::space_info space = fs::space(path_, error);
    if (!error && space.available < needed)
        throw output_error(path_, ENOSPC);
}

} // namespace vg810::scenarios
