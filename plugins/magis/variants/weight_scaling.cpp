// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/weight_scaling.h"

#include "engine/base/steps.h"
#include "engine/ops/gradient/gradient.h"
#include "plugins/magis/rules/graph_change.h"

#include <algorithm>
#include <numeric>

namespace graphloom::magis {

namespace {

/// Holds a convolution, the normalization after it, and the nodes of both gradients; invalid if
/// there are none.
struct Unit {
    NodeId convolution, normalization;
    NodeId ofInput, ofScale, ofBias; // gradients of the normalization
    /// Gradients of the convolution: of its input, its weights and its bias.
    NodeId ofData, ofWeights, ofOffset;
    TensorId gradient; // of the normalization's result

    bool isTrained() const { return ofInput.valid(); }
    std::vector<NodeId> replaced() const
    {
        std::vector<NodeId> nodes;
        for (const NodeId id :
             {convolution, normalization, ofInput, ofScale, ofData, ofWeights, ofOffset})
            if (id.valid())
                nodes.push_back(id);
        return nodes;
    }
};

bool isFloats(const Graph &graph, TensorId tensor)
{
    return tensor.valid() && graph.tensor(tensor).type == DataType::Float;
}

class Finder {
public:
    Finder(const Graph &graph, std::span<const TensorId> variables)
        : m_graph(graph), m_variables(variables)
    {
    }

    std::optional<Unit> unitAt(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        if (node.op != "BatchNormalization" || !node.domain.empty() || node.inputs.size() != 5 ||
            node.outputs.size() != 1 || node.attributes.integer("training_mode", 0) != 0 ||
            !std::ranges::all_of(node.inputs, [&](TensorId i) { return isFloats(m_graph, i); }) ||
            !isStored(node.inputs[3]) || !isStored(node.inputs[4]))
            return std::nullopt;
        Unit unit;
        unit.normalization = id;
        unit.convolution = m_graph.producer(node.inputs[0]);
        if (!unit.convolution.valid() || m_graph.isOutput(node.inputs[0]))
            return std::nullopt;
        const Node &convolution = m_graph.node(unit.convolution);
        if (convolution.op != "Conv" || !convolution.domain.empty() ||
            !isFloats(m_graph, convolution.inputs[1]) ||
            !m_graph.tensor(convolution.inputs[1]).shape || !findBetween(unit, node.inputs[0]) ||
            !findGradients(unit, node, convolution))
            return std::nullopt;
        return unit;
    }

private:
    /// Tells whether a tensor is the same in every training step.
    bool isStored(TensorId tensor) const
    {
        return m_graph.tensor(tensor).constant &&
               std::ranges::find(m_variables, tensor) == m_variables.end();
    }

    /// Tells whether only the normalization and its scale's gradient read the convolution's result.
    bool findBetween(Unit &unit, TensorId between) const
    {
        for (const Use &use : m_graph.uses(between)) {
            if (use.node == unit.normalization)
                continue;
            if (unit.ofScale.valid() || use.slot != 0 ||
                !isGradientOf(m_graph.node(use.node), "BatchNormalization", 1))
                return false;
            unit.ofScale = use.node;
        }
        return m_graph.uses(between).size() == (unit.ofScale.valid() ? 2u : 1u);
    }

    bool findGradients(Unit &unit, const Node &normalization, const Node &convolution) const
    {
        for (const Use &use : m_graph.uses(normalization.inputs[1])) {
            const Node &reader = m_graph.node(use.node);
            if (use.slot != 1 || !isGradientOf(reader, "BatchNormalization", 0) ||
                reader.inputs[4] != normalization.inputs[4])
                continue;
            if (unit.ofInput.valid())
                return false;
            unit.ofInput = use.node;
        }
        if (!unit.isTrained())
            return !unit.ofScale.valid();
        unit.gradient = m_graph.node(unit.ofInput).inputs.back();
        const TensorId between = m_graph.node(unit.ofInput).outputs[0];
        if (m_graph.isOutput(between))
            return false;
        for (const Use &use : m_graph.uses(between)) {
            const Node &reader = m_graph.node(use.node);
            NodeId *place =
                isGradientOf(reader, "Conv", 0) && reader.inputs[1] == convolution.inputs[1]
                    ? &unit.ofData
                : isGradientOf(reader, "Conv", 1) && reader.inputs[0] == convolution.inputs[0]
                    ? &unit.ofWeights
                : isGradientOf(reader, "Conv", 2) ? &unit.ofOffset
                                                  : nullptr;
            if (!place || place->valid() || reader.inputs.back() != between)
                return false;
            *place = use.node;
        }
        if (unit.ofScale.valid() &&
            (!unit.ofWeights.valid() || m_graph.node(unit.ofScale).inputs.back() != unit.gradient))
            return false;
        for (const Use &use : m_graph.uses(unit.gradient))
            if (isGradientOf(m_graph.node(use.node), "BatchNormalization", 2) &&
                m_graph.node(use.node).inputs.back() == unit.gradient)
                unit.ofBias = use.node;
        return unit.ofBias.valid() || (!unit.ofScale.valid() && !unit.ofOffset.valid());
    }

