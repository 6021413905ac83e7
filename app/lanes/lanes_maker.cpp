// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lanes_maker.h"

namespace graphloom {

void LanesMaker::setRun(const PlanRunPointer &run)
{
    if (std::exchange(m_run, run) == run)
        return;
    m_isMissing = false;
    if (!run || run->outcome.trace.empty()) {
        m_worker.abandon();
        Q_EMIT ready(nullptr);
        return;
    }
    m_worker.announce(m_jobs, tr("Computing the kernel timeline"));
    m_worker.start([run](std::stop_token stop) { return lanesOf(run, stop); },
                   [this](const LanesPointer &lanes) {
                       m_isMissing = !lanes;
                       if (!lanes)
                           m_run = nullptr; // so that they can be made after all
                       Q_EMIT ready(lanes);
                   });
}

} // namespace graphloom
