// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/graph_comparison.h"

#include "engine/compare/elements.h"
#include "engine/compare/value_text.h"
#include "engine/plan/node_names.h"

#include <algorithm>
#include <unordered_map>

namespace graphloom {

namespace {

/// Describes how two constants differ in type, extents or elements.
std::vector<std::string> constantChanges(const Tensor &before, const Tensor &now)
{
    std::vector<std::string> changes = tensorChanges(before, now);
    if (changes.empty() && before.constant && now.constant &&
        !sameElements(*before.constant, *now.constant))
        changes.push_back(valueChange(*before.constant, *now.constant));
    return changes;
}

class Comparer {
public:
    Comparer(GraphComparison &result, const AlignmentHints &hints)
        : m_result(result), m_before(result.before), m_now(result.now), m_hints(hints)
    {
    }

    void run()
    {
        compareTensors();
        for (const auto &[before, now] : merged()) {
            NodeDifference difference;
            difference.before = before;
            difference.now = now;
            if (before.valid() && now.valid())
                describe(difference);
            else
                difference.kind = before.valid() ? Difference::Removed : Difference::Added;
            ++m_result.counts[std::size_t(difference.kind)];
            m_result.nodes.push_back(std::move(difference));
        }
        relate();
    }

private:
    /// Merges both orders: each removed node follows the node after which it stood.
    std::vector<std::pair<NodeId, NodeId>> merged() const
    {
        std::vector<std::vector<NodeId>> behind(m_now.nodeBound()); // removed nodes
        std::vector<NodeId> first;
        NodeId last;
        for (const NodeId a : m_before.order()) {
            if (const NodeId b = m_result.alignment.now(a); b.valid())
                last = b;
            else
                (last.valid() ? behind[last.index] : first).push_back(a);
        }
        std::vector<std::pair<NodeId, NodeId>> list;
        for (const NodeId a : first)
            list.emplace_back(a, NodeId());
        for (const NodeId b : m_now.order()) {
            list.emplace_back(m_result.alignment.before(b), b);
            for (const NodeId a : behind[b.index])
                list.emplace_back(a, NodeId());
        }
        return list;
    }

    void describe(NodeDifference &difference) const
    {
        const Node &before = m_before.node(difference.before), &now = m_now.node(difference.now);
        difference.renamed = before.name != now.name;
        auto &changes = difference.changes;
        if (before.qualifiedOp() != now.qualifiedOp())
            changes.push_back("operator is " + now.qualifiedOp() + ", was " + before.qualifiedOp());
        addAttributes(before.attributes, now.attributes, changes);
        const std::size_t slots = std::max(before.inputs.size(), now.inputs.size());
        for (std::size_t i = 0; i < slots; ++i)
            addInput(before, now, i, changes);
        for (std::size_t k = 0; k < std::min(before.outputs.size(), now.outputs.size()); ++k)
            if (before.outputs[k].valid() && now.outputs[k].valid())
                for (const std::string &change : tensorChanges(m_before.tensor(before.outputs[k]),
                                                               m_now.tensor(now.outputs[k])))
                    changes.push_back("output " + std::to_string(k) + ": " + change);
        if (before.outputs.size() != now.outputs.size())
            changes.push_back("has " + std::to_string(now.outputs.size()) + " outputs, had " +
                              std::to_string(before.outputs.size()));
        difference.kind = changes.empty() ? Difference::Same : Difference::Changed;
    }

    static void addAttributes(const Attributes &before, const Attributes &now,
                              std::vector<std::string> &changes)
    {
        if (before.hash() == now.hash())
            return;
        for (const Attribute &attribute : before) {
            const AttributeValue *other = now.find(attribute.name);
            if (!other)
                changes.push_back("attribute " + attribute.name + " is not set, was " +
                                  valueText(attribute.value));
            else if (!sameValue(attribute.value, *other))
                changes.push_back("attribute " + attribute.name + " is " + valueText(*other) +
                                  ", was " + valueText(attribute.value));
        }
        for (const Attribute &attribute : now)
            if (!before.contains(attribute.name))
                changes.push_back("attribute " + attribute.name + " is " +
                                  valueText(attribute.value) + ", was not set");
    }

    void addInput(const Node &before, const Node &now, std::size_t slot,
                  std::vector<std::string> &changes) const
    {
        const auto at = [&](const Node &node) {
            return slot < node.inputs.size() ? node.inputs[slot] : TensorId();
        };
        const TensorId a = at(before), b = at(now);
        const std::string name = "input " + std::to_string(slot);
        if (!a.valid() && !b.valid())
            return;
        if (!a.valid() || !b.valid()) {
            changes.push_back(a.valid() ? name + " is omitted, was " + m_before.tensor(a).name
                                        : name + " is " + m_now.tensor(b).name + ", was omitted");
            return;
        }
        const Tensor &was = m_before.tensor(a), &is = m_now.tensor(b);
        if (was.constant && is.constant) {
            for (const std::string &change : constantChanges(was, is))
                changes.push_back(name + ": " + change);
            return;
        }
        if (m_result.alignment.tensorInNow[a.index] == b || isExplained(a, b))
            return;
        changes.push_back(name + " is " + textOf(m_now, b) + ", was " + textOf(m_before, a));
    }

    static std::string textOf(const Graph &graph, TensorId id)
    {
        const Tensor &tensor = graph.tensor(id);
        return tensor.constant && tensor.name.empty() ? "a constant" : tensor.name;
    }

