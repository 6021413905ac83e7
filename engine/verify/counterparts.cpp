// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/counterparts.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace graphloom {

namespace {

/// Tells whether two tensors may have the same value: types and shapes agree as far as they are
/// known.
bool mayBeSame(const Tensor &a, const Tensor &b)
{
    if (a.type != b.type || a.otherType != b.otherType)
        return false;
    if (!a.shape || !b.shape)
        return true;
    return a.shape->size() == b.shape->size() &&
           std::ranges::equal(*a.shape, *b.shape, [](const Dim &x, const Dim &y) {
               return !x.isConstant() || !y.isConstant() || x == y;
           });
}

class Counterparts {
public:
    Counterparts(const Graph &original, const Graph &plan)
        : m_original(original), m_plan(plan), m_found(plan.tensorBound())
    {
        for (std::uint32_t t = 0; t < original.tensorBound(); ++t)
            if (const TensorId id{t}; original.contains(id) && !original.tensor(id).constant &&
                                      !original.tensor(id).name.empty())
                m_byName.emplace(original.tensor(id).name, id);
    }

    std::vector<TensorId> find(const std::stop_token &stop)
    {
        for (const TensorId input : m_plan.inputs())
            if (const TensorId same = named(input); same.valid() && m_original.isInput(same))
                m_found[input.index] = same;
        const std::size_t outputs = std::min(m_plan.outputs().size(), m_original.outputs().size());
        for (std::size_t k = 0; k < outputs; ++k)
            if (isComputed(m_original, m_original.outputs()[k]) &&
                isComputed(m_plan, m_plan.outputs()[k]))
                m_found[m_plan.outputs()[k].index] = m_original.outputs()[k];
        for (const NodeId id : m_plan.order()) {
            if (stop.stop_requested())
                break;
            findFor(m_plan.node(id));
        }
        for (const TensorId input : m_plan.inputs()) // only nodes write tensors that are compared
            m_found[input.index] = {};
        return std::move(m_found);
    }

private:
    static bool isComputed(const Graph &graph, TensorId id) { return graph.producer(id).valid(); }

    /// Returns the tensor of the original with the same name, if it may be the same.
    TensorId named(TensorId id) const
    {
        const Tensor &tensor = m_plan.tensor(id);
        const auto found = m_byName.find(tensor.name);
        return found != m_byName.end() && mayBeSame(tensor, m_original.tensor(found->second))
                   ? found->second
                   : TensorId();
    }

    void findFor(const Node &node)
    {
        const Node *copied = nullptr;
        if (node.origins.size() == 1 && m_original.contains(node.origins.front()))
            copied = &m_original.node(node.origins.front());
        std::optional<bool> isCopy; // asked only for a new name: it may compare large constants
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
            const TensorId output = node.outputs[k];
            if (!output.valid() || m_found[output.index].valid())
                continue;
            const TensorId same = named(output);
            if (same.valid() && isComputed(m_original, same))
                m_found[output.index] = same;
            else if (copied && k < copied->outputs.size() && copied->outputs[k].valid() &&
                     mayBeSame(m_plan.tensor(output), m_original.tensor(copied->outputs[k]))) {
                if (!isCopy)
                    isCopy = isSameCall(*copied, node);
                if (*isCopy)
                    m_found[output.index] = copied->outputs[k];
            }
        }
    }

    bool isSameCall(const Node &original, const Node &node) const
    {
        return original.op == node.op && original.domain == node.domain &&
               original.attributes.hash() == node.attributes.hash() &&
               sameReads(original.inputs, node.inputs) &&
               sameReads(original.captures, node.captures);
    }
    bool sameReads(const std::vector<TensorId> &original, const std::vector<TensorId> &ours) const
    {
        return std::ranges::equal(original, ours, [this](TensorId a, TensorId b) {
            if (!a.valid() || !b.valid())
                return a.valid() == b.valid();
            const auto &x = m_original.tensor(a).constant, &y = m_plan.tensor(b).constant;
            return x && y ? *x == *y : !x && !y && m_found[b.index] == a;
        });
    }

    const Graph &m_original, &m_plan;
    std::unordered_map<std::string_view, TensorId> m_byName; // of the original
    std::vector<TensorId> m_found;
};

} // namespace

std::vector<TensorId> counterpartsOf(const Graph &original, const Graph &plan,
                                     const std::stop_token &stop)
{
    return Counterparts(original, plan).find(stop);
}

} // namespace graphloom
