// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/schedule/default_schedule.h"

#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Describes how a phase of a kernel is scheduled: a choice for each of its nests, in the nests'
/// order; only nests with register tiles have several.
using PhaseChoice = IndexedVector<MemberIndex, ScheduleChoice>;

/// Enumerates the schedules of one phase that differ in register tiles, unrolling and the order of
/// loops (the tuning space of one block in AGO, section III).
class PhaseSpace {
public:
    PhaseSpace(const BlockKernel &kernel, PhaseIndex phase, const ScheduleTarget &target);

    /// Tells whether nothing can be chosen.
    bool isTrivial() const;
    /// Tells whether something can be chosen for a nest.
    bool isOpen(MemberIndex nest) const { return m_nests[nest].open; }
    /// Returns the choice of the estimate.
    const PhaseChoice &start() const { return m_start; }
    /// Returns the choices that differ from `choice` in one step of one nest, in an order that
    /// depends on `choice` alone. Choices that would need more than `registers` times the vector
    /// registers are left out.
    std::vector<PhaseChoice> neighbours(const PhaseChoice &choice, double registers) const;
    /// Returns the schedules, one for each nest of the phase.
    IndexedVector<MemberIndex, Schedule> schedules(const PhaseChoice &choice) const;
    Result<BlockKernel::Phase> phase(const PhaseChoice &choice) const;
    /// Returns the choice with these schedules (textOf()); none if it is not near the estimate.
    std::optional<PhaseChoice> find(const std::string &schedules) const;

private:
    struct NestSpace {
        bool open = false;
        bool window = false; // no product of two operands
    };

    const BlockKernel &m_kernel;
    PhaseIndex m_phase;
    ScheduleTarget m_target;
    IndexedVector<MemberIndex, NestSpace> m_nests;
    PhaseChoice m_start;
};

} // namespace graphloom
