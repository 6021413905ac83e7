// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/lifting.h"

#include "engine/ops/derive/passing.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

/// Limits the calls to lift over; decomposed activations have about ten.
constexpr std::size_t mostCalls = 64;

} // namespace

Lifting::Lifting(const Terms &terms, const Movement &movement, TensorId value)
    : m_terms(terms), m_movement(movement), m_end(value), m_leaves{{value, 1}}
{
    grow();
}

const Node *Lifting::producer(TensorId value) const
{
    return m_terms.producerCount(value) > 0 ? &m_terms.node(m_terms.producer(value, 0)) : nullptr;
}

const Node *Lifting::elementwise(TensorId value) const
{
    const Node *node = producer(value);
    if (!node || node->outputs.size() != 1 || m_movement.undoes(m_terms, *node))
        return nullptr;
    const Call call = m_terms.call(*node);
    const auto description = m_terms.describe(call);
    return description && isBroadcast(*description, call) ? node : nullptr;
}

/// Includes producers whose results are only read by the calls included so far.
void Lifting::grow()
{
    std::set<TensorId> final; // leaves that remain leaves
    while (m_calls.size() < mostCalls) {
        const auto next = std::ranges::find_if(m_leaves, [&](const auto &leaf) {
            return leaf.second == m_terms.uses(leaf.first) && !final.contains(leaf.first);
        });
        if (next == m_leaves.end())
            return;
        const TensorId value = next->first;
        const Tensor &tensor = m_terms.tensor(value);
        const bool moves = tensor.shape && isStatic(*tensor.shape) && m_movement.canMove(tensor) &&
                           !m_movement.canCarry(tensor);
        const Node *node = moves ? elementwise(value) : nullptr;
        if (!node) {
            final.insert(value);
            continue;
        }
        m_leaves.erase(next);
        m_calls.emplace(value, node);
        for (const TensorId input : node->inputs)
            if (input.valid())
                ++m_leaves[input];
    }
}

std::optional<int> Lifting::gain() const
{
    int gain = 0;
    for (const auto &[value, reads] : m_leaves) {
        const Tensor &tensor = m_terms.tensor(value);
        if (!tensor.shape || !isStatic(*tensor.shape))
            return std::nullopt;
        if (m_movement.canCarry(tensor))
            continue;
        if (!m_movement.canMove(tensor))
            return std::nullopt;
        if (const Node *node = producer(value); node && m_movement.undoes(m_terms, *node))
            gain += reads == m_terms.uses(value) ? 1 : 0;
        else
            gain -= 1;
    }
    return gain;
}

/// Applies the call to other inputs, if it broadcasts them, too: attributes may name a dimension.
TensorId Lifting::again(Builder &builder, const Node &node, std::vector<TensorId> inputs) const
{
    std::vector<const Tensor *> known;
    for (const TensorId input : inputs)
        known.push_back(input.valid() ? &builder.tensor(input) : nullptr);
    const Call call(node, std::move(known), m_terms.opsets()(node.domain));
    const auto description = m_terms.describe(call);
    if (!description || !isBroadcast(*description, call))
        builder.refuse();
    return builder.again(node, std::move(inputs))[0];
}

TensorId Lifting::lifted(Builder &builder) const
{
    std::map<TensorId, TensorId> known;
    return lifted(builder, m_end, known, 0);
}

TensorId Lifting::lifted(Builder &builder, TensorId value, std::map<TensorId, TensorId> &known,
                         std::size_t depth) const
{
    if (const auto found = known.find(value); found != known.end())
        return found->second;
    TensorId result = value;
    if (depth > mostCalls) { // an e-graph may contain cyclic terms
        builder.refuse();
    } else if (const auto through = m_calls.find(value); through != m_calls.end()) {
        std::vector<TensorId> inputs = through->second->inputs;
        for (TensorId &input : inputs)
            if (input.valid())
                input = lifted(builder, input, known, depth + 1);
        result = again(builder, *through->second, std::move(inputs));
    } else if (m_movement.canCarry(m_terms.tensor(value))) {
        result = m_movement.carried(builder, value);
    } else if (const Node *node = producer(value); node && m_movement.undoes(m_terms, *node)) {
        result = node->inputs[0];
    } else {
        result = m_movement.moved(builder, value);
    }
    return known[value] = result;
}

} // namespace graphloom::dnnfusion
