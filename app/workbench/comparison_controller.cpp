// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/comparison_controller.h"

#include "app/common/format.h"
#include "app/workbench/workbench.h"
#include "engine/session/plan_file.h"

#include <QSignalBlocker>
#include <QStandardPaths>

#include <utility>

namespace graphloom {

namespace {

std::optional<MeasuredLatency> measuredOf(const PlanRunPointer &run)
{
    if (!run)
        return std::nullopt;
    const Measurement &measured = *run->outcome.after;
    std::string basis = run->outcome.device;
    if (run->elsewhere) // its times are not compared with those of this machine
        basis += ", " + run->at.machine;
    return MeasuredLatency{{measured.whole.median, "ms", measured.provenance}, basis};
}

} // namespace

ComparisonController::ComparisonController(Workbench &bench) : m_bench(bench)
{
    const Actions &a = bench.actions;
    m_comparer.setJobs(&bench.jobs);
    connect(a.compareOriginal, &QAction::triggered, this,
            &ComparisonController::compareWithOriginal);
    connect(a.comparePrevious, &QAction::triggered, this, [this] {
        compareWith(Source{Source::Kind::Previous, 0, {}});
    });
    connect(a.compareRun, &QAction::triggered, this, [this] {
        if (const PassRun *run = m_bench.passes.comparable())
            compareWith(Source{Source::Kind::Run, run->number, {}});
    });
    connect(a.endComparison, &QAction::triggered, this, &ComparisonController::end);
    connect(a.sideBySide, &QAction::toggled, this, &ComparisonController::setSideBySide);
    connect(&bench, &Workbench::graphShown, this, &ComparisonController::setNow);
    connect(&bench, &Workbench::previewed, this, &ComparisonController::setNow);
    connect(&bench.kernels, &KernelController::runsChanged, this, [this] {
        if (m_bench.sides.isShown())
            setNow(m_bench.navigator.shown()); // the latency may have been measured
    });
    connect(&bench.sides, &Sides::counterpartsChanged, this, [this] {
        m_bench.updateActions();
        Q_EMIT m_bench.settled();
    });
    connect(&m_comparer, &PlanComparer::started, this, [this] { m_bench.updateActions(); });
    connect(&m_comparer, &PlanComparer::finished, this, &ComparisonController::show);
    connect(&m_comparer, &PlanComparer::failed, this, [this](const Error &error) {
        m_then = nullptr;
        m_bench.actions.sideBySide->setChecked(m_bench.sides.isShown());
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

void ComparisonController::compareWith(const Source &source)
{
    const SnapshotPointer snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    if (source.kind == Source::Kind::File) {
        compareWithFile(source.file);
        return;
    }
    const SnapshotPointer previous = m_bench.session.previous();
    const PassRun *run =
        source.kind == Source::Kind::Run ? m_bench.session.runs().find(source.run) : nullptr;
    const std::shared_ptr<const Plan> found = !run          ? nullptr
                                              : run->result ? run->result->plan
                                                            : run->latest;
    if (source.kind == Source::Kind::Original)
        start([plan = snapshot->plan,
               name = tr("original model")](std::stop_token) -> Result<ComparedPlan> {
            GL_TRY_RESULT(before, planBeforePasses(*plan));
            return ComparedPlan{std::make_shared<const Plan>(*std::move(before)), name};
        });
    else if (source.kind == Source::Kind::Previous && previous)
        compareWithPlan(previous->plan, tr("before the last change"));
    else if (found)
        compareWithPlan(found, tr("run %1 (%2)").arg(run->number).arg(run->name()));
    else
        return;
    m_nextSource = source;
}

void ComparisonController::start(std::function<Result<ComparedPlan>(std::stop_token)> before)
{
    const SnapshotPointer snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    m_then = nullptr; // was for another comparison
    m_comparer.start(std::move(before),
                     {snapshot->plan, nameNow(), measuredOf(m_bench.kernels.currentRun())});
}

void ComparisonController::compareWithPlan(const std::shared_ptr<const Plan> &before,
                                           const QString &name)
{
    const auto measured = measuredOf(m_bench.kernels.runOf(*before));
    start([before, name, measured](std::stop_token) -> Result<ComparedPlan> {
        return ComparedPlan{before, name, measured};
    });
}

void ComparisonController::compareWithOpen(const std::shared_ptr<const Plan> &plan,
                                           const QString &name, const std::filesystem::path &path)
{
    if (!m_bench.session.snapshot() || !plan)
        return;
    compareWithPlan(plan, name);
    m_nextSource = {Source::Kind::File, 0, path};
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
    m_nextSource = {Source::Kind::File, 0, path};
}

void ComparisonController::show(const PlanDifferencePointer &difference)
{
    const auto then = std::exchange(m_then, nullptr);
    if (!difference) {
        m_bench.inform(tr("Comparison cancelled"));
        m_bench.actions.sideBySide->setChecked(m_bench.sides.isShown());
    } else {
        m_difference = difference;
        m_source = m_nextSource;
        Q_EMIT changed();
        if (m_bench.actions.sideBySide->isChecked())
            showSides();
        if (!m_bench.sides.isShown() || then)
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
    m_bench.actions.sideBySide->setChecked(false);
    Q_EMIT changed();
    m_bench.updateActions();
}

void ComparisonController::setSideBySide(bool shown)
{
    m_bench.actions.sideBySide->setChecked(shown);
    if (!shown)
        m_bench.sides.hide();
    else if (m_difference)
        showSides();
    else if (!m_comparer.isRunning())
        compareWithOriginal(); // shows the sides when it is made
    m_bench.updateActions();
}

bool ComparisonController::showBeside(const Source &source)
{
    const QSignalBlocker quiet(m_bench.actions.sideBySide); // it would compare with the original
    m_bench.actions.sideBySide->setChecked(true);
    compareWith(source);
    m_bench.actions.sideBySide->setChecked(m_comparer.isRunning());
    return m_comparer.isRunning();
}

QString ComparisonController::nameNow() const
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    return !snapshot || snapshot->plan->history.empty()
               ? tr("current plan")
               : tr("current plan (%1)").arg(fromUtf8(snapshot->plan->history.back().pass));
}

void ComparisonController::showSides()
{
    setNow(m_bench.navigator.shown());
    m_bench.sides.show(m_difference->earlier, m_difference->nameBefore,
                       m_difference->measuredBefore);
}

void ComparisonController::setNow(const SnapshotPointer &now)
{
    m_bench.sides.setNow(now, now ? measuredOf(m_bench.kernels.runOf(*now->plan)) : std::nullopt);
}

void ComparisonController::inOriginal(const std::function<void()> &then)
{
    if (isOfShown() && m_difference->comparison.sameModel &&
        m_difference->before->history.empty()) {
        Q_EMIT m_bench.panelWanted(QStringLiteral("compare"));
        then();
        return;
    }
    compareWithOriginal();
    if (m_comparer.isRunning())
        m_then = then;
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
    a.switchSide->setEnabled(m_bench.sides.isShown());
    a.linkSides->setEnabled(m_bench.sides.isShown());
    a.endComparison->setEnabled(m_difference || m_comparer.isRunning());
}

} // namespace graphloom
