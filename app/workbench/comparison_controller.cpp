// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/comparison_controller.h"

#include "app/common/format.h"
#include "app/workbench/workbench.h"
#include "engine/session/plan_file.h"

#include <QStandardPaths>

#include <utility>

namespace graphloom {

namespace {

std::optional<MeasuredLatency> measuredOf(const PlanRunPointer &run)
{
    if (!run)
        return std::nullopt;
    const Measurement &measured = *run->outcome.after;
    return MeasuredLatency{{measured.whole.median, "ms", measured.provenance}, run->outcome.device};
}

} // namespace

ComparisonController::ComparisonController(Workbench &bench) : m_bench(bench)
{
    const Actions &a = bench.actions;
    m_comparer.setJobs(&bench.jobs);
    connect(a.compareOriginal, &QAction::triggered, this,
            &ComparisonController::compareWithOriginal);
    connect(a.comparePrevious, &QAction::triggered, this, [this] {
        if (const SnapshotPointer before = m_bench.session.previous())
            compareWith(before->plan, tr("before the last change"));
    });
    connect(a.compareRun, &QAction::triggered, this, [this] {
        if (const PassRun *run = m_bench.passes.comparable())
            compareWith(run->result ? run->result->plan : run->latest,
                        tr("run %1 (%2)").arg(run->number).arg(run->name()));
    });
    connect(a.endComparison, &QAction::triggered, this, &ComparisonController::end);
    connect(&m_comparer, &PlanComparer::started, this, [this] { m_bench.updateActions(); });
    connect(&m_comparer, &PlanComparer::finished, this, &ComparisonController::show);
    connect(&m_comparer, &PlanComparer::failed, this, [this](const Error &error) {
        m_then = nullptr;
        m_bench.tell(MessageModel::Severity::Error,
                     tr("Cannot compare: %1").arg(fromUtf8(error.text())));
        m_bench.updateActions();
        Q_EMIT m_bench.settled();
    });
}

bool ComparisonController::isOfShown() const
{
    const Navigator &navigator = m_bench.navigator;
    return m_difference && navigator.shown() && !navigator.isInside() &&
           navigator.shown()->plan == m_difference->now;
}

void ComparisonController::start(std::function<Result<ComparedPlan>(std::stop_token)> before)
{
    const SnapshotPointer snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    const QString name =
        snapshot->plan->history.empty()
            ? tr("current plan")
            : tr("current plan (%1)").arg(fromUtf8(snapshot->plan->history.back().pass));
    m_comparer.start(std::move(before),
                     {snapshot->plan, name, measuredOf(m_bench.kernels.currentRun())});
}

void ComparisonController::compareWith(const std::shared_ptr<const Plan> &before,
                                       const QString &name)
{
    const auto measured = measuredOf(m_bench.kernels.runOf(*before));
    start([before, name, measured](std::stop_token) -> Result<ComparedPlan> {
        return ComparedPlan{before, name, measured};
    });
}

void ComparisonController::compareWithOriginal()
{
    const SnapshotPointer snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    start([plan = snapshot->plan,
           name = tr("original model")](std::stop_token) -> Result<ComparedPlan> {
        GL_TRY_RESULT(before, planBeforePasses(*plan));
        return ComparedPlan{std::make_shared<const Plan>(*std::move(before)), name};
    });
}

void ComparisonController::compareWithFile(const std::filesystem::path &path)
{
    const std::filesystem::path extracted =
        (QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
         QStringLiteral("/graphloom/models"))
            .toStdString();
    start([path, extracted](std::stop_token stop) -> Result<ComparedPlan> {
        ImportOptions import;
        import.stop = stop;
        GL_TRY_RESULT(plan, planOfFile(path, import, extracted));
        return ComparedPlan{std::make_shared<const Plan>(*std::move(plan)), fileNameOf(path)};
    });
}

void ComparisonController::show(const PlanDifferencePointer &difference)
{
    const auto then = std::exchange(m_then, nullptr);
    if (!difference) {
        m_bench.inform(tr("Comparison cancelled"));
    } else {
        m_difference = difference;
        Q_EMIT changed();
        Q_EMIT m_bench.panelWanted(QStringLiteral("compare"));
        if (then)
            then();
    }
    m_bench.updateActions();
    Q_EMIT m_bench.settled();
}

void ComparisonController::end()
{
    m_comparer.cancel();
    m_difference = nullptr;
    Q_EMIT changed();
    m_bench.updateActions();
}

void ComparisonController::inOriginal(const std::function<void()> &then)
{
    if (isOfShown() && m_difference->comparison.sameModel &&
        m_difference->before->history.empty()) {
        Q_EMIT m_bench.panelWanted(QStringLiteral("compare"));
        then();
        return;
    }
    m_then = then;
    compareWithOriginal();
}

void ComparisonController::showOriginal(NodeId id)
{
    inOriginal([this, id] { Q_EMIT originalWanted(id); });
}

void ComparisonController::updateActions()
{
    const Actions &a = m_bench.actions;
    const bool idle = m_bench.session.snapshot() && !m_bench.session.isBusy();
    a.compareOriginal->setEnabled(idle);
    a.comparePrevious->setEnabled(idle && m_bench.session.previous());
    a.compareRun->setEnabled(idle && m_bench.passes.comparable());
    a.compareFile->setEnabled(idle);
    a.endComparison->setEnabled(m_difference || m_comparer.isRunning());
}

} // namespace graphloom
