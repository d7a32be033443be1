// SPDX-License-Identifier: Apache-2.0
#include "scenarios/workload/flow_sizes.h"

#include "scenarios/config/diagnostics.h"
#include "scenarios/config/nearest.h"
#include "scenarios/workload/csv.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

constexpr double certain = 0x1p53;

} // namespace

flow_sizes flow_sizes::parse(std::string_view text, const std::string& name) {
    flow_sizes out;
    csv_reader rows(text, name, {"bytes", "probability"}, {});
    while (rows.next()) {
        const bytes size = rows.integer(0, 0, longest);
        const double probability = rows.number(1);
        if (!(probability >= 0 && probability <= 1)) // false for NaN, too
            rows.fail(1, "a probability is from 0 to 1");
        const auto scaled = static_cast<std::uint64_t>(std::llround(probability * certain));
        if (!out.points_.empty() && size <= out.points_.back().size)
            rows.fail(0, "sizes must rise from line to line");
        if (!out.points_.empty() && scaled < out.points_.back().probability)
            rows.fail(1, "probabilities must not fall from line to line");
        out.points_.push_back({size, scaled});
    }
    if (out.points_.empty() || out.points_.back().probability != static_cast<std::uint64_t>(certain))
        rows.fail(1, "the last probability must be 1");
    if (out.points_.back().size == 0)
        rows.fail(0, "the largest size is 0");
    if (out.points_.front().probability > 0) // sizes at the first point have a probability of their own
        out.points_.insert(out.points_.begin(), {out.points_.front().size, 0});
    return out;
}

std::filesystem::path flow_sizes::shipped_folder() {
    return VG810_SOURCE_DIR "/scenarios/workload/cdf";
}

std::vector<std::string> flow_sizes::shipped(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".csv")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

flow_sizes flow_sizes::load(const std::string& name_or_file, const std::filesystem::path& folder) {
    std::filesystem::path file = folder / (name_or_file + ".csv");
    if (name_or_file.find('/') != std::string::npos || !std::filesystem::is_regular_file(file))
        file = name_or_file;
    if (!std::filesystem::is_regular_file(file)) {
        const auto names = shipped(folder);
        const std::vector<std::string_view> views(names.begin(), names.end());
        throw bad_input(fmt::format("there is no distribution and no file '{}'{}", name_or_file,
                                    suggestion(name_or_file, views)));
    }
    return parse(read_text_file(file), file.string());
}

bytes flow_sizes::draw(random_stream& random) const {
    const std::uint64_t u = random.next() >> 11;
    const auto above = std::upper_bound(points_.begin(), points_.end(), u,
                                        [](std::uint64_t v, const point& p) { return v < p.probability; });
    if (above == points_.begin())
        return std::max<bytes>(above->size, 1);
    const point &low = *(above - 1), &high = *above; // u < 2^53 = the last probability
    __extension__ typedef unsigned __int128 wide;
    const wide part = static_cast<wide>(high.size - low.size) * (u - low.probability);
    return std::max<bytes>(low.size + static_cast<bytes>(part / (high.probability - low.probability)), 1);
}

double flow_sizes::mean() const {
    double sum = 0;
    for (std::size_t i = 1; i < points_.size(); ++i)
        sum += static_cast<double>(points_[i].probability - points_[i - 1].probability) / certain *
               (static_cast<double>(points_[i].size) + static_cast<double>(points_[i - 1].size)) / 2;
    return sum;
}

} // namespace vg810::scenarios
