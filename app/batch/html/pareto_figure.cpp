// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/figures.h"
#include "app/batch/html/html_text.h"
#include "app/batch/html/svg_plot.h"

#include <algorithm>
#include <limits>

namespace graphloom {

namespace {

SvgPlot::Points paretoPoints(const nlohmann::ordered_json &list)
{
    SvgPlot::Points points;
    if (list.is_array())
        for (const auto &point : list)
            points.emplace_back(numberAt(point, {"latency_ms"}), numberAt(point, {"peak_bytes"}));
    return points;
}

} // namespace

std::string paretoSvg(const nlohmann::ordered_json &pareto, const nlohmann::ordered_json &memory)
{
    SvgPlot::Points front = paretoPoints(pareto);
    if (front.empty())
        return {};
    std::ranges::sort(front);
    std::vector<std::pair<std::string, SvgPlot::Points>> others;
    if (valueAt(memory, {"latency_ms_before"}).is_number())
        others.emplace_back("original", SvgPlot::Points{{numberAt(memory, {"latency_ms_before"}),
                                                         numberAt(memory, {"peak_bytes_before"})}});
    if (const auto &baselines = valueAt(memory, {"baselines"}); baselines.is_array())
        for (const auto &baseline : baselines)
            others.emplace_back(valueText(valueAt(baseline, {"name"})),
                                paretoPoints(valueAt(baseline, {"points"})));
    // Points far outside of what is of interest would squeeze the front.
    double least = std::numeric_limits<double>::infinity(), most = 0, peak = 0;
    const auto see = [&](const SvgPlot::Points &points, double latest) {
        for (const auto &[ms, bytes] : points)
            if (ms <= latest) {
                least = std::min(least, ms);
                most = std::max(most, ms);
                peak = std::max(peak, bytes);
            }
    };
    see(front, std::numeric_limits<double>::infinity());
    const double latest = 1.25 * std::max(most, numberAt(memory, {"latency_ms_before"}));
    for (const auto &[name, points] : others)
        see(points, latest);
    const double margin = std::max(0.05 * (most - least), 1e-3 * most);
    SvgPlot plot("Latency and peak memory",
                 std::to_string(front.size()) + " plans that no other one beats in both, from " +
                     timeText(front.front().first) + " with " + byteText(front.front().second) +
                     " to " + timeText(front.back().first) + " with " +
                     byteText(front.back().second),
                 {"latency, modelled", least - margin, most + margin, timeText, false},
                 {"peak memory", 0, peak * 1.08, byteText, true});
    plot.addLine(front, 0, "", true);
    plot.addMarks(front, 0, "front");
    int series = 1;
    for (auto &[name, points] : others) {
        std::erase_if(points, [&](const auto &point) { return point.first > latest; });
        if (!points.empty())
            plot.addMarks(points, series, name);
        ++series;
    }
    return plot.svg();
}

} // namespace graphloom
