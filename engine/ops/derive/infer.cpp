// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/infer.h"

#include "engine/base/steps.h"
#include "engine/ops/derive/symbolic.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <unordered_map>

namespace graphloom {

Opsets opsetsOf(const Model &model)
{
    return [imports = model.opsets](std::string_view domain) -> std::int64_t {
        for (const OpsetImport &import : imports)
            if (import.domain == domain)
                return import.version;
        return 0;
    };
}

namespace {

/// Assigns symbols to extents that are known only at run time, and to those whose expressions have
/// become too long to read and to compute with. Each expression has one symbol, so equal extents
/// stay equal. Symbols are named after the tensor that first had them.
class Symbols {
public:
    Shape shorten(Shape shape, const Tensor &declared)
    {
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const bool stated = declared.shape && declared.shape->size() == shape.size();
            const std::string name = declared.name + ".dim" + std::to_string(d);
            if (build::isUnknown(shape[d]))
                shape[d] = stated ? (*declared.shape)[d] : Dim::symbol(name);
            else
                shape[d] = shorten(shape[d], name);
        }
        return shape;
    }

    /// Returns the known elements of a tensor, or nothing if a long one might be negative, because
    /// symbols never are.
    std::optional<std::vector<Dim>> shorten(std::vector<Dim> values, const std::string &tensor)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (isLong(values[i]) && values[i].lowerBound().value_or(-1) < 0)
                return std::nullopt;
            values[i] = shorten(values[i], tensor + ".value" + std::to_string(i));
        }
        return values;
    }

private:
    static bool isLong(const Dim &dim)
    {
        constexpr std::size_t longestText = 64;
        return !dim.isConstant() && !dim.isSymbol() && dim.text().size() > longestText;
    }
    Dim shorten(const Dim &dim, const std::string &name)
    {
        if (!isLong(dim))
            return dim;
        return m_known.try_emplace(dim.text(), Dim::symbol(name)).first->second;
    }

    std::unordered_map<std::string, Dim> m_known; // by the expression's text
};

bool contradicts(const Shape &a, const Shape &b)
{
    if (a.size() != b.size())
        return true;
    for (std::size_t d = 0; d < a.size(); ++d)
        if ((a[d] - b[d]).constant().value_or(0) != 0)
            return true;
    return false;
}

/// Loops nested more deeply than this are inferred once, with unknown states: to find the extents
/// that stay the same takes several passes over a body.
constexpr int mostRepeatedLoops = 3;

class Inferrer {
public:
    /// `loops`: how many loops the graph is nested in.
    Inferrer(const Graph &graph, const Opsets &opsets, int loops, const std::stop_token &stop)
        : m_opsets(opsets), m_editor(graph), m_loops(loops), m_stop(stop)
    {
    }

    Result<Inference> run()
    {
        const std::vector<NodeId> order(m_editor.graph().order().begin(),
                                        m_editor.graph().order().end());
        for (const NodeId id : order) {
            if (m_stop.stop_requested())
                return stoppedError();
            GL_TRY(inferNode(id));
        }
        GL_TRY_RESULT(graph, std::move(m_editor).finish());
        return Inference{std::move(*graph), std::move(m_warnings)};
    }

private:
    Result<void> inferNode(NodeId id);
    Result<Graph> bindCaptures(const Graph &nested, std::span<const TensorId> from) const;
    Result<void> inferNested(NodeId id);
    Result<Inference> inferBody(const Graph &nested, const Operator *entry, const Call &call);

    const Opsets &m_opsets;
    GraphEditor m_editor;
    Symbols m_symbols;
    int m_loops;
    const std::stop_token &m_stop;
    std::vector<std::string> m_warnings;
};

/// Returns the graph with the known facts of the tensors `from` that it captures from this graph.
Result<Graph> Inferrer::bindCaptures(const Graph &nested, std::span<const TensorId> from) const
{
    GraphEditor editor(nested);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const TensorId inner = nested.captured()[i];
        Tensor known = m_editor.graph().tensor(from[i]);
        known.name = nested.tensor(inner).name;
        // A captured constant remains a reference to the outer tensor; only its integers are
        // copied.
        if (known.constant)
            if (const auto values = Call(Node(), {&known}, 0).values(0))
                known.values = std::make_shared<const std::vector<Dim>>(*values);
        known.constant = nullptr;
        editor.setTensor(inner, std::move(known));
    }
    return std::move(editor).finish();
}

/// Infers the graphs in a node's attributes.
Result<void> Inferrer::inferNested(NodeId id)
{
    const Graph &graph = m_editor.graph();
    Node node = graph.node(id);
    if (std::ranges::all_of(node.attributes, [](const Attribute &attribute) {
            return graphsOf(attribute.value).empty();
        }))
        return {};
    std::vector<const Tensor *> inputs = operandsOf(graph, node);
    const Operator *entry = findOperator(node.domain, node.op, m_opsets(node.domain));
    const Call call(node, inputs, m_opsets(node.domain));
    std::span<const TensorId> captures = node.captures;
    Attributes attributes = node.attributes;
    for (const Attribute &attribute : node.attributes) {
        AttributeValue value = attribute.value;
        for (GraphPointer &nested : graphsOf(value)) {
            GL_TRY_CONST(bound, bindCaptures(*nested, captures.first(nested->captured().size())));
            captures = captures.subspan(nested->captured().size());
            GL_TRY_RESULT(inferred, inferBody(*bound, entry, call));
            m_warnings.insert(m_warnings.end(), inferred->warnings.begin(),
                              inferred->warnings.end());
            nested = std::make_shared<const Graph>(std::move(inferred->graph));
        }
        if (!graphsOf(value).empty())
            attributes = attributes.with(attribute.name, std::move(value));
    }
    node.attributes = std::move(attributes);
    m_editor.replaceNode(id, std::move(node));
    return {};
}

