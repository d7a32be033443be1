// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/nearest.h"

#include <algorithm>
#include <vector>

namespace vg810::scenarios {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> d((a.size() + 1) * width);
    for (std::size_t i = 0; i <= a.size(); ++i)
        d[i * width] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        d[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = d[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1]);
            std::size_t best = std::min({d[(i - 1) * width + j] + 1, d[i * width + j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = std::min(best, d[(i - 2) * width + j - 2] + 1);
            d[i * width + j] = best;
        }
    return d.back();
}

std::string suggestion(std::string_view typed, std::span<const std::string_view> valid) {
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(2, typed.size() / 3) + 1;
    for (const std::string_view name : valid) {
        const std::size_t distance = edit_distance(typed, name);
        if (distance < best_distance && distance < std::max(typed.size(), name.size())) {
            best = name;
            best_distance = distance;
        }
    }
    if (!best.empty())
        return ", did you mean '" + std::string(best) + "'?";
    if (valid.empty())
        return "";
    std::string all = "; valid are ";
    for (std::size_t i = 0; i < valid.size(); ++i)
        all += (i ? ", " : "") + std::string(valid[i]);
    return all;
}

} // namespace vg810::scenarios
