// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/composed_schedules.h"

#include "engine/tuning/phase_space.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Describes how a nest of one of the kernels is scheduled.
struct Known {
    std::vector<NodeId> nodes;
    ScheduleChoice choice;
};

std::vector<Known> choicesOf(std::span<const BlockKernel *const> kernels,
                             const ScheduleTarget &target)
{
    std::vector<Known> known;
    for (const BlockKernel *kernel : kernels)
        for (const PhaseIndex p : kernel->phases.indices()) {
            const PhaseSpace space(*kernel, p, target);
            const auto choice = space.find(textOf(schedulesOf(*kernel, p)));
            if (!choice)
                continue;
            for (const MemberIndex member : choice->indices()) {
                const Nest &nest = kernel->block.nests[kernel->groups[p].nestOf(member)];
                known.push_back({nest.nodes, (*choice)[member]});
            }
        }
    return known;
}

/// Returns the choice for the nest that does most of the same work; none if no node is the same.
const Known *sameWork(const std::vector<Known> &known, const Nest &nest)
{
    const Known *best = nullptr;
    std::ptrdiff_t most = 0;
    for (const Known &candidate : known) {
        const auto same = std::ranges::count_if(
            nest.nodes, [&](NodeId id) { return std::ranges::count(candidate.nodes, id) > 0; });
        if (same > most) {
            most = same;
            best = &candidate;
        }
    }
    return best;
}

} // namespace

NestSchedules composedSchedules(std::span<const BlockKernel *const> kernels,
                                const BlockKernel &joined, const ScheduleTarget &target)
{
    const std::vector<Known> known = choicesOf(kernels, target);
    NestSchedules composed(joined.block.nests.size());
    for (const PhaseIndex p : joined.phases.indices()) {
        const PhaseSpace space(joined, p, target);
        if (space.isTrivial())
            continue;
        PhaseChoice choice = space.start();
        for (const MemberIndex member : choice.indices())
            if (space.isOpen(member))
                if (const Known *same =
                        sameWork(known, joined.block.nests[joined.groups[p].nestOf(member)]);
                    same && same->choice.rows > 0)
                    choice[member] = same->choice;
        if (choice == space.start())
            continue;
        const auto schedules = space.schedules(choice);
        if (!phaseOf(joined, p, schedules.span(), target))
            continue; // as wide a tile does not fit into what the group shares
        for (const MemberIndex member : choice.indices())
            composed[joined.groups[p].nestOf(member)] = schedules[member].text();
    }
    return composed;
}

} // namespace graphloom