    /// Tells whether the change of an input is due to a node that was inserted or removed in
    /// between, which is reported for that node.
    bool isExplained(TensorId before, TensorId now) const
    {
        const NodeId a = m_before.producer(before), b = m_now.producer(now);
        return (a.valid() && !m_result.alignment.now(a).valid()) ||
               (b.valid() && !m_result.alignment.before(b).valid());
    }

    void compareTensors()
    {
        compareBorder(TensorDifference::Role::Input, m_before.inputs(), m_now.inputs());
        compareBorder(TensorDifference::Role::Output, m_before.outputs(), m_now.outputs());
        const auto isUsed = [](const Graph &graph, TensorId id) {
            return graph.contains(id) && graph.tensor(id).constant && !graph.uses(id).empty();
        };
        const auto isReadByAligned = [](const Graph &graph, TensorId id,
                                        const std::vector<NodeId> &others) {
            return std::ranges::any_of(
                graph.uses(id), [&](const Use &use) { return others[use.node.index].valid(); });
        };
        for (std::uint32_t i = 0; i < m_before.tensorBound(); ++i)
            if (const TensorId a{i};
                isUsed(m_before, a) && (m_result.alignment.tensorInNow[i].valid() ||
                                        isReadByAligned(m_before, a, m_result.alignment.nodeInNow)))
                addTensor(TensorDifference::Role::Constant, a, m_result.alignment.tensorInNow[i]);
        for (std::uint32_t i = 0; i < m_now.tensorBound(); ++i)
            if (const TensorId b{i}; isUsed(m_now, b) &&
                                     !m_result.alignment.tensorInBefore[i].valid() &&
                                     isReadByAligned(m_now, b, m_result.alignment.nodeInBefore))
                addTensor(TensorDifference::Role::Constant, {}, b);
    }
    void compareBorder(TensorDifference::Role role, std::span<const TensorId> before,
                       std::span<const TensorId> now)
    {
        for (const TensorId a : before)
            addTensor(role, a, m_result.alignment.tensorInNow[a.index]);
        for (const TensorId b : now)
            if (!m_result.alignment.tensorInBefore[b.index].valid())
                addTensor(role, {}, b);
    }
    void addTensor(TensorDifference::Role role, TensorId before, TensorId now)
    {
        TensorDifference difference{Difference::Same, role, before, now, {}};
        if (before.valid() && now.valid()) {
            difference.changes = constantChanges(m_before.tensor(before), m_now.tensor(now));
            difference.kind = difference.changes.empty() ? Difference::Same : Difference::Changed;
        } else {
            difference.kind = before.valid() ? Difference::Removed : Difference::Added;
        }
        if (difference.kind != Difference::Same)
            m_result.tensors.push_back(std::move(difference));
    }

    /// Relates removed and added nodes that have common origins.
    void relate()
    {
        if (m_hints.before.empty() || m_hints.now.empty())
            return;
        using Owners = std::unordered_map<std::uint64_t, std::vector<NodeId>>;
        const auto ownersOf = [](const Graph &graph,
                                 const std::vector<std::vector<std::uint64_t>> &origins) {
            Owners owners;
            for (const NodeId id : graph.order())
                for (const std::uint64_t origin : origins[id.index])
                    owners[origin].push_back(id);
            return owners;
        };
        const Owners before = ownersOf(m_before, m_hints.before),
                     now = ownersOf(m_now, m_hints.now);
        for (NodeDifference &difference : m_result.nodes) {
            const bool gone = difference.kind == Difference::Removed;
            if (!gone && difference.kind != Difference::Added)
                continue;
            const auto &own =
                gone ? m_hints.before[difference.before.index] : m_hints.now[difference.now.index];
            const Graph &graph = gone ? m_now : m_before;
            for (const std::uint64_t origin : own)
                if (const auto found = (gone ? now : before).find(origin);
                    found != (gone ? now : before).end())
                    difference.related.insert(difference.related.end(), found->second.begin(),
                                              found->second.end());
            std::ranges::sort(difference.related, {},
                              [&](NodeId id) { return graph.position(id); });
            const auto rest = std::ranges::unique(difference.related);
            difference.related.erase(rest.begin(), rest.end());
        }
    }

    GraphComparison &m_result;
    const Graph &m_before, &m_now;
    const AlignmentHints &m_hints;
};

} // namespace

std::string_view nameOf(Difference difference)
{
    switch (difference) {
    case Difference::Same:
        return "same";
    case Difference::Changed:
        return "changed";
    case Difference::Added:
        return "added";
    case Difference::Removed:
        break;
    }
    return "removed";
}

std::string_view signOf(Difference difference)
{
    switch (difference) {
    case Difference::Same:
        return "";
    case Difference::Changed:
        return "~";
    case Difference::Added:
        return "+";
    case Difference::Removed:
        break;
    }
    return "\u2212";
}

std::string_view nameOf(TensorDifference::Role role)
{
    switch (role) {
    case TensorDifference::Role::Input:
        return "input";
    case TensorDifference::Role::Output:
        return "output";
    case TensorDifference::Role::Constant:
        break;
    }
    return "constant";
}

GraphComparison compare(Graph before, Graph now, const AlignmentHints &hints)
{
    GraphComparison result;
    result.before = std::move(before);
    result.now = std::move(now);
    result.alignment = align(result.before, result.now, hints);
    Comparer(result, hints).run();
    return result;
}

} // namespace graphloom
