// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/subgraph_functions.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <queue>
#include <unordered_set>

namespace graphloom {

namespace {

/// Returns the units in the order of their first nodes; `unitOf` is indexed by node id.
Result<std::vector<ExportUnit>> gather(const Graph &graph, const Partition *partition,
                                       std::vector<std::uint32_t> &unitOf)
{
    std::vector<ExportUnit> units;
    unitOf.assign(graph.nodeBound(), Partition::none);
    if (!partition) {
        for (const NodeId id : graph.order()) {
            unitOf[id.index] = std::uint32_t(units.size());
            units.push_back({Partition::none, {id}, {}, {}});
        }
        return units;
    }
    std::vector<std::uint32_t> subgraphOf(graph.nodeBound(), Partition::none);
    for (std::uint32_t s = 0; s < partition->subgraphs.size(); ++s)
        for (const NodeId id : partition->subgraphs[s].nodes) {
            if (!graph.contains(id))
                return fail(Error::Kind::Fault,
                            "a subgraph contains a node that is not in the graph");
            if (subgraphOf[id.index] != Partition::none)
                return fail(Error::Kind::Fault,
                            "node \"" + graph.node(id).name + "\" is in two subgraphs");
            subgraphOf[id.index] = s;
        }
    std::vector<std::uint32_t> unitOfSubgraph(partition->subgraphs.size(), Partition::none);
    for (const NodeId id : graph.order()) {
        const std::uint32_t s = subgraphOf[id.index];
        if (s == Partition::none)
            return fail(Error::Kind::Fault,
                        "node \"" + graph.node(id).name + "\" is in no subgraph");
        if (unitOfSubgraph[s] == Partition::none) {
            unitOfSubgraph[s] = std::uint32_t(units.size());
            units.push_back({s, {}, {}, {}});
        }
        unitOf[id.index] = unitOfSubgraph[s];
        units[unitOfSubgraph[s]].nodes.push_back(id);
    }
    return units;
}

void findInterface(const Graph &graph, const std::unordered_set<TensorId> &graphOutputs,
                   const std::vector<std::uint32_t> &unitOf, ExportUnit &unit)
{
    const std::uint32_t self = unitOf[unit.nodes.front().index];
    const auto inside = [&](NodeId id) { return id.valid() && unitOf[id.index] == self; };
    std::unordered_set<TensorId> seen;
    for (const NodeId id : unit.nodes) {
        forEachRead(graph.node(id), [&](TensorId input, std::uint32_t) {
            if (!inside(graph.producer(input)) && seen.insert(input).second)
                unit.inputs.push_back(input);
        });
        for (const TensorId output : graph.node(id).outputs) {
            if (!output.valid())
                continue;
            const auto uses = graph.uses(output);
            const bool readOutside =
                std::ranges::any_of(uses, [&](const Use &use) { return !inside(use.node); });
            if (readOutside || uses.empty() || graphOutputs.contains(output))
                unit.outputs.push_back(output);
        }
    }
}

} // namespace

Result<std::vector<ExportUnit>> unitsOf(const Graph &graph, const Partition *partition)
{
    std::vector<std::uint32_t> unitOf;
    GL_TRY_RESULT(units, gather(graph, partition, unitOf));
    std::vector<std::vector<std::uint32_t>> readers(units->size());
    std::vector<std::uint32_t> waiting(units->size(), 0);
    for (const NodeId id : graph.order())
        forEachRead(graph.node(id), [&](TensorId input, std::uint32_t) {
            const NodeId producer = graph.producer(input);
            const std::uint32_t to = unitOf[id.index];
            if (!producer.valid() || unitOf[producer.index] == to)
                return;
            readers[unitOf[producer.index]].push_back(to);
            ++waiting[to];
        });
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < units->size(); ++i)
        if (waiting[i] == 0)
            ready.push(i);
    const std::unordered_set<TensorId> outputs(graph.outputs().begin(), graph.outputs().end());
    std::vector<ExportUnit> sorted;
    sorted.reserve(units->size());
    while (!ready.empty()) {
        const std::uint32_t next = ready.top();
        ready.pop();
        for (const std::uint32_t reader : readers[next])
            if (--waiting[reader] == 0)
                ready.push(reader);
        ExportUnit unit = std::move((*units)[next]);
        if (unit.isCall())
            findInterface(graph, outputs, unitOf, unit);
        sorted.push_back(std::move(unit));
    }
    if (sorted.size() != units->size()) {
        const auto stuck = std::ranges::find_if(waiting, [](auto n) { return n > 0; });
        const NodeId node = (*units)[std::size_t(stuck - waiting.begin())].nodes.front();
        return fail(Error::Kind::Fault,
                    "subgraphs form a cycle, which includes the subgraph of node \"" +
                        graph.node(node).name + "\"");
    }
    return sorted;
}

std::vector<std::string> nameSubgraphs(const Graph &graph, const Partition &partition,
                                       const std::string &prefix)
{
    constexpr std::size_t namedOperators = 4;
    const std::size_t digits =
        std::max<std::size_t>(3, std::to_string(partition.subgraphs.size()).size());
    std::vector<std::string> names;
    for (std::size_t s = 0; s < partition.subgraphs.size(); ++s) {
        const std::string number = std::to_string(s);
        std::string name = prefix + "_" + std::string(digits - number.size(), '0') + number;
        const auto &nodes = partition.subgraphs[s].nodes;
        for (std::size_t i = 0; i < std::min(nodes.size(), namedOperators); ++i) {
            name += "_";
            for (const char c : graph.node(nodes[i]).op)
                if (std::isalnum(static_cast<unsigned char>(c)))
                    name += c;
        }
        names.push_back(std::move(name));
    }
    return names;
}

} // namespace graphloom
