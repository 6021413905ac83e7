// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/phase_times.h"

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/deploy/phase_program.h"
#include "targets/arm64/estimated_times.h"

#include <algorithm>

namespace graphloom::arm64 {

namespace {

/// Times phases with the tools of one build.
class PhaseMeter {
public:
    PhaseMeter(const DeployedBuild &build, std::stop_token stop)
        : m_build(build), m_stop(std::move(stop))
    {
    }

    PhaseTime time(const BlockKernel &kernel, PhaseIndex number, GroupSchedules schedules) const
    {
        auto measured = m_build.connection->isEmulated() ? counted(kernel, number, schedules)
                                                         : run(kernel, number, schedules);
        if (measured)
            return *std::move(measured);
        PhaseTime failed;
        failed.samples = 0;
        if (!m_stop.stop_requested())
            failed.problem = measured.error().text();
        return failed;
    }

private:
    Result<PhaseTime> counted(const BlockKernel &kernel, PhaseIndex number,
                              GroupSchedules schedules) const
    {
        // A second or two under an emulator that simulates caches. Only of larger kernels a part is
        // run: what its first tasks miss, later ones may find in the caches.
        constexpr double enough = 2e8;
        const double share = enough / std::max(workOf(kernel, number).flops, 1.0);
        GL_TRY_CONST(program, buildPhase(kernel, number, schedules, m_build, share, m_stop));
        GL_TRY_CONST(estimates, stepEstimates(*program->plan, m_stop));
        const KernelEstimate whole =
            estimates->front().times(double(program->tasks) / double(program->run));
        const double seconds = bracketOf(whole, *m_build.device.machine, program->tasks).high;
        return PhaseTime{seconds, seconds, 1};
    }

    Result<PhaseTime> run(const BlockKernel &kernel, PhaseIndex number,
                          GroupSchedules schedules) const
    {
        constexpr double enough = 0.05; // seconds
        constexpr int warmup = 3, fewest = 5, most = 200;
        GL_TRY_CONST(program, buildPhase(kernel, number, schedules, m_build, 1, m_stop));
        const double expected = kernelSeconds(m_build.device, workOf(kernel, number));
        const int runs =
            int(std::clamp(enough / std::max(expected, 1e-9), double(fewest), double(most)));
        GL_TRY_RESULT(times, program->plan->timedRuns(warmup, runs, false, m_stop));
        std::ranges::sort(times->whole);
        return PhaseTime{1e-3 * times->whole[times->whole.size() / 2], 1e-3 * times->whole.front(),
                         int(times->whole.size())};
    }

    const DeployedBuild &m_build;
    std::stop_token m_stop;
};

} // namespace

PhaseTimes phaseTimes(const DeployedBuild &build, std::stop_token stop)
{
    return [meter = PhaseMeter(build, std::move(stop))](const BlockKernel &kernel, PhaseIndex phase,
                                                        GroupSchedules schedules) {
        return meter.time(kernel, phase, schedules);
    };
}

} // namespace graphloom::arm64
