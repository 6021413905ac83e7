// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/stored_plan.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace graphloom {

namespace {

using Json = nlohmann::json;

constexpr int schema = 1;
constexpr std::size_t longestText = std::size_t{1} << 26;

/// A member of an object, if it is there and of the kind.
const Json *member(const Json &object, const char *key, bool (Json::*isKind)() const noexcept)
{
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found != object.end() && ((*found).*isKind)() ? &*found : nullptr;
}

tl::unexpected<Error> unreadable()
{
    return fail(Error::Kind::Model, "the stored plan has a form that is not known");
}

} // namespace

std::string storePartition(const Partition &partition,
                           const std::vector<std::string> &subgraphNames,
                           const std::vector<std::string> &nodeNames)
{
    Json subgraphs = Json::array();
    for (std::size_t s = 0; s < partition.subgraphs.size(); ++s) {
        Json nodes = Json::array();
        for (const NodeId id : partition.subgraphs[s].nodes)
            nodes.push_back(nodeNames[id.index]);
        subgraphs.push_back({{"name", subgraphNames[s]},
                             {"weight", partition.subgraphs[s].weight},
                             {"nodes", std::move(nodes)}});
    }
    const Json plan = {{"schema", schema},
                       {"partition",
                        {{"method", partition.method},
                         {"threshold", partition.threshold},
                         {"subgraphs", std::move(subgraphs)}}}};
    return plan.dump();
}

Result<Partition> restorePartition(std::string_view text, const Graph &graph)
{
    if (text.size() > longestText)
        return fail(Error::Kind::Model, "the stored plan is longer than any real one");
    const Json plan = Json::parse(text, nullptr, false);
    const Json *version = member(plan, "schema", &Json::is_number_integer);
    if (!version)
        return unreadable();
    if (version->get<std::int64_t>() != schema)
        return fail(Error::Kind::Model,
                    "the stored plan has a newer form, schema " + version->dump());
    const Json *stored = member(plan, "partition", &Json::is_object);
    const Json *method = stored ? member(*stored, "method", &Json::is_string) : nullptr;
    const Json *threshold = stored ? member(*stored, "threshold", &Json::is_number) : nullptr;
    const Json *subgraphs = stored ? member(*stored, "subgraphs", &Json::is_array) : nullptr;
    if (!method || !threshold || !subgraphs)
        return unreadable();

    std::unordered_map<std::string_view, NodeId> byName;
    for (const NodeId id : graph.order())
        byName.emplace(graph.node(id).name, id);
    Partition partition;
    partition.method = method->get<std::string>();
    partition.threshold = threshold->get<double>();
    std::size_t placed = 0;
    for (const Json &entry : *subgraphs) {
        const Json *weight = member(entry, "weight", &Json::is_number);
        const Json *nodes = member(entry, "nodes", &Json::is_array);
        if (!weight || !nodes)
            return unreadable();
        Subgraph subgraph;
        subgraph.weight = weight->get<double>();
        for (const Json &name : *nodes) {
            if (!name.is_string())
                return unreadable();
            const auto found = byName.find(name.get_ref<const std::string &>());
            if (found == byName.end())
                continue; // folded away, since the plan held it unfolded
            subgraph.nodes.push_back(found->second);
            byName.erase(found);
        }
        placed += subgraph.nodes.size();
        std::ranges::sort(subgraph.nodes, {}, [&](NodeId id) { return graph.position(id); });
        if (!subgraph.nodes.empty())
            partition.subgraphs.push_back(std::move(subgraph));
    }
    if (placed != graph.nodeCount())
        return fail(Error::Kind::Model, "the stored plan lacks nodes that the model has");
    partition.index(graph);
    if (auto valid = checkPartition(graph, partition); !valid)
        return fail(Error::Kind::Model, "the stored plan does not fit: " + valid.error().message);
    return partition;
}

} // namespace graphloom