/// Replaces the extents of states that a pass over the body has changed by new symbols, and forgets
/// the shapes of states whose rank it has changed. Returns false if nothing has changed.
bool generalize(std::vector<Tensor> &bound, const std::vector<CarriedState> &states,
                const Graph &inferred)
{
    bool changed = false;
    for (const auto &[input, output] : states) {
        if (input >= bound.size() || input >= inferred.inputs().size() ||
            output >= inferred.outputs().size() || !bound[input].shape)
            continue;
        Shape &before = *bound[input].shape;
        const auto &after = inferred.tensor(inferred.outputs()[output]).shape;
        if (!after || after->size() != before.size()) {
            bound[input].shape = std::nullopt;
            changed = true;
            continue;
        }
        for (std::size_t d = 0; d < before.size(); ++d) {
            const Dim own = Dim::symbol(inferred.tensor(inferred.inputs()[input]).name + ".dim" +
                                        std::to_string(d));
            if (before[d] == (*after)[d] || before[d] == own)
                continue;
            before[d] = own;
            changed = true;
        }
    }
    return changed;
}

/// Infers a body whose inputs are bound by its node. Facts about a loop's states must hold in all
/// iterations, so passes are repeated until no extent changes any more.
Result<Inference> Inferrer::inferBody(const Graph &nested, const Operator *entry, const Call &call)
{
    constexpr int mostPasses = 3;
    std::vector<Tensor> bound;
    std::vector<CarriedState> states;
    if (entry && entry->bodyInputs)
        bound = entry->bodyInputs(call);
    if (entry && entry->carried)
        states = entry->carried(call);
    for (int pass = 1;; ++pass) {
        if (pass > mostPasses || m_loops >= mostRepeatedLoops)
            for (const CarriedState &state : states)
                if (state.input < bound.size())
                    bound[state.input].shape = std::nullopt;
        GraphEditor editor(nested);
        for (std::size_t i = 0; i < std::min(bound.size(), nested.inputs().size()); ++i) {
            const TensorId id = nested.inputs()[i];
            Tensor known = nested.tensor(id);
            if (bound[i].type != DataType::Undefined)
                known.type = bound[i].type;
            if (!bound[i].otherType.empty())
                known.otherType = bound[i].otherType;
            const bool carried = std::ranges::find(states, i, &CarriedState::input) != states.end();
            // The declared shape of a state may be that of the first iteration only.
            if (bound[i].shape || carried)
                known.shape = bound[i].shape;
            known.values = bound[i].values;
            editor.setTensor(id, std::move(known));
        }
        GL_TRY_RESULT(edited, std::move(editor).finish());
        auto inferred =
            Inferrer(*edited, m_opsets, m_loops + (states.empty() ? 0 : 1), m_stop).run();
        if (!inferred || !generalize(bound, states, inferred->graph))
            return inferred;
    }
}

Result<void> Inferrer::inferNode(NodeId id)
{
    GL_TRY(inferNested(id));
    const Graph &graph = m_editor.graph();
    const Node &node = graph.node(id);
    const Call call(node, operandsOf(graph, node), m_opsets(node.domain));
    GL_TRY_CONST(description, describe(call));
    std::vector<std::pair<TensorId, Tensor>> known;
    for (int k = 0; k < int(node.outputs.size()); ++k) {
        const TensorId output = node.outputs[std::size_t(k)];
        if (!output.valid())
            continue;
        const Value &value = description->values[std::size_t(k)];
        const Tensor &declared = graph.tensor(output);
        Tensor tensor = declared;
        if (value.type != DataType::Undefined)
            tensor.type = value.type;
        if (!value.otherType.empty())
            tensor.otherType = value.otherType;
        if (value.shape) {
            tensor.shape = m_symbols.shorten(*value.shape, declared);
            // The declared shape may contradict the shape that the node produces.
            GL_TRY(checkShape(call, *tensor.shape, k));
            if (declared.shape && contradicts(*declared.shape, *tensor.shape))
                m_warnings.push_back("tensor \"" + declared.name + "\" is declared as " +
                                     text(*declared.shape) + ", but its node produces " +
                                     text(*tensor.shape));
        }
        if (auto values = symbolicValues(*description, call, k))
            if (auto shortened = m_symbols.shorten(std::move(*values), declared.name))
                tensor.values = std::make_shared<const std::vector<Dim>>(std::move(*shortened));
        known.emplace_back(output, std::move(tensor));
    }
    for (auto &[output, tensor] : known)
        m_editor.setTensor(output, std::move(tensor));
    return {};
}

} // namespace

Result<Inference> inferShapes(const Graph &graph, const Opsets &opsets, const std::stop_token &stop)
{
    return Inferrer(graph, opsets, 0, stop).run();
}

} // namespace graphloom