    const Graph &m_graph;
    const std::span<const TensorId> m_variables;
};

/// Rewrites one unit.
class Writer {
public:
    Writer(const Graph &graph, const Opsets &opsets, std::span<const TensorId> variables,
           const Unit &unit)
        : m_graph(graph), m_opsets(opsets), m_unit(unit), m_change(graph, opsets, variables)
    {
    }

    Result<Graph> run()
    {
        const Node norm = m_graph.node(m_unit.normalization);
        Node conv = m_graph.node(m_unit.convolution);
        const TensorId weights = conv.inputs[1],
                       offset = conv.inputs.size() > 2 ? conv.inputs[2] : TensorId();
        const int rank = int(m_graph.tensor(weights).shape->size());
        m_change.remove(m_unit.replaced());

        const float epsilon = norm.attributes.real("epsilon", 1e-5f);
        const TensorId least =
            m_change.constant(TensorData::fromValues<float>(DataType::Float, {}, {&epsilon, 1}));
        const TensorId root = call("Sqrt", {call("Add", {norm.inputs[4], least})});
        const TensorId factor = call("Div", {norm.inputs[1], root});
        std::vector<std::int64_t> inner(std::size_t(rank) - 1);
        std::iota(inner.begin(), inner.end(), 1);
        const TensorId column = overAxes("Unsqueeze", factor, inner);
        // b - mean
        const TensorId moved =
            offset.valid() ? call("Sub", {offset, norm.inputs[3]}) : call("Neg", {norm.inputs[3]});
        const TensorId scaled = call("Mul", {weights, column});
        conv.inputs = {conv.inputs[0], scaled,
                       call("Add", {norm.inputs[2], call("Mul", {factor, moved})})};
        m_change.call(conv, norm.outputs[0]);
        if (m_unit.isTrained())
            addGradients(weights, scaled, factor, column, root, moved, inner);
        return std::move(m_change).finish();
    }

private:
    void addGradients(TensorId weights, TensorId scaled, TensorId factor, TensorId column,
                      TensorId root, TensorId moved, const std::vector<std::int64_t> &inner)
    {
        const auto summed =
            m_unit.ofBias.valid() ? m_graph.node(m_unit.ofBias).outputs[0] : TensorId();
        if (m_unit.ofData.valid()) {
            Node node = m_graph.node(m_unit.ofData);
            node.inputs[1] = scaled;
            node.inputs.back() = m_unit.gradient;
            m_change.call(node, node.outputs[0]);
        }
        if (m_unit.ofOffset.valid())
            call("Mul", {summed, factor}, m_graph.node(m_unit.ofOffset).outputs[0]);
        if (!m_unit.ofWeights.valid())
            return;
        Node node = m_graph.node(m_unit.ofWeights);
        const TensorId result = node.outputs[0];
        node.inputs.back() = m_unit.gradient;
        const TensorId raw = m_change.call(std::move(node));
        call("Mul", {raw, column}, result);
        if (m_unit.ofScale.valid())
            call("Div",
                 {call("Add", {overAxes("ReduceSum", call("Mul", {raw, weights}), inner),
                               call("Mul", {summed, moved})}),
                  root},
                 m_graph.node(m_unit.ofScale).outputs[0]);
    }

    TensorId call(std::string op, std::vector<TensorId> inputs, TensorId result = {},
                  Attributes attributes = {})
    {
        Node node;
        node.op = std::move(op);
        node.inputs = std::move(inputs);
        node.attributes = std::move(attributes);
        return m_change.call(std::move(node), result);
    }

    /// Adds an Unsqueeze or ReduceSum, whose axes were attributes before operator set 13.
    TensorId overAxes(std::string op, TensorId input, const std::vector<std::int64_t> &axes)
    {
        Attributes attributes;
        if (op == "ReduceSum")
            attributes = attributes.with("keepdims", std::int64_t{0});
        if (m_opsets("") < 13)
            return call(std::move(op), {input}, {}, attributes.with("axes", axes));
        return call(std::move(op), {input, m_change.constant(TensorData::fromInt64s(axes))}, {},
                    attributes);
    }

    const Graph &m_graph;
    const Opsets &m_opsets;
    const Unit &m_unit;
    GraphChange m_change;
};

} // namespace

Result<WeightScaled> withScalesInWeights(const Graph &graph, const Opsets &opsets,
                                         std::span<const TensorId> variables,
                                         const std::stop_token &stop)
{
    WeightScaled result{graph, {}};
    // Uniform statistics stand in for stripped ones, which are filled in later: until then, nothing
    // may be computed from them.
    std::vector<TensorId> changing(variables.begin(), variables.end());
    for (std::uint32_t t = 0; t < graph.tensorBound(); ++t)
        if (const TensorId id{t}; graph.contains(id) && graph.tensor(id).constant &&
                                  graph.tensor(id).constant->isSplat() &&
                                  graph.tensor(id).constant->elements() > 1)
            changing.push_back(id);
    for (const NodeId id : graph.order()) {
        if (stop.stop_requested())
            return stoppedError();
        if (!result.graph.contains(id)) // removed with a normalization
            continue;
        const auto unit = Finder(result.graph, variables).unitAt(id);
        if (!unit)
            continue;
        GL_TRY_RESULT(changed, Writer(result.graph, opsets, changing, *unit).run());
        result.graph = *std::move(changed);
        result.normalizations.push_back(graph.node(id).name);
    }
    return result;
}

} // namespace graphloom::magis
