// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace graphloom {

// Charts of sections of a report, each as one SVG element; "" where there is nothing to show.

/// Bytes over time, of the original and of the plan: the section "memory" of a pass.
std::string memoryTimelineSvg(const nlohmann::ordered_json &memory);
/// Latency and peak of every plan that none beats in both ("pareto"), beside the original and the
/// baselines of the same pass ("memory").
std::string paretoSvg(const nlohmann::ordered_json &pareto, const nlohmann::ordered_json &memory);
/// How many subgraphs there are of which weight ("partition"), beside the baseline's: bins of
/// powers of two, as in AGO's Fig. 14.
std::string partitionHistogramSvg(const nlohmann::ordered_json &partition);
/// The best cost so far over the seconds of a search ("search").
std::string searchHistorySvg(const nlohmann::ordered_json &search);

} // namespace graphloom
