// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/schedule/default_schedule.h"

#include <vector>

namespace graphloom {

/// How a phase of a kernel may be scheduled: a choice for each of its nests, in the nests' order;
/// only those with register tiles have one to make.
using PhaseChoice = std::vector<ScheduleChoice>;

/// The schedules of one phase that differ in register tiles, unrolling and the order of loops (AGO
/// section IV: the tuning space of one block).
class PhaseSpace {
public:
    PhaseSpace(const BlockKernel &kernel, std::size_t phase, const ScheduleTarget &target);

    /// Nothing can be chosen.
    bool isTrivial() const;
    /// What the estimate chooses.
    const PhaseChoice &start() const { return m_start; }
    /// Choices that differ from one in a step of one nest, in an order that depends on it alone.
    /// Left out are those that would need more than `registers` times the vector registers.
    std::vector<PhaseChoice> neighbours(const PhaseChoice &choice, double registers) const;
    /// The schedules, one for each nest of the phase.
    std::vector<Schedule> schedules(const PhaseChoice &choice) const;
    Result<BlockKernel::Phase> phase(const PhaseChoice &choice) const;

private:
    struct NestSpace {
        bool open = false;
        bool window = false; // no product of two operands
    };

    const BlockKernel &m_kernel;
    std::size_t m_phase;
    ScheduleTarget m_target;
    std::vector<NestSpace> m_nests;
    PhaseChoice m_start;
};

} // namespace graphloom
