// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/upgrade/upgrade.h"

#include "engine/ops/upgrade/upgrade_steps.h"

#include <algorithm>
#include <optional>

namespace graphloom {

void Upgrade::setInput(std::size_t i, TensorId id)
{
    if (node.inputs.size() <= i)
        node.inputs.resize(i + 1);
    node.inputs[i] = id;
}

void Upgrade::dropOutput(std::size_t i)
{
    if (!hasOutput(i))
        return;
    m_editor.removeTensor(node.outputs[i]);
    node.outputs[i] = {};
    while (!node.outputs.empty() && !node.outputs.back().valid())
        node.outputs.pop_back();
}

std::string Upgrade::nameFor(std::string_view role) const
{
    for (const TensorId output : node.outputs)
        if (output.valid())
            return tensor(output).name + "__" + std::string(role);
    return node.name + "__" + std::string(role);
}

TensorId Upgrade::fresh(std::string_view role)
{
    Tensor tensor;
    tensor.name = nameFor(role);
    return m_editor.addTensor(std::move(tensor));
}

TensorId Upgrade::constant(std::string_view role, TensorData data)
{
    return m_editor.addTensor(Tensor::of(nameFor(role), std::move(data)));
}

TensorId Upgrade::realLike(std::string_view role, double value, TensorId like)
{
    const DataType known = tensor(like).type;
    const DataType type = isFloatingPoint(known) ? known : DataType::Float;
    std::vector<std::byte> bytes(std::size_t(bitsOf(type)) / 8);
    encodeReal(type, value, bytes.data());
    const TensorId id = constant(role, TensorData::fromBytes(type, {}, std::move(bytes)));
    return type == known ? id : compute("CastLike", {id, like}, std::string(role) + "_cast");
}

TensorId Upgrade::compute(std::string op, std::vector<TensorId> inputs, std::string_view role,
                          Attributes attributes)
{
    Node added;
    added.op = std::move(op);
    added.name = (node.name.empty() ? nameFor("") : node.name + "__") + std::string(role);
    added.inputs = std::move(inputs);
    added.outputs = {fresh(role)};
    added.attributes = std::move(attributes);
    added.metadata = node.metadata;
    before.push_back(std::move(added));
    return before.back().outputs[0];
}

void Upgrade::attributeToInput(std::string_view name, std::size_t input)
{
    if (!node.attributes.contains(name))
        return;
    setInput(input, constant(name, TensorData::fromInt64s(node.attributes.integers(name))));
    node.attributes = node.attributes.without(name);
}

tl::unexpected<Error> Upgrade::refuse(std::string reason) const
{
    return fail(Error::Kind::Model, std::move(reason), node.label());
}

namespace {

/// Returns the next step for an operator after a version, or null.
const UpgradeStep *nextStep(std::string_view op, std::int64_t after, std::int64_t to)
{
    const UpgradeStep *next = nullptr;
    for (const auto steps : {firstSteps(), inputSteps(), broadcastSteps(), normalizationSteps(),
                             resizeSteps(), scanSteps()})
        for (const UpgradeStep &step : steps)
            if (step.op == op && step.version > after && step.version <= to &&
                (!next || step.version < next->version))
                next = &step;
    return next;
}

std::vector<Node> resultOf(Upgrade upgrade)
{
    std::vector<Node> nodes = std::move(upgrade.before);
    nodes.push_back(std::move(upgrade.node));
    std::ranges::move(upgrade.after, std::back_inserter(nodes));
    return nodes;
}

bool isUnfinished(const Node &node)
{
    if (!node.domain.empty())
        return false;
    const Attributes &attributes = node.attributes;
    return attributes.contains(flattenAxis) ||
           (node.op == "Clip" && (attributes.contains("min") || attributes.contains("max"))) ||
           (node.op == "Pad" && attributes.contains("value"));
}

/// Finishes the graphs in a node's attributes; returns nothing if there was nothing to do.
Result<std::optional<Attributes>> finishNested(const Node &node)
{
    std::optional<Attributes> changed;
    const auto finished = [&](GraphPointer &graph) -> Result<bool> {
        GL_TRY_RESULT(result, finishUpgrade(*graph));
        if (result->hash() == graph->hash())
            return false;
        graph = std::make_shared<const Graph>(std::move(*result));
        return true;
    };
    for (const Attribute &attribute : node.attributes) {
        AttributeValue value = attribute.value;
        bool differs = false;
        for (GraphPointer &graph : graphsOf(value)) {
            GL_TRY_CONST(result, finished(graph));
            differs = differs || *result;
        }
        if (differs)
            changed = (changed ? *changed : node.attributes).with(attribute.name, std::move(value));
    }
    return changed;
}

} // namespace

Result<std::vector<Node>> upgradeNode(GraphEditor &editor, Node node, std::int64_t from,
                                      std::int64_t to, const std::function<bool(TensorId)> &isRead)
{
    Upgrade upgrade(editor, std::move(node), isRead);
    if (from < 6) // version 6 removed this hint from all operators
        upgrade.node.attributes = upgrade.node.attributes.without("consumed_inputs");
    while (const UpgradeStep *step = nextStep(upgrade.node.op, from, to)) {
        GL_TRY(step->apply(upgrade));
        from = step->version;
    }
    return resultOf(std::move(upgrade));
}

bool hasOlderForms(std::string_view op, std::int64_t version)
{
    return nextStep(op, 0, version) != nullptr;
}

Result<Graph> finishUpgrade(const Graph &graph)
{
    GraphEditor editor(graph);
    const std::function<bool(TensorId)> everything = [](TensorId) { return true; };
    std::vector<NodeId> order;
    bool changed = false;
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        GL_TRY_RESULT(nested, finishNested(node));
        if (!isUnfinished(node) && !*nested) {
            order.push_back(id);
            continue;
        }
        changed = true;
        Upgrade upgrade(editor, node, everything);
        if (*nested)
            upgrade.node.attributes = std::move(**nested);
        GL_TRY(realAttributesToInputs(upgrade, true));
        GL_TRY(unflatten(upgrade));
        // The replacement takes over the node's position in the order and its outputs.
        editor.removeNode(id);
        for (Node &replacement : resultOf(std::move(upgrade)))
            order.push_back(editor.addNode(std::move(replacement)));
    }
    if (!changed)
        return graph;
    editor.setOrder(std::move(order));
    return std::move(editor).finish();
}

} // namespace graphloom
