// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/compare/plan_difference.h"
#include "engine/onnx/import.h"

#include <QObject>

namespace graphloom {

/// Compares plans on a thread of its own. A new comparison replaces the one at work.
class PlanComparer final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Sets the list that shows the work; null for none.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Starts a comparison. `before` returns the earlier plan and is called on the thread, since
    /// the plan may have to be read or folded first.
    void start(std::function<Result<ComparedPlan>(std::stop_token)> before, ComparedPlan now);
    bool isRunning() const { return m_worker.isRunning(); }
    void cancel();

Q_SIGNALS:
    void started();
    void progressed(double fraction, const QString &what);
    /// Emitted at the end; `difference` is null if the comparison was cancelled.
    void finished(const graphloom::PlanDifferencePointer &difference);
    void failed(const graphloom::Error &error);

private:
    JobList *m_jobs = nullptr;
    Worker m_worker;
};

/// Returns the plan of a model before any pass.
Result<Plan> planBeforePasses(const Plan &plan);

} // namespace graphloom
