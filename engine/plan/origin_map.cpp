// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/origin_map.h"

#include "engine/plan/node_names.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

using Fate = OriginMap::Fate;

/// Marks the nodes on which the outputs of a graph depend, by node id.
std::vector<bool> usedNodes(const Graph &graph)
{
    std::vector<bool> used(graph.nodeBound(), false);
    std::vector<TensorId> pending(graph.outputs().begin(), graph.outputs().end());
    while (!pending.empty()) {
        const NodeId producer = graph.producer(pending.back());
        pending.pop_back();
        if (!producer.valid() || used[producer.index])
            continue;
        used[producer.index] = true;
        forEachRead(graph.node(producer),
                    [&](TensorId tensor, std::uint32_t) { pending.push_back(tensor); });
    }
    return used;
}

/// Marks the nodes of the model from which nodes of another graph originate.
std::vector<bool> originsIn(const Graph &graph, std::uint32_t bound)
{
    std::vector<bool> known(bound, false);
    for (const NodeId id : graph.order())
        for (const NodeId origin : graph.node(id).origins)
            if (origin.index < bound)
                known[origin.index] = true;
    return known;
}

/// Lists for each node of the model the rules that were applied to it and its successors, in order.
std::map<NodeId, std::vector<std::string>> rulesByOrigin(const RewriteLog &log)
{
    std::map<NodeId, std::vector<std::string>> rules;
    for (const RewriteStep &step : log.steps) {
        std::set<NodeId> origins;
        for (const NodeId id : step.removed)
            if (const auto found = step.before.nodes.find(id); found != step.before.nodes.end())
                origins.insert(found->second->origins.begin(), found->second->origins.end());
        for (const NodeId origin : origins) {
            std::vector<std::string> &names = rules[origin];
            std::erase(names, step.rule); // keep the last application only
            names.push_back(step.rule);
        }
    }
    return rules;
}

std::string listedTexts(const std::vector<std::string> &texts)
{
    std::string list;
    for (const std::string &text : texts)
        list += (list.empty() ? "" : ", ") + text;
    return list;
}

/// Lists the passes of the plan, in their order.
std::string passesBehind(const Plan &plan)
{
    std::vector<std::string> names;
    for (const PassRecord &record : plan.history)
        if (std::ranges::find(names, record.pass) == names.end())
            names.push_back(record.pass);
    return listedTexts(names);
}

bool isItself(const Plan &plan, NodeId original, NodeId now)
{
    const Node &node = plan.graph.node(now), &before = plan.model->graph.node(original);
    return node.origins.size() == 1 && node.op == before.op && node.domain == before.domain;
}

/// Describes how an original became several nodes or a part of one.
std::string becoming(const Plan &plan, const OriginMap &map, const OriginMap::Original &original,
                     const std::vector<std::string> *rules)
{
    std::string text = rules ? "rewritten by " + listedTexts(*rules) : std::string();
    const auto add = [&](const std::string &more) { text += (text.empty() ? "" : "; ") + more; };
    if (original.nodes.size() > 1)
        add("replaced by " + std::to_string(original.nodes.size()) + " nodes");
    std::size_t others = 0;
    for (const NodeId id : original.nodes)
        others = std::max(others, map.originals[id.index].size() - 1);
    if (others > 0)
        add("together with " + std::to_string(others) + (others == 1 ? " other" : " others"));
    if (text.empty())
        text = plan.history.empty() ? "another form of the operator" : "by " + passesBehind(plan);
    return text;
}

} // namespace

std::string_view nameOf(Fate fate)
{
    switch (fate) {
    case Fate::Kept:
        return "kept";
    case Fate::Became:
        return "became";
    case Fate::Folded:
        return "folded";
    case Fate::Unused:
        return "unused";
    case Fate::Removed:
        break;
    }
    return "removed";
}

OriginMap originMapOf(const Plan &plan)
{
    const Graph &model = plan.model->graph;
    OriginMap map;
    map.fates.resize(model.nodeBound());
    map.originals.resize(plan.graph.nodeBound());
    for (const NodeId id : plan.graph.order())
        for (const NodeId origin : plan.graph.node(id).origins)
            if (model.contains(origin)) {
                map.originals[id.index].push_back(origin);
                map.fates[origin.index].nodes.push_back(id);
            }
    for (const NodeId id : plan.graph.order())
        std::ranges::sort(map.originals[id.index], {},
                          [&](NodeId origin) { return model.position(origin); });

    const std::vector<bool> used = usedNodes(model);
    const std::vector<bool> begun = originsIn(plan.original, model.nodeBound());
    const auto rules =
        plan.rewrite ? rulesByOrigin(*plan.rewrite) : std::map<NodeId, std::vector<std::string>>();
    for (const NodeId id : model.order()) {
        OriginMap::Original &original = map.fates[id.index];
        const auto known = rules.find(id);
        const std::vector<std::string> *applied = known != rules.end() ? &known->second : nullptr;
        if (original.nodes.size() == 1 && isItself(plan, id, original.nodes.front())) {
            if (applied)
                original.reason = "rewritten by " + listedTexts(*applied);
        } else if (!original.nodes.empty()) {
            original.fate = Fate::Became;
            original.reason = becoming(plan, map, original, applied);
        } else if (!begun[id.index] && !used[id.index]) {
            original.fate = Fate::Unused;
            original.reason = "no output of the model depends on it";
        } else if (!begun[id.index]) {
            original.fate = Fate::Folded;
            original.reason = "it does not depend on the inputs: folded to a constant";
        } else {
            original.fate = Fate::Removed;
            original.reason = applied ? "the rule " + applied->back() + " made it redundant"
                              : plan.history.empty()
                                  ? "it is not needed"
                                  : "it is no longer needed after " + passesBehind(plan);
        }
    }
    return map;
}

std::vector<std::string> originNames(const Plan &plan, NodeId id)
{
    const Graph &model = plan.model->graph;
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
        if (std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    };
    for (const NodeId origin : plan.graph.node(id).origins) {
        if (!model.contains(origin))
            continue;
        const auto &metadata = model.node(origin).metadata;
        const auto stored =
            std::ranges::find(metadata, originsKey,
                              [](const auto &entry) -> const std::string & { return entry.first; });
        if (stored == metadata.end()) {
            add(nodeName(model, origin));
            continue;
        }
        std::string_view rest = stored->second;
        while (!rest.empty()) {
            const auto end = std::min(rest.find('\n'), rest.size());
            add(std::string(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return names;
}

} // namespace graphloom
