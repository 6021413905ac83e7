// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/terms.h"

#include "engine/ops/algebra/algebra.h"
#include "engine/ops/derive/analysis.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

bool equalCalls(const Node &a, const Node &b)
{
    return a.op == b.op && a.domain == b.domain && a.inputs == b.inputs &&
           a.attributes.hash() == b.attributes.hash() && a.outputs.size() == b.outputs.size() &&
           a.captures.empty() && b.captures.empty();
}

} // namespace

Call Terms::call(const Node &node) const
{
    std::vector<const Tensor *> inputs;
    for (const TensorId input : node.inputs)
        inputs.push_back(input.valid() ? &tensor(input) : nullptr);
    return Call(node, std::move(inputs), opsets()(node.domain));
}

bool Terms::same(TensorId a, TensorId b) const
{
    if (a == b || !a.valid() || !b.valid())
        return a == b;
    const auto &left = tensor(a).constant, &right = tensor(b).constant;
    if (!left || !right || (left->elements() != 1 && !isIntegral(left->type())))
        return false;
    return left->hash() == right->hash() && *left == *right;
}

void GraphTerms::setGraph(Graph graph, std::span<const NodeId> changed)
{
    m_graph = std::move(graph);
    for (const NodeId id : changed)
        m_facts.erase(id);
}

void GraphTerms::forgetFacts()
{
    m_facts.clear();
    m_ranges.clear();
}

std::size_t GraphTerms::uses(TensorId value) const
{
    return m_graph.uses(value).size() + (m_graph.isOutput(value) ? 1 : 0);
}

NodeId GraphTerms::find(const Node &call) const
{
    const auto first =
        std::ranges::find_if(call.inputs, [](TensorId input) { return input.valid(); });
    if (first == call.inputs.end() || first->index >= m_graph.tensorBound())
        return {};
    for (const Use &use : m_graph.uses(*first))
        if (equalCalls(m_graph.node(use.node), call))
            return use.node;
    return {};
}

Range GraphTerms::range(TensorId value, int depth) const
{
    if (const auto known = m_ranges.find(value); known != m_ranges.end())
        return known->second;
    if (m_before && m_before->m_graph.contains(value))
        return m_before->range(value, depth);
    // Facts far upstream rarely matter, and each step is a recursive call.
    constexpr int deepest = 32;
    const Tensor &tensor = m_graph.tensor(value);
    Range range = rangeOf(tensor.type);
    if (depth > deepest)
        return range;
    if (tensor.constant) {
        range = rangeOf(*tensor.constant);
    } else if (const NodeId id = m_graph.producer(value); id.valid()) {
        const Node &node = m_graph.node(id);
        if (const auto description = describe(call(node))) {
            std::vector<Range> inputs;
            for (const TensorId input : node.inputs)
                inputs.push_back(input.valid() ? this->range(input, depth + 1) : Range());
            const auto output = std::ranges::find(node.outputs, value) - node.outputs.begin();
            range = rangeOf(*description, int(output), inputs);
        }
    }
    m_ranges[value] = range;
    return range;
}

const CallFacts &GraphTerms::facts(NodeId id) const
{
    if (m_before && m_before->m_graph.contains(id))
        return m_before->facts(id);
    const auto known = m_facts.find(id);
    if (known != m_facts.end())
        return known->second;
    return m_facts.emplace(id, described(call(m_graph.node(id))).facts).first->second;
}

Cost costOf(const GraphTerms &terms)
{
    Cost sum;
    for (const NodeId id : terms.graph().order())
        sum += terms.facts(id).cost;
    return sum;
}

Range rangeOf(const TensorData &data)
{
    // Longer constants are weights. If all of them have the same sign, that is a coincidence, or
    // they are placeholders of a model without weights: no rule should rely on it.
    constexpr std::int64_t longest = 1024;
    if (data.type() == DataType::String || data.elements() > longest)
        return rangeOf(data.type());
    const std::int64_t count =
        data.isSplat() ? std::min<std::int64_t>(1, data.elements()) : data.elements();
    if (count == 0)
        return rangeOf(data.type());
    Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (std::int64_t i = 0; i < count; ++i)
        if (const double value = data.real(i); !std::isnan(value))
            range = hull(range, Range::exactly(value));
    return range.least <= range.most ? range : rangeOf(data.type());
}

std::optional<double> numberOf(const Tensor &tensor)
{
    if (!tensor.constant || tensor.constant->elements() != 1 || tensor.type == DataType::String)
        return std::nullopt;
    return tensor.constant->real(0);
}

} // namespace graphloom
