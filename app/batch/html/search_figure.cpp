// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/figures.h"
#include "app/batch/html/html_text.h"
#include "app/batch/html/svg_plot.h"

#include <algorithm>

namespace graphloom {

std::string searchHistorySvg(const nlohmann::ordered_json &search)
{
    const auto &history = valueAt(search, {"best_history"});
    if (!history.is_array() || history.empty())
        return {};
    SvgPlot::Points points;
    double least = 0, most = 0;
    for (const auto &best : history) {
        points.emplace_back(numberAt(best, {"seconds"}), numberAt(best, {"cost"}));
        const double cost = points.back().second;
        least = points.size() == 1 ? cost : std::min(least, cost);
        most = points.size() == 1 ? cost : std::max(most, cost);
    }
    const double end = std::max(points.back().first, numberAt(search, {"seconds"}));
    points.emplace_back(end, points.back().second);
    const double margin = std::max(0.1 * (most - least), 0.01 * most);
    SvgPlot plot("Best cost so far",
                 "From " + numberText(points.front().second) + " to " +
                     numberText(points.back().second) + " in " + numberText(end) + " seconds",
                 {"seconds", 0, end, numberText, false},
                 {"cost", least - margin, most + margin, numberText, false});
    plot.addLine(points, 0, "best so far", true);
    return plot.svg();
}

} // namespace graphloom
