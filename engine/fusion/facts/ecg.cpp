// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/ecg.h"

#include "engine/base/steps.h"
#include "engine/cost/call_work.h"
#include "engine/ir/opsets.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

double estimated(const Dim &dim)
{
    const auto value = dim.evaluate([](const std::string &) { return Ecg::symbolicExtent; });
    return value && *value > 0 ? double(*value) : 0;
}

double elementBytes(const Tensor &tensor)
{
    return std::max(1, bitsOf(tensor.type)) / 8.0;
}

/// Returns the bytes of a tensor, of one element if its rank is unknown.
double bytesOf(const Tensor &tensor)
{
    double elements = 1;
    if (tensor.shape)
        for (const Dim &extent : *tensor.shape)
            elements *= estimated(extent);
    return elements * elementBytes(tensor);
}

/// Counts the stages that load the input.
int stagesThatLoad(const Description &description, int input)
{
    return int(std::ranges::count_if(description.stages, [&](const Stage &stage) {
        return std::ranges::any_of(loadedReads(stage), [&](int r) {
            return stage.reads[std::size_t(r)].operand == Operand{Operand::Kind::Input, input};
        });
    }));
}

std::optional<MappingType> mappingOf(const Description &description, int input)
{
    std::optional<MappingType> type;
    for (int output = 0; output < description.outputs; ++output)
        if (const auto pair = mappingType(description, input, output))
            type = std::max(type.value_or(*pair), *pair);
    return type;
}

/// Tells whether exactly one stage of the call loads the input, and only copies it.
bool isCopied(const Description &description, int input)
{
    if (stagesThatLoad(description, input) != 1)
        return false;
    return std::ranges::any_of(description.stages, [&](const Stage &stage) {
        return stage.combine == Combine::None && stage.body->fn == Fn::Load &&
               stage.finish.empty() &&
               stage.reads[std::size_t(stage.body->index)].operand ==
                   Operand{Operand::Kind::Input, input};
    });
}

EcgNode factsOf(const Graph &graph, NodeId id, const Call &call, Description description)
{
    EcgNode facts;
    const Node &node = graph.node(id);
    const auto inputs = std::uint32_t(node.inputs.size());
    std::vector<bool> constants;
    for (const TensorId tensor : node.inputs)
        constants.push_back(tensor.valid() && graph.tensor(tensor).constant);
    facts.mapping = mappingType(description, constants);
    facts.operatorClass = classOf(description, constants);
    facts.flops = estimated(flopsOf(description));
    facts.work = CallWork::whole(description, call, double(Ecg::symbolicExtent)).work();
    facts.work.bytes = 0;
    const std::vector<Dim> elements = elementsRead(description, call);
    if (!description.isOpaque())
        facts.dimensions = dimensionEdges(description);
    facts.computeIntensive = std::ranges::any_of(description.stages, sumsProducts) ||
                             !(description.opaqueMacs == Dim(0));
    int copied = 0;
    forEachRead(node, [&](TensorId tensor, std::uint32_t slot) {
        EcgRead read;
        read.tensor = tensor;
        read.producer = graph.producer(tensor);
        read.slot = slot;
        read.constant = bool(graph.tensor(tensor).constant);
        read.bytes = bytesOf(graph.tensor(tensor));
        if (slot < inputs) {
            read.bytes = estimated(elements[slot]) * elementBytes(graph.tensor(tensor));
            read.mapping = mappingOf(description, int(slot));
            const int stages = stagesThatLoad(description, int(slot));
            read.once = read.mapping == MappingType::ManyToMany && stages == 1 &&
                        reuseAxes(description, int(slot)).empty();
            facts.computeIntensive = facts.computeIntensive || stages > 1;
            read.placeable = description.outputs == 1 && read.mapping == MappingType::OneToOne &&
                             isCopied(description, int(slot));
            copied += read.placeable;
        }
        facts.reads.push_back(read);
    });
    if (copied < 2) // a single operand contains the result, not the reverse
        for (EcgRead &read : facts.reads)
            read.placeable = false;
    facts.description = std::make_shared<const Description>(std::move(description));
    return facts;
}

} // namespace

Result<Ecg> Ecg::of(const Graph &graph, const Opsets &opsets, const std::stop_token &stop)
{
    Ecg ecg(graph);
    for (const NodeId id : graph.order()) {
        if (stop.stop_requested())
            return stoppedError();
        const Node &node = graph.node(id);
        const Call call(node, operandsOf(graph, node), opsets(node.domain));
        GL_TRY_RESULT(description, describe(call));
        ecg.m_nodes[id.index] = factsOf(graph, id, call, *std::move(description));
    }
    return ecg;
}

std::optional<std::int64_t> Ecg::bytes(TensorId id) const
{
    const Tensor &tensor = m_graph->tensor(id);
    const auto elements = tensor.shape ? staticElements(*tensor.shape) : std::nullopt;
    if (!elements)
        return std::nullopt;
    return std::int64_t(bytesOf(tensor.type, std::uint64_t(*elements)));
}

double Ecg::estimatedBytes(TensorId id) const
{
    return bytesOf(m_graph->tensor(id));
}

double Ecg::resultBytes(NodeId id) const
{
    double bytes = 0;
    for (const TensorId output : m_graph->node(id).outputs)
        if (output.valid())
            bytes += estimatedBytes(output);
    return bytes;
}

} // namespace graphloom
