// SPDX-License-Identifier: GPL-3.0-or-later
// What the run before took for the blocks of a plan.
#include "app/lanes/lanes.h"

#include <map>
#include <set>
#include <utility>

namespace graphloom {

namespace {

/// Attributes the times of the run before to the blocks of the plan. A block that shares a node, or
/// a step of the run before, with another block has no time of its own there.
class Attribution {
public:
    explicit Attribution(const Lanes &lanes)
        : m_lanes(lanes), m_original(lanes.runs.front().kind == Lanes::Run::Kind::Original)
    {
        for (const Lanes::Step &step : lanes.runs.back().steps)
            if (step.block)
                for (const NodeId id : nodesBefore(step))
                    m_owners[id].insert(*step.block);
        for (const auto &[node, blocks] : m_owners)
            noteShared(blocks);
        for (const Lanes::Step &step : lanes.runs.front().steps)
            attribute(step);
    }

    /// Returns the seconds of a block, or nothing if they are not known.
    std::optional<double> of(std::uint32_t block) const
    {
        const auto found = m_seconds.find(block);
        return found == m_seconds.end() || m_shared.contains(block) ? std::nullopt
                                                                    : std::optional(found->second);
    }

private:
    using Blocks = std::set<std::uint32_t>;

    /// Returns the nodes of the run before whose work a step does.
    std::vector<NodeId> nodesBefore(const Lanes::Step &step) const
    {
        return m_original ? originsOf(m_lanes.of->plan->graph, step.nodes) : step.nodes;
    }
    void noteShared(const Blocks &blocks)
    {
        if (blocks.size() > 1)
            m_shared.insert(blocks.begin(), blocks.end());
    }
    void attribute(const Lanes::Step &before)
    {
        Blocks blocks;
        for (const NodeId id : before.nodes)
            if (const auto owners = m_owners.find(id); owners != m_owners.end())
                blocks.insert(owners->second.begin(), owners->second.end());
        noteShared(blocks);
        if (blocks.size() == 1)
            m_seconds[*blocks.begin()] += before.usual;
    }

    const Lanes &m_lanes;
    bool m_original;
    std::map<NodeId, Blocks> m_owners;
    std::map<std::uint32_t, double> m_seconds;
    Blocks m_shared;
};

} // namespace

void compareSteps(Lanes &lanes)
{
    if (lanes.runs.size() < 2)
        return;
    const Attribution before(lanes);
    std::vector<Lanes::Step> &steps = lanes.runs.back().steps;
    std::map<std::uint32_t, double> now;
    for (const Lanes::Step &step : steps)
        if (step.block)
            now[*step.block] += step.usual;
    std::set<std::uint32_t> told;
    for (Lanes::Step &step : steps)
        if (step.block && told.insert(*step.block).second)
            if (const auto seconds = before.of(*step.block)) {
                step.before = seconds;
                step.now = now[*step.block];
            }
}

} // namespace graphloom
