// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_plan.h"

namespace graphloom::host {

HostPlan::HostPlan(std::shared_ptr<Executable> executable, std::string compiler,
                   std::string_view instructionSet)
    : m_executable(std::move(executable)), m_compiler(std::move(compiler)),
      m_instructionSet(instructionSet)
{
    for (const Executable::Step &step : m_executable->steps()) {
        PlanStep of;
        if (step.part.isValid())
            of.block = std::uint32_t(step.part.number());
        of.symbol = step.symbol;
        of.reason = step.reason;
        of.failed = step.failed;
        of.text = step.text;
        of.schedule = step.schedule;
        if (const auto &kernel = m_executable->kernels()[step.block]) {
            const KernelWork work = workOf(*kernel, step.phase);
            of.nest = std::uint32_t(kernel->groups[step.phase].first.number());
            of.flops = work.flops;
            of.bytes = work.bytes;
        }
        m_steps.push_back(std::move(of));
    }
}

PlanMemory HostPlan::memory() const
{
    return {m_executable->arenaBytes(), m_executable->leastArenaBytes(),
            m_executable->borderBytes(), m_executable->constantBytes()};
}

} // namespace graphloom::host
