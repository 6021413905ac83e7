// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/graph_parts.h"
#include "tests/support/random_graph.h"

#include <algorithm>
#include <map>

namespace graphloom::test {

/// Makes random edits of a batch that never close a cycle: every tensor has a rank, and nodes read
/// lower ranks than they write.
class RandomEdits {
public:
    RandomEdits(const Graph &graph, Random &random) : m_random(random), m_editor(graph)
    {
        const double step = 1.0 / double(graph.nodeCount() + 1);
        for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
            m_rank[{i}] = 0;
        for (const NodeId id : graph.order())
            for (const TensorId output : graph.node(id).outputs)
                if (output.valid())
                    m_rank[output] = step * (graph.position(id) + 1);
    }

    void edit()
    {
        switch (below(m_random, 9)) {
        case 0:
        case 1:
            return changeNode();
        case 2:
            return insertNode();
        case 3:
            return redirect();
        case 4:
            return producedToConstant();
        case 5:
            return constantToProduced();
        case 6:
            return changeTensor();
        case 7:
            return changeInputs();
        default:
            removed += m_editor.removeUnused();
        }
    }

    Result<Graph> finish() { return std::move(m_editor).finish(); }
    std::size_t removed = 0;

private:
    const Graph &graph() const { return m_editor.graph(); }

    std::vector<NodeId> nodes() const
    {
        std::vector<NodeId> result;
        for (std::uint32_t i = 0; i < graph().nodeBound(); ++i)
            if (graph().contains(NodeId{i}))
                result.push_back({i});
        return result;
    }

    template <class Wanted> TensorId pickTensor(Wanted wanted)
    {
        std::vector<TensorId> found;
        for (std::uint32_t i = 0; i < graph().tensorBound(); ++i)
            if (graph().contains(TensorId{i}) && wanted(TensorId{i}))
                found.push_back({i});
        return found.empty() ? TensorId{} : found[below(m_random, found.size())];
    }

    bool hasValue(TensorId id) const
    {
        return graph().producer(id).valid() || graph().isExternal(id) ||
               graph().tensor(id).constant;
    }

    TensorId pickBelow(double rank)
    {
        return pickTensor([&](TensorId id) { return hasValue(id) && m_rank[id] < rank; });
    }

    double rankOf(const Node &node)
    {
        double rank = 1;
        for (const TensorId output : node.outputs)
            if (output.valid())
                rank = std::min(rank, m_rank[output]);
        return rank;
    }

    void changeNode()
    {
        const auto all = nodes();
        if (all.empty())
            return;
        const NodeId id = all[below(m_random, all.size())];
        Node node = graph().node(id);
        if (chance(m_random, 0.3))
            node.attributes = node.attributes.with("axis", std::int64_t(below(m_random, 5)));
        if (chance(m_random, 0.6)) {
            const TensorId input = pickBelow(rankOf(node));
            if (chance(m_random, 0.3))
                node.inputs.push_back(input);
            else if (!node.inputs.empty())
                node.inputs[below(m_random, node.inputs.size())] =
                    chance(m_random, 0.1) ? TensorId{} : input;
        }
        if (chance(m_random, 0.1) && node.inputs.size() > 1)
            node.inputs.pop_back();
        m_editor.replaceNode(id, std::move(node));
    }

    void insertNode()
    {
        const double rank = double(1 + below(m_random, 99)) / 100;
        const TensorId output = m_editor.addTensor(named("new"));
        m_rank[output] = rank;
        std::vector<TensorId> inputs;
        for (std::uint64_t count = 1 + below(m_random, 6); count > 0; --count)
            inputs.push_back(pickBelow(rank));
        m_editor.addNode(nodeOf("New", std::move(inputs), {output}));
    }

    void redirect()
    {
        const TensorId from = pickTensor([&](TensorId id) { return hasValue(id); });
        if (!from.valid())
            return;
        const TensorId to = pickTensor(
            [&](TensorId id) { return hasValue(id) && m_rank[id] <= m_rank[from] && id != from; });
        if (to.valid())
            m_editor.replaceUses(from, to);
    }

    void producedToConstant()
    {
        const auto all = nodes();
        if (all.empty())
            return;
        const NodeId id = all[below(m_random, all.size())];
        const auto outputs = graph().node(id).outputs;
        const bool early = chance(m_random, 0.5); // both orders of the two edits are allowed
        const auto setConstants = [&] {
            for (const TensorId output : outputs)
                if (output.valid())
                    m_editor.setTensor(output,
                                       constantOf("folded", std::int64_t(below(m_random, 3))));
        };
        if (early)
            setConstants();
        m_editor.removeNode(id);
        if (!early)
            setConstants();
    }

    void constantToProduced()
    {
        const TensorId id = pickTensor([&](TensorId tensor) {
            return graph().tensor(tensor).constant != nullptr && !graph().isExternal(tensor);
        });
        if (!id.valid())
            return;
        double rank = 1;
        for (const Use &use : graph().uses(id))
            rank = std::min(rank, rankOf(graph().node(use.node)));
        rank *= 0.5;
        m_rank[id] = rank; // before the pick, which must not find the tensor itself
        const TensorId input = pickBelow(rank);
        if (!input.valid())
            return;
        m_editor.setTensor(id, named("produced"));
        m_editor.addNode(nodeOf("Unfold", {input}, {id}));
    }

    void changeTensor()
    {
        const TensorId id = pickTensor([&](TensorId) { return true; });
        if (!id.valid())
            return;
        Tensor tensor = graph().tensor(id);
        if (tensor.constant)
            tensor = constantOf(tensor.name, std::int64_t(below(m_random, 5)));
        else
            tensor.shape = Shape{Dim(std::int64_t(below(m_random, 4)))};
        m_editor.setTensor(id, std::move(tensor));
    }

    void changeInputs()
    {
        std::vector<TensorId> inputs(graph().inputs().begin(), graph().inputs().end());
        if (chance(m_random, 0.5) && inputs.size() > 1) {
            std::shuffle(inputs.begin(), inputs.end(), m_random);
        } else if (chance(m_random, 0.5)) {
            const TensorId id = pickTensor([&](TensorId tensor) {
                return graph().tensor(tensor).constant && !graph().isExternal(tensor);
            });
            if (id.valid()) {
                m_editor.setTensor(id, named("promoted"));
                inputs.push_back(id);
            }
        } else if (!inputs.empty()) {
            m_editor.setTensor(inputs.back(), constantOf("fixed", 9));
            inputs.pop_back();
        }
        m_editor.setInputs(std::move(inputs));
    }

    Random &m_random;
    GraphEditor m_editor;
    std::map<TensorId, double> m_rank;
};

} // namespace graphloom::test
