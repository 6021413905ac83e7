// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/plan_comparer.h"

#include "engine/autodiff/training.h"

#include <exception>

namespace graphloom {

void PlanComparer::start(std::function<Result<ComparedPlan>(std::stop_token)> before,
                         ComparedPlan now)
{
    const auto progress = m_worker.progress(
        [this](double fraction, const QString &what) { Q_EMIT progressed(fraction, what); });
    m_worker.announce(m_jobs, tr("Comparing plans"));
    m_worker.start(
        [before = std::move(before), now = std::move(now),
         progress](std::stop_token stop) -> Result<PlanDifferencePointer> {
            try {
                GL_TRY_CONST(earlier, before(stop));
                if (stop.stop_requested())
                    return PlanDifferencePointer();
                return differenceOf(*earlier, now, stop, progress);
            } catch (const std::exception
                         &exception) { // such as out of memory, which must not end the session
                return fail(Error::Kind::Fault, exception.what(), "comparison");
            }
        },
        [this](const Result<PlanDifferencePointer> &difference) {
            if (!difference)
                Q_EMIT failed(difference.error());
            else
                Q_EMIT finished(m_worker.isStopped() ? nullptr : *difference);
        });
    Q_EMIT started();
}

void PlanComparer::cancel()
{
    m_worker.stop();
}

Result<Plan> planBeforePasses(const Plan &plan)
{
    return plan.training ? initialPlan(plan.model, *plan.training) : initialPlan(plan.model);
}

} // namespace graphloom
