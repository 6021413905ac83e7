// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/plan_comparison.h"

#include "engine/base/hash.h"
#include "engine/plan/node_names.h"
#include "engine/plan/origin_map.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace graphloom {

namespace {

using ReportJson = nlohmann::ordered_json;

/// Tells whether both models are the same graph with the same ids, such as one file opened twice.
bool sameBeginning(const Model &a, const Model &b)
{
    if (&a == &b)
        return true;
    if (a.graph.hash() != b.graph.hash() || a.graph.nodeBound() != b.graph.nodeBound() ||
        !std::ranges::equal(a.graph.order(), b.graph.order()))
        return false;
    return std::ranges::all_of(a.graph.order(), [&](NodeId id) {
        const Node &x = a.graph.node(id), &y = b.graph.node(id);
        return x.name == y.name && x.op == y.op && x.outputs == y.outputs;
    });
}

bool tellsOrigins(const Plan &plan)
{
    return std::ranges::any_of(plan.model->graph.order(), [&](NodeId id) {
        return std::ranges::any_of(plan.model->graph.node(id).metadata,
                                   [](const auto &entry) { return entry.first == originsKey; });
    });
}

AlignmentHints hintsOf(const Plan &before, const Plan &now, bool sameModel)
{
    AlignmentHints hints;
    if (!sameModel && !tellsOrigins(before) && !tellsOrigins(now))
        return hints;
    hints.sameIds = sameModel;
    for (const auto &[plan, origins] :
         {std::pair{&before, &hints.before}, std::pair{&now, &hints.now}}) {
        origins->resize(plan->graph.nodeBound());
        for (const NodeId id : plan->graph.order()) {
            auto &own = (*origins)[id.index];
            if (sameModel) {
                for (const NodeId origin : plan->graph.node(id).origins)
                    own.push_back(origin.index);
            } else {
                for (const std::string &name : originNames(*plan, id))
                    own.push_back(hashText(name));
            }
        }
    }
    return hints;
}

/// Adds the reasons why nodes were removed, as the later plan records them.
void addReasons(GraphComparison &comparison, const Plan &now)
{
    const bool needed = std::ranges::any_of(comparison.nodes, [](const NodeDifference &node) {
        return node.kind == Difference::Removed && node.related.empty();
    });
    if (!needed)
        return;
    const OriginMap map = originMapOf(now);
    for (NodeDifference &difference : comparison.nodes) {
        if (difference.kind != Difference::Removed || !difference.related.empty())
            continue;
        for (const NodeId origin : comparison.before.node(difference.before).origins)
            if (now.model->graph.contains(origin)) {
                difference.reason = map.fates[origin.index].reason;
                break;
            }
    }
}

ReportJson sideOf(const std::optional<PlanMetric::Side> &side)
{
    if (!side)
        return nullptr;
    ReportJson json = {{"value", side->figure.value},
                       {"provenance", nameOf(side->figure.provenance)}};
    if (!side->basis.empty())
        json["of"] = side->basis;
    return json;
}

ReportJson metricsReport(const std::vector<PlanMetric> &metrics)
{
    ReportJson list = ReportJson::array();
    for (const PlanMetric &metric : metrics) {
        const Figure &figure = (metric.now ? metric.now : metric.before)->figure;
        list.push_back({{"metric", metric.key},
                        {"name", metric.name},
                        {"unit", figure.unit},
                        {"before", sideOf(metric.before)},
                        {"now", sideOf(metric.now)}});
        if (metric.isComparable()) {
            list.back()["difference"] = metric.difference();
            const auto ratio = metric.ratio();
            list.back()["ratio"] = ratio ? ReportJson(*ratio) : ReportJson(nullptr);
        }
    }
    return list;
}

std::string listed(const Graph &graph, const std::vector<NodeId> &nodes)
{
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i)
        text += (i ? ", " : "") + nodeName(graph, nodes[i]);
    if (nodes.size() > most)
        text += " and " + std::to_string(nodes.size() - most) + " more";
    return text;
}

} // namespace

PlanComparison compare(const Plan &before, const Plan &now, const PlanComparing &options)
{
    PlanComparison result;
    result.sameModel = sameBeginning(*before.model, *now.model);
    AlignmentHints hints = hintsOf(before, now, result.sameModel);
    hints.stop = options.stop;
    result.graphs = compare(before.graph, now.graph, hints);
    if (result.sameModel && !options.stop.stop_requested())
        addReasons(result.graphs, now);
    result.metrics =
        metricsOf(before, now, options.measuredBefore, options.measuredNow, options.stop);
    return result;
}

std::string relationOf(const GraphComparison &comparison, const NodeDifference &difference)
{
    if (difference.kind == Difference::Added && !difference.related.empty())
        return "replaces " + listed(comparison.before, difference.related);
    if (difference.kind != Difference::Removed)
        return {};
    return difference.related.empty() ? difference.reason
                                      : "replaced by " + listed(comparison.now, difference.related);
}

ReportJson reportOf(const PlanComparison &comparison)
{
    const GraphComparison &graphs = comparison.graphs;
    const auto before = distinctNodeNames(graphs.before), now = distinctNodeNames(graphs.now);
    ReportJson section = {{"same_model", comparison.sameModel}};
    for (const Difference kind :
         {Difference::Same, Difference::Changed, Difference::Added, Difference::Removed})
        section["nodes_" + std::string(nameOf(kind))] = graphs.count(kind);
    section["nodes"] = ReportJson::array();
    for (const NodeDifference &difference : graphs.nodes) {
        if (difference.kind == Difference::Same && !difference.renamed)
            continue;
        ReportJson node = {{"difference", nameOf(difference.kind)}};
        if (difference.now.valid()) {
            node["node"] = now[difference.now.index];
            node["operator"] = graphs.now.node(difference.now).qualifiedOp();
        }
        if (difference.before.valid()) {
            node["node_before"] = before[difference.before.index];
            node["operator_before"] = graphs.before.node(difference.before).qualifiedOp();
        }
        node["changes"] = difference.changes;
        if (const std::string relation = relationOf(graphs, difference); !relation.empty())
            node["relation"] = relation;
        section["nodes"].push_back(std::move(node));
    }
    section["tensors"] = ReportJson::array();
    for (const TensorDifference &difference : graphs.tensors) {
        const Tensor &tensor = difference.now.valid() ? graphs.now.tensor(difference.now)
                                                      : graphs.before.tensor(difference.before);
        section["tensors"].push_back({{"difference", nameOf(difference.kind)},
                                      {"role", nameOf(difference.role)},
                                      {"tensor", tensor.name},
                                      {"changes", difference.changes}});
    }
    section["metrics"] = metricsReport(comparison.metrics);
    return section;
}

} // namespace graphloom
