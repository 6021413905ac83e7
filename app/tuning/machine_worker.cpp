// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/machine_worker.h"

namespace graphloom {

std::optional<ChosenTarget> MachineWorker::targetForNewWork(const Plan &plan)
{
    if (isRunning())
        return std::nullopt;
    auto target = targetOf(plan, m_targets);
    if (target)
        return *std::move(target);
    Q_EMIT failed(target.error());
    return std::nullopt;
}

std::function<void(double, std::string_view)> MachineWorker::reporter()
{
    return m_worker.progress(
        [this](double fraction, const QString &what) { Q_EMIT progress(fraction, what); });
}

} // namespace graphloom
