// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/figures.h"
#include "app/batch/html/html_text.h"
#include "app/batch/html/svg_plot.h"

#include <algorithm>

namespace graphloom {

namespace {

/// More points than pixels are of no use: of each group the one with most bytes stays.
constexpr std::size_t mostTimelinePoints = 1500;

struct Timeline {
    SvgPlot::Points points;
    double end = 0, peak = 0;
};

Timeline timelineOf(const nlohmann::ordered_json &steps)
{
    Timeline timeline;
    if (!steps.is_array() || steps.empty())
        return timeline;
    const std::size_t group = steps.size() / mostTimelinePoints + 1;
    for (std::size_t i = 0; i < steps.size(); i += group) {
        double most = 0;
        for (std::size_t k = i; k < std::min(i + group, steps.size()); ++k) {
            most = std::max(most, numberAt(steps[k], {"bytes"}));
            timeline.end = std::max(timeline.end,
                                    numberAt(steps[k], {"start_ms"}) + numberAt(steps[k], {"ms"}));
        }
        timeline.points.emplace_back(numberAt(steps[i], {"start_ms"}), most);
        timeline.peak = std::max(timeline.peak, most);
    }
    timeline.points.emplace_back(timeline.end, timeline.points.back().second);
    return timeline;
}

} // namespace

std::string memoryTimelineSvg(const nlohmann::ordered_json &memory)
{
    const Timeline before = timelineOf(valueAt(memory, {"timeline_before"})),
                   after = timelineOf(valueAt(memory, {"timeline"}));
    if (before.points.empty() && after.points.empty())
        return {};
    const double end = std::max(before.end, after.end), peak = std::max(before.peak, after.peak);
    SvgPlot plot("Memory over time",
                 "Bytes in memory while the original and the plan run; peaks " +
                     byteText(before.peak) + " and " + byteText(after.peak),
                 {"time, modelled", 0, end, timeText, false},
                 {"in memory", 0, peak * 1.08, byteText, true});
    if (!before.points.empty())
        plot.addLine(before.points, 1, "original", true);
    if (!after.points.empty())
        plot.addLine(after.points, 0, "plan", true);
    if (after.peak > 0)
        plot.addLevel(after.peak, "peak of the plan " + byteText(after.peak));
    return plot.svg();
}

} // namespace graphloom
