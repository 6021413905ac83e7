// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/graph_facts.h"

#include "app/common/format.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace graphloom {

namespace {

std::vector<bool> constantInputs(const Graph &graph, const Node &node)
{
    std::vector<bool> constant;
    for (const TensorId id : node.inputs)
        constant.push_back(id.valid() && graph.tensor(id).constant);
    return constant;
}

Traffic trafficOf(const Graph &graph, const Node &node, const Description &description,
                  const Opsets &opsets)
{
    std::vector<const Tensor *> inputs;
    for (const TensorId id : node.inputs)
        inputs.push_back(id.valid() ? &graph.tensor(id) : nullptr);
    return graphloom::trafficOf(description, Call(node, std::move(inputs), opsets(node.domain)));
}

NodeFacts describeNode(const Graph &graph, NodeId id, const Opsets &opsets)
{
    const Node &node = graph.node(id);
    NodeFacts facts;
    facts.op = fromUtf8(node.qualifiedOp());
    facts.name = fromUtf8(node.name);
    QStringList search{facts.name, facts.op};
    for (const auto *list : {&node.inputs, &node.outputs, &node.captures})
        for (const TensorId tensor : *list)
            if (tensor.valid())
                search << fromUtf8(graph.tensor(tensor).name);
    facts.searchText = search.join('\n').toLower();
    for (const TensorId output : node.outputs)
        if (output.valid()) {
            facts.shape = formatShape(graph.tensor(output));
            break;
        }
    for (const TensorId input : node.inputs)
        if (input.valid() && graph.tensor(input).constant &&
            isFloatingPoint(graph.tensor(input).constant->type()))
            facts.parameters += std::uint64_t(graph.tensor(input).constant->elements());

    const auto description = describe(graph, id, opsets);
    if (!description) {
        facts.opaque = fromUtf8(description.error().text());
        return facts;
    }
    facts.opaque = fromUtf8(description->opaque);
    if (!findOperator(node.domain, node.op, opsets(node.domain)))
        facts.opaque += QCoreApplication::translate(
            "GraphFacts", ": passes do not change it, and export writes it unchanged");
    const auto constant = constantInputs(graph, node);
    facts.operatorClass = classOf(*description, constant);
    facts.mapping = mappingType(*description, constant);
    facts.channels = channelsOf(*description, constant);
    facts.macs = macsOf(*description);
    facts.flops = flopsOf(*description);
    const Traffic traffic = trafficOf(graph, node, *description, opsets);
    facts.read = traffic.read;
    facts.written = traffic.written;
    return facts;
}

/// Adds the graphs nested in a node with their facts. Returns false if stopped.
bool addNested(GraphFacts &facts, const Node &node, NodeId id, const Opsets &opsets,
               std::stop_token stop)
{
    GraphStep step{id, 0};
    std::size_t captures = 0;
    for (const Attribute &attribute : node.attributes) {
        const auto graphs = graphsOf(attribute.value);
        for (std::size_t i = 0; i < graphs.size(); ++i, ++step.index) {
            QString name = fromUtf8(attribute.name);
            if (graphs.size() > 1)
                name += QStringLiteral("[%1]").arg(i);
            auto own = graphFactsOf(*graphs[i], opsets, stop);
            if (!own)
                return false;
            facts.nested.push_back({step, name, graphs[i], std::move(own), captures});
            captures += graphs[i]->captured().size();
        }
    }
    return true;
}

} // namespace

std::span<const NestedGraph> GraphFacts::nestedIn(NodeId id) const
{
    const auto [first, last] = std::equal_range(
        nested.begin(), nested.end(), NestedGraph{{id}, {}, {}, {}},
        [](const NestedGraph &a, const NestedGraph &b) { return a.step.node < b.step.node; });
    return {first, last};
}

const NestedGraph *GraphFacts::nestedAt(const GraphStep &step) const
{
    const auto graphs = nestedIn(step.node);
    return step.index < graphs.size() ? &graphs[step.index] : nullptr;
}

std::shared_ptr<const GraphFacts> graphFactsOf(const Graph &graph, const Opsets &opsets,
                                               std::stop_token stop)
{
    auto facts = std::make_shared<GraphFacts>();
    facts->graphHash = graph.hash();
    facts->nodes.resize(graph.nodeBound());
    for (const NodeId id : graph.order()) {
        if (stop.stop_requested())
            return nullptr;
        NodeFacts &node = facts->nodes[id.index];
        node = describeNode(graph, id, opsets);
        if (const auto macs = node.macs.constant())
            facts->macs += double(*macs);
        else
            ++facts->symbolic;
        facts->opaque += node.opaque.isEmpty() ? 0 : 1;
        ++facts->classes[node.operatorClass];
        if (!addNested(*facts, graph.node(id), id, opsets, stop))
            return nullptr;
    }
    std::sort(facts->nested.begin(), facts->nested.end(),
              [](const NestedGraph &a, const NestedGraph &b) { return a.step < b.step; });
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant)
            continue;
        const TensorData &data = *graph.tensor(id).constant;
        if (isFloatingPoint(data.type())) {
            facts->parameters += std::uint64_t(data.elements());
            facts->parameterBytes += data.storedBytes();
        }
    }
    return facts;
}

std::shared_ptr<const GraphFacts> factsOfNodes(const Graph &graph, const Opsets &opsets,
                                               std::span<const NodeId> nodes)
{
    auto facts = std::make_shared<GraphFacts>();
    facts->graphHash = graph.hash();
    facts->nodes.resize(graph.nodeBound());
    for (const NodeId id : nodes)
        facts->nodes[id.index] = describeNode(graph, id, opsets);
    return facts;
}

QString nestedSummary(std::span<const NestedGraph> graphs)
{
    QStringList parts;
    for (const NestedGraph &nested : graphs)
        parts << QStringLiteral("%1: %2").arg(nested.name, formatNodes(nested.graph->nodeCount()));
    return parts.join(QStringLiteral(", "));
}

QString titleOfBlock(const FusionBlock &block)
{
    return fromUtf8(block.pattern.empty() ? nameOf(block.mapping)
                                          : std::string_view(block.pattern));
}

QString operatorSummary(const Graph &graph, const std::vector<NodeId> &nodes)
{
    std::map<std::string, std::size_t> counts;
    for (const NodeId id : nodes)
        ++counts[graph.node(id).qualifiedOp()];
    std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
    QStringList parts;
    for (const auto &[op, count] : sorted)
        parts << (count > 1 ? QStringLiteral("%1 ×%2").arg(fromUtf8(op)).arg(count) : fromUtf8(op));
    return parts.join(QStringLiteral(", "));
}

} // namespace graphloom
