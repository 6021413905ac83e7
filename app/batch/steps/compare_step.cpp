// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/compare_step.h"

#include "app/batch/report/summary.h"
#include "engine/compare/plan_comparison.h"
#include "engine/plan/node_names.h"
#include "engine/session/plan_file.h"
#include "engine/session/session_file.h"
#include "engine/system/temporary.h"

#include <algorithm>
#include <cstdio>

namespace graphloom {

namespace {

std::string amountText(double value, const std::string &unit)
{
    char text[48];
    if (unit == "bytes" && std::abs(value) >= 0x1p20)
        std::snprintf(text, sizeof text, "%.4g MiB", value / 0x1p20);
    else
        std::snprintf(text, sizeof text, "%.6g%s%s", value, unit == "count" ? "" : " ",
                      unit == "count" ? "" : unit.c_str());
    return text;
}

std::string metricLine(const PlanMetric &metric)
{
    const auto side = [](const std::optional<PlanMetric::Side> &of) {
        return of ? amountText(of->figure.value, of->figure.unit) + " (" +
                        std::string(nameOf(of->figure.provenance)) +
                        (of->basis.empty() ? "" : ", " + of->basis) + ")"
                  : std::string("none");
    };
    std::string text = metric.name + ": " + side(metric.now) + ", was " + side(metric.before);
    if (!metric.isComparable())
        return metric.before && metric.now ? text + "; not comparable" : text;
    if (const auto ratio = metric.ratio()) {
        char factor[24];
        std::snprintf(factor, sizeof factor, ", x %.4g", *ratio);
        text += factor;
    }
    return text;
}

/// Returns a line such as "~ conv1 (Conv): attribute pads is …".
std::string nodeLine(const GraphComparison &graphs, const NodeDifference &difference)
{
    const bool now = difference.now.valid();
    const Graph &graph = now ? graphs.now : graphs.before;
    const NodeId id = now ? difference.now : difference.before;
    std::string text = std::string(signOf(difference.kind)) + " " + nodeName(graph, id) + " (" +
                       graph.node(id).qualifiedOp() + ")";
    std::string more;
    for (const std::string &change : difference.changes)
        more += (more.empty() ? "" : "; ") + change;
    if (more.empty())
        more = relationOf(graphs, difference);
    return more.empty() ? text : text + ": " + more;
}

} // namespace

Result<void> openCompared(BatchState &batch)
{
    if (!batch.options.compare)
        return {};
    batch.log.begin("open for comparison");
    ImportOptions import;
    import.inputShapes = {}; // the shapes of the command line belong to this run's model
    import.stop = batch.interrupt.stop();
    // For the model files inside a session; they stay mapped after the folder is removed.
    const auto folder = Temporary::folder(temporaryFolder());
    if (!folder && isSessionFile(*batch.options.compare))
        return tl::unexpected(folder.error());
    auto plan = planOfFile(*batch.options.compare, import, folder ? folder->path() : "");
    if (!plan) {
        Error error = plan.error();
        const std::string file = batch.options.compare->string();
        error.where = "--compare " + (error.where.starts_with(file) ? error.where
                                      : error.where.empty()         ? file
                                                                    : file + ": " + error.where);
        return tl::unexpected(std::move(error));
    }
    batch.compared = std::move(*plan);
    return {};
}

Result<void> tellDifferences(BatchState &batch)
{
    if (!batch.compared)
        return {};
    PlanComparing comparing;
    comparing.stop = batch.interrupt.stop();
    if (batch.target && batch.target->outcome().after) {
        const TargetOutcome &outcome = batch.target->outcome();
        comparing.measuredNow = {{outcome.after->whole.median, "ms", outcome.after->provenance},
                                 outcome.device};
    }
    const PlanComparison comparison = compare(*batch.compared, *batch.plan, comparing);
    const GraphComparison &graphs = comparison.graphs;
    nlohmann::ordered_json section = {{"with", batch.options.compare->string()}};
    section.update(reportOf(comparison));
    batch.report["differences"] = std::move(section);

    std::string counts;
    for (const Difference kind :
         {Difference::Same, Difference::Changed, Difference::Added, Difference::Removed})
        counts += (counts.empty() ? "" : ", ") + std::to_string(graphs.count(kind)) + " " +
                  std::string(nameOf(kind));
    batch.log.print(summaryLine(
        "compare", batch.options.compare->string() + ": nodes " + counts +
                       (graphs.tensors.empty() ? ""
                                               : "; different inputs, outputs and constants: " +
                                                     std::to_string(graphs.tensors.size()))));
    constexpr std::size_t most = 20;
    std::size_t told = 0, all = 0;
    for (const NodeDifference &difference : graphs.nodes) {
        if (difference.kind == Difference::Same)
            continue;
        ++all;
        if (told < most) {
            ++told;
            batch.log.print("          " + nodeLine(graphs, difference));
        }
    }
    if (all > told)
        batch.log.print("          and " + std::to_string(all - told) +
                        " more (see --report or --html)");
    for (const PlanMetric &metric : comparison.metrics)
        if (!metric.isComparable() || metric.difference() != 0)
            batch.log.print(summaryLine("compare", metricLine(metric)));
    return {};
}

} // namespace graphloom
