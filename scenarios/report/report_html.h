// SPDX-License-Identifier: Apache-2.0
// report.html: one file without any outside resource; plots are inline SVG.
#pragma once

#include "core/units.h"
#include "scenarios/report/statistics.h"
#include "scenarios/run/pause_log.h"
#include "scenarios/run/series_sampler.h"

#include <string>
#include <vector>

namespace vg810::scenarios {

struct html_page {
    std::string title;
    std::string description;
    std::string verdict;
    figure_list figures;
    std::vector<double> fct_us; ///< in rising order
    const pause_log* pauses = nullptr;
    const series_sampler* series = nullptr;
    picoseconds end;
};

std::string report_html(const html_page& page);

} // namespace vg810::scenarios
