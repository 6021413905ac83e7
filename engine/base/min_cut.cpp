// SPDX-License-Identifier: Apache-2.0
#include "engine/base/min_cut.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::uint32_t source = 0, sink = 1;
/// Residual capacities below this are rounding errors.
constexpr double nothing = 1e-15;

} // namespace

void MinCut::addArc(std::uint32_t from, std::uint32_t to, double capacity, double backwards)
{
    m_arcs[from].push_back({to, std::uint32_t(m_arcs[to].size()), capacity});
    m_arcs[to].push_back({from, std::uint32_t(m_arcs[from].size() - 1), backwards});
}

bool MinCut::layer()
{
    m_level.assign(m_arcs.size(), -1);
    m_level[source] = 0;
    std::vector<std::uint32_t> open = {source};
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const Arc &arc : m_arcs[open[i]])
            if (arc.left > nothing && m_level[arc.to] < 0) {
                m_level[arc.to] = m_level[open[i]] + 1;
                open.push_back(arc.to);
            }
        if (m_steps)
            m_steps->add(m_arcs[open[i]].size());
        if (stopped())
            return false;
    }
    return m_level[sink] >= 0;
}

double MinCut::push(std::uint32_t node, double amount)
{
    if (node == sink)
        return amount;
    for (std::size_t &i = m_next[node]; i < m_arcs[node].size(); ++i) {
        Arc &arc = m_arcs[node][i];
        if (m_steps)
            m_steps->add();
        if (!(arc.left > nothing) || m_level[arc.to] != m_level[node] + 1)
            continue;
        const double pushed = push(arc.to, std::min(amount, arc.left));
        if (pushed > 0) {
            arc.left -= pushed;
            m_arcs[arc.to][arc.reverse].left += pushed;
            return pushed;
        }
    }
    return 0;
}

double MinCut::run(Steps *steps)
{
    m_steps = steps;
    double total = 0;
    while (layer()) {
        m_next.assign(m_arcs.size(), 0);
        for (double pushed = push(source, unlimited); pushed > 0 && !stopped();
             pushed = push(source, unlimited))
            total += pushed;
    }
    return total;
}

} // namespace graphloom
