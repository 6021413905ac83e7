// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/phase_space.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>

namespace graphloom {

PhaseSpace::PhaseSpace(const BlockKernel &kernel, PhaseIndex phase, const ScheduleTarget &target)
    : m_kernel(kernel), m_phase(phase), m_target(target)
{
    const NestGroup &group = kernel.groups[phase];
    for (const MemberIndex n : group.members()) {
        const Nest &nest = kernel.block.nests[group.nestOf(n)];
        const auto tile = estimatedTile(nest, kernel.block.tensors, kernel.storages, target,
                                        sharedLoopsOf(group, n));
        NestSpace space;
        space.open = tile.has_value();
        space.window = space.open && tile->isWindow;
        m_start.push_back(tile.value_or(EstimatedTile()).choice);
        m_nests.push_back(std::move(space));
    }
}

bool PhaseSpace::isTrivial() const
{
    return std::ranges::none_of(m_nests, &NestSpace::open);
}

std::vector<PhaseChoice> PhaseSpace::neighbours(const PhaseChoice &choice, double registers) const
{
    std::vector<PhaseChoice> result;
    for (const MemberIndex n : m_nests.indices()) {
        if (!m_nests[n].open)
            continue;
        const ScheduleChoice &from = choice[n];
        const auto add = [&](const ScheduleChoice &to) {
            if (to == from || to.rows < 1 || to.vectors < 1 || to.rows > 30 || to.vectors > 8 ||
                to.unroll > 8)
                return;
            // Accumulators, the vectors of one operand and one of the other need registers.
            const int results = to.rows * std::max(to.outerRows, 1) * to.vectors;
            const int needed = results + (m_nests[n].window ? 0 : to.vectors + 1);
            if (double(needed) > double(m_target.vectorRegisters) * registers)
                return;
            PhaseChoice next = choice;
            next[n] = to;
            result.push_back(std::move(next));
        };
        for (const int step : {1, -1, 2, -2, 4, -4}) {
            ScheduleChoice to = from;
            to.rows += step;
            add(to);
        }
        for (const int step : {1, -1, 2}) {
            ScheduleChoice to = from;
            to.vectors += step;
            // Keeps about as many accumulators as before.
            to.rows = std::max(1, from.rows * from.vectors / std::max(to.vectors, 1));
            add(to);
            to.rows = from.rows;
            add(to);
        }
        for (const int step : {1, -1}) {
            ScheduleChoice to = from;
            to.outerRows += step;
            if (m_nests[n].window || to.outerRows < 1)
                continue;
            add(to);
            to.vectors =
                std::max(1, from.outerRows * from.vectors / to.outerRows); // as many accumulators
            add(to);
        }
        for (const int unroll : {1, 2, 4}) {
            ScheduleChoice to = from;
            to.unroll = unroll;
            if (!m_nests[n].window)
                add(to);
        }
        ScheduleChoice other = from;
        other.order = 3 - from.order;
        add(other);
        if (from.images != 0) {
            other = from;
            other.images = 3 - from.images;
            add(other);
        }
        for (const int ahead : {-1, ScheduleChoice::nextTile, 1024, 4096, 8192}) {
            ScheduleChoice to = from;
            to.ahead = ahead;
            if (!m_nests[n].window)
                add(to);
        }
    }
    return result;
}

IndexedVector<MemberIndex, Schedule> PhaseSpace::schedules(const PhaseChoice &choice) const
{
    const NestGroup &group = m_kernel.groups[m_phase];
    IndexedVector<MemberIndex, Schedule> schedules;
    for (const MemberIndex n : group.members()) {
        const NestIndex nest = group.nestOf(n);
        schedules.push_back(m_nests[n].open
                                ? defaultSchedule(m_kernel.block.nests[nest],
                                                  m_kernel.block.tensors, m_kernel.storages,
                                                  m_target, sharedLoopsOf(group, n), choice[n])
                                : m_kernel.schedules[nest]);
    }
    return schedules;
}

Result<BlockKernel::Phase> PhaseSpace::phase(const PhaseChoice &choice) const
{
    const IndexedVector<MemberIndex, Schedule> made = schedules(choice);
    return phaseOf(m_kernel, m_phase, made.span(), m_target);
}

std::optional<PhaseChoice> PhaseSpace::find(const std::string &text) const
{
    // The search for schedules goes the same ways.
    constexpr std::size_t most = 3000;
    constexpr double registers = 2;
    std::set<std::string> seen;
    std::deque<PhaseChoice> next{m_start};
    while (!next.empty() && seen.size() < most) {
        const PhaseChoice choice = std::move(next.front());
        next.pop_front();
        const std::string now = textOf(schedules(choice).span());
        if (now == text)
            return choice;
        if (!seen.insert(now).second)
            continue;
        std::ranges::move(neighbours(choice, registers), std::back_inserter(next));
    }
    return std::nullopt;
}

} // namespace graphloom
