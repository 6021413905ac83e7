// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_plan.h"

#include "engine/target/plan_steps.h"

namespace graphloom::host {

HostPlan::HostPlan(std::shared_ptr<Executable> executable, std::string compiler,
                   std::string_view instructionSet)
    : m_executable(std::move(executable)), m_compiler(std::move(compiler)),
      m_instructionSet(instructionSet),
      m_steps(planStepsOf(m_executable->steps(), m_executable->kernels()))
{
}

PlanMemory HostPlan::memory() const
{
    return {m_executable->arenaBytes(), m_executable->leastArenaBytes(),
            m_executable->borderBytes(), m_executable->constantBytes()};
}

} // namespace graphloom::host
