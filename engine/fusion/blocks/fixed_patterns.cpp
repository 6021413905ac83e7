// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/fixed_patterns.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

enum class Kind { Simple, Movement, Reduction, Complex, Opaque };

Kind kindOf(OperatorClass operatorClass)
{
    switch (operatorClass) {
    case OperatorClass::Contraction:
        return Kind::Complex;
    case OperatorClass::Window:
        return Kind::Reduction;
    case OperatorClass::Elementwise:
        return Kind::Simple;
    case OperatorClass::Broadcast:
    case OperatorClass::Movement:
        return Kind::Movement;
    case OperatorClass::Opaque:
        break;
    }
    return Kind::Opaque;
}

class Fusion {
public:
    Fusion(const Graph &graph, std::span<const OperatorClass> classes, Movements movements)
        : m_movements(movements), m_successors(classes.size())
    {
        for (std::uint32_t i = 0; i < classes.size(); ++i) {
            m_kind.push_back(kindOf(classes[i]));
            m_group.push_back(i);
            m_complex.push_back(m_kind[i] == Kind::Complex);
            for (const NodeId next : graph.successors(graph.order()[i]))
                m_successors[i].push_back(graph.position(next));
        }
        m_seen.assign(classes.size(), none);
        findPostDominators(graph);
    }

    std::vector<std::uint32_t> run()
    {
        for (std::uint32_t i = 0; i < m_kind.size(); ++i)
            if (m_postDominator[i] != none && mayFuse(i))
                fuse(i);
        std::vector<std::uint32_t> groups;
        for (std::uint32_t i = 0; i < m_kind.size(); ++i)
            groups.push_back(groupOf(i));
        return groups;
    }

private:
    std::uint32_t groupOf(std::uint32_t node)
    {
        while (m_group[node] != node)
            node = m_group[node] = m_group[m_group[node]];
        return node;
    }

    /// Finds immediate post-dominators: the lowest common ancestor of a node's successors in the
    /// post-dominator tree, from the last node backwards. A node has none if its paths end apart or
    /// its value leaves the graph.
    void findPostDominators(const Graph &graph)
    {
        std::vector<char> leaves(m_kind.size(), 0);
        for (const TensorId output : graph.outputs())
            if (graph.producer(output).valid())
                leaves[graph.position(graph.producer(output))] = 1;
        m_postDominator.assign(m_kind.size(), none);
        std::vector<std::uint32_t> depth(m_kind.size(), 0);
        for (std::uint32_t i = std::uint32_t(m_kind.size()); i-- > 0;) {
            if (leaves[i] || m_successors[i].empty())
                continue;
            std::uint32_t common = m_successors[i].front();
            for (std::uint32_t other : m_successors[i])
                while (common != other) {
                    if (common == none || other == none) {
                        common = other = none;
                    } else {
                        const std::uint32_t deepest = std::max(depth[common], depth[other]);
                        const bool first = depth[common] == deepest;
                        const bool second = depth[other] == deepest;
                        common = first ? m_postDominator[common] : common;
                        other = second ? m_postDominator[other] : other;
                    }
                }
            m_postDominator[i] = common;
            depth[i] = common == none ? 0 : depth[common] + 1;
        }
    }

    bool mayFuse(std::uint32_t node)
    {
        const std::uint32_t end = m_postDominator[node];
        const bool injective = m_movements == Movements::Injective;
        if (m_kind[node] == Kind::Movement && !injective)
            return pathsHold(node, end,
                             [&](std::uint32_t at) { return m_kind[at] == Kind::Movement; });
        const auto plain = [&](std::uint32_t at) {
            return m_kind[at] == Kind::Simple && !m_complex[groupOf(at)];
        };
        if (m_complex[groupOf(node)])
            return pathsHold(node, end, plain);
        const auto isInjective = [&](std::uint32_t at) {
            return m_kind[at] == Kind::Simple || (injective && m_kind[at] == Kind::Movement);
        };
        return isInjective(node) && pathsHold(node, end, [&](std::uint32_t at) {
                   return (isInjective(at) && !m_complex[groupOf(at)]) ||
                          (at == end &&
                           (m_kind[at] == Kind::Simple || m_kind[at] == Kind::Reduction));
               });
    }

    /// Tells whether all nodes after `node` on its paths to `end`, and `end`, pass.
    template <class Passes> bool pathsHold(std::uint32_t node, std::uint32_t end, Passes passes)
    {
        std::vector<std::uint32_t> pending = m_successors[node];
        while (!pending.empty()) {
            const std::uint32_t at = pending.back();
            pending.pop_back();
            if (std::exchange(m_seen[at], node) == node)
                continue;
            if (!passes(at))
                return false;
            if (at != end)
                pending.insert(pending.end(), m_successors[at].begin(), m_successors[at].end());
        }
        return true;
    }

    void fuse(std::uint32_t node)
    {
        const std::uint32_t end = m_postDominator[node];
        join(node, end);
        std::vector<std::uint32_t> pending = m_successors[node];
        while (!pending.empty()) {
            const std::uint32_t at = pending.back();
            pending.pop_back();
            if (at == end || groupOf(at) == groupOf(end))
                continue;
            join(at, end);
            pending.insert(pending.end(), m_successors[at].begin(), m_successors[at].end());
        }
    }

    void join(std::uint32_t a, std::uint32_t b)
    {
        a = groupOf(a);
        b = groupOf(b);
        if (a == b)
            return;
        m_complex[b] = m_complex[a] || m_complex[b];
        m_group[a] = b;
    }

    Movements m_movements;
    std::vector<std::vector<std::uint32_t>> m_successors; // by position, like the others
    std::vector<Kind> m_kind;
    std::vector<std::uint32_t> m_group; // parents in a union-find forest
    std::vector<char> m_complex;        // by group: holds a complex node
    std::vector<std::uint32_t> m_postDominator;
    std::vector<std::uint32_t> m_seen; // scratch: the node whose search was here last
};

} // namespace

std::vector<std::uint32_t>
fixedPatternGroups(const Graph &graph, std::span<const OperatorClass> classes, Movements movements)
{
    return Fusion(graph, classes, movements).run();
}

} // namespace graphloom
