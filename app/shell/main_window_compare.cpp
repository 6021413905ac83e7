// SPDX-License-Identifier: GPL-3.0-or-later
// How the window compares the plan with others, and tells where nodes come from.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/compare/compare_panel.h"
#include "app/graph/canvas_page.h"
#include "app/memory/memory_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/properties/properties_panel.h"
#include "app/runs/run_panel.h"
#include "engine/session/plan_file.h"

#include <QApplication>
#include <QFileDialog>
#include <QMenu>
#include <QStandardPaths>

#include <algorithm>

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

void MainWindow::connectCompare()
{
    const Actions &a = *m_actions;
    m_compare->setActions({a.previousDifference, a.nextDifference, a.showOriginals,
                           a.showSuccessors, a.endComparison});
    connect(a.compareOriginal, &QAction::triggered, this, &MainWindow::compareWithOriginal);
    connect(a.comparePrevious, &QAction::triggered, this, [this] {
        if (const SnapshotPointer before = m_session.previous())
            compareWith(before->plan, tr("before the last change"));
    });
    connect(a.compareRun, &QAction::triggered, this, [this] {
        if (const PassRun *run = comparableRun())
            compareWith(run->result ? run->result->plan : run->latest,
                        tr("run %1 (%2)").arg(run->number).arg(run->name()));
    });
    connect(a.compareFile, &QAction::triggered, this, [this] {
        auto *dialog = new QFileDialog(this, tr("Compare with"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        dialog->setNameFilters({tr("Models and sessions (*.onnx *.gloom)"), tr("All files (*)")});
        connect(dialog, &QFileDialog::fileSelected, this,
                [this](const QString &path) { compareWithFile(path.toStdString()); });
        dialog->show();
    });
    connect(a.endComparison, &QAction::triggered, this, &MainWindow::endComparison);
    connect(a.nextDifference, &QAction::triggered, this, [this] { m_compare->step(1); });
    connect(a.previousDifference, &QAction::triggered, this, [this] { m_compare->step(-1); });
    connect(a.showOriginals, &QAction::triggered, this, &MainWindow::showOriginals);
    connect(a.showSuccessors, &QAction::triggered, this, &MainWindow::showSuccessors);
    connect(m_properties, &PropertiesPanel::linkActivated, this, [this](const Place &place) {
        if (place.item.kind == Item::Kind::Original)
            showOriginal(place.item.node());
        else
            m_navigator.go(place);
    });

    connect(&m_comparer, &PlanComparer::started, this, [this] { updateActions(); });
    connect(&m_comparer, &PlanComparer::finished, this, &MainWindow::showDifference);
    connect(&m_comparer, &PlanComparer::failed, this, [this](const Error &error) {
        m_afterComparing = nullptr;
        m_session.messages().add(MessageModel::Severity::Error,
                                 tr("Cannot compare: %1").arg(fromUtf8(error.text())));
        updateActions();
        Q_EMIT settled();
    });

    // Both selections go together, as far as the plan that is shown is the one that was compared.
    connect(m_compare, &ComparePanel::chosen, this, [this](const Item &now) {
        if (isCompared() && !m_selection.contains(now))
            m_selection.select(now);
    });
    connect(&m_selection, &Selection::changed, this, [this](const Item &item) {
        if (isCompared() && item.kind == Item::Kind::Node && m_compare->selectedNow() != item)
            m_compare->selection().select(item);
    });
    connect(m_compare, &ComparePanel::originalChosen, this, [this](NodeId id) {
        const PlanDifferencePointer &difference = m_compare->difference();
        std::vector<Item> items;
        for (const NodeId now : difference->origins.fates[id.index].nodes)
            items.push_back(Item::of(now));
        if (isCompared() && !items.empty())
            m_selection.select(std::move(items));
    });
    connect(m_compare, &ComparePanel::menuRequested, this, [this](const QPoint &place) {
        auto *menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->setObjectName(QStringLiteral("compareMenu"));
        const Actions &actions = *m_actions;
        menu->addActions({actions.showOriginals, actions.showSuccessors});
        menu->addSeparator();
        menu->addActions({actions.nextDifference, actions.previousDifference});
        menu->addSeparator();
        menu->addAction(actions.endComparison);
        menu->popup(place);
    });
    connect(&m_compare->selection(), &Selection::changed, this, &MainWindow::updateCompareActions);
}

/// The chosen run of the list that has a plan; null when there is none.
const PassRun *MainWindow::comparableRun()
{
    for (const int number : m_runPanel->chosen())
        if (const PassRun *run = m_session.runs().find(number); run && (run->result || run->latest))
            return run;
    return nullptr;
}

/// The plan that is shown is the one that was compared, and so is its own graph.
bool MainWindow::isCompared() const
{
    const PlanDifferencePointer &difference = m_compare->difference();
    return difference && m_navigator.shown() && !m_navigator.isInside() &&
           m_navigator.shown()->plan == difference->now;
}

void MainWindow::startComparing(std::function<Result<ComparedPlan>(std::stop_token)> before)
{
    const SnapshotPointer snapshot = m_session.snapshot();
    if (!snapshot)
        return;
    const QString name =
        snapshot->plan->history.empty()
            ? tr("present plan")
            : tr("present plan (%1)").arg(fromUtf8(snapshot->plan->history.back().pass));
    m_comparer.start(std::move(before), {snapshot->plan, name, measuredOf(currentRun())});
}

void MainWindow::compareWith(const std::shared_ptr<const Plan> &before, const QString &name)
{
    const auto run =
        std::ranges::find_if(m_runs, [&](const PlanRunPointer &of) { return of->isOf(*before); });
    const auto measured = run == m_runs.end() ? std::nullopt : measuredOf(*run);
    startComparing([before, name, measured](std::stop_token) -> Result<ComparedPlan> {
        return ComparedPlan{before, name, measured};
    });
}

void MainWindow::compareWithOriginal()
{
    const SnapshotPointer snapshot = m_session.snapshot();
    if (!snapshot)
        return;
    startComparing(
        [plan = snapshot->plan, name = tr("as opened")](std::stop_token) -> Result<ComparedPlan> {
            auto before = planBeforePasses(*plan);
            if (!before)
                return tl::unexpected(before.error());
            return ComparedPlan{std::make_shared<const Plan>(*std::move(before)), name};
        });
}

void MainWindow::compareWithFile(const std::filesystem::path &path)
{
    const std::filesystem::path extracted =
        (QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
         QStringLiteral("/graphloom/models"))
            .toStdString();
    startComparing([path, extracted](std::stop_token stop) -> Result<ComparedPlan> {
        ImportOptions import;
        import.stop = stop;
        auto plan = planOfFile(path, import, extracted);
        if (!plan)
            return tl::unexpected(plan.error());
        return ComparedPlan{std::make_shared<const Plan>(*std::move(plan)), fileNameOf(path)};
    });
}

void MainWindow::showDifference(const PlanDifferencePointer &difference)
{
    const auto then = std::exchange(m_afterComparing, nullptr);
    if (!difference) {
        m_session.messages().add(MessageModel::Severity::Info, tr("Comparing was cancelled"));
    } else {
        m_compare->setDifference(difference);
        raiseDock(QStringLiteral("compare"));
        m_memory->setCompared(difference->timeline, difference->nameBefore);
        if (difference->before->memory)
            m_pareto->setOthers({{difference->nameBefore, difference->before->memory}});
        else
            m_pareto->setOthers({});
        if (isCompared() && m_selection.item().kind == Item::Kind::Node)
            m_compare->selection().select(m_selection.item());
        if (then)
            then();
    }
    updateActions();
    Q_EMIT settled();
}

void MainWindow::endComparison()
{
    m_comparer.cancel();
    m_compare->setDifference(nullptr);
    m_memory->setCompared(nullptr, {});
    m_pareto->setOthers({});
    updateActions();
}

/// In the comparison with the model as it was opened, which is made where there is none.
void MainWindow::inOriginal(const std::function<void()> &then)
{
    const PlanDifferencePointer &difference = m_compare->difference();
    if (isCompared() && difference->comparison.sameModel && difference->before->history.empty()) {
        raiseDock(QStringLiteral("compare"));
        then();
        return;
    }
    m_afterComparing = then;
    compareWithOriginal();
}

void MainWindow::showOriginal(NodeId id)
{
    inOriginal([this, id] { m_compare->showOriginal(id); });
}

/// Of the node that is selected in the comparison, else in the graph.
void MainWindow::showOriginals()
{
    const Item chosen = m_compare->selection().item();
    if (m_compare->difference() && chosen.kind == Item::Kind::Node &&
        m_compare->isAncestorOf(QApplication::focusWidget())) {
        m_compare->selectItems(m_compare->difference()->originalsOf(chosen));
        return;
    }
    const Item item = m_selection.item();
    if (item.kind == Item::Kind::Node && !m_navigator.isInside())
        inOriginal(
            [this, item] { m_compare->selectItems(m_compare->difference()->originalsOf(item)); });
}

void MainWindow::showSuccessors()
{
    const Item chosen = m_compare->selection().item();
    if (m_compare->difference() && chosen.kind == Item::Kind::Node)
        m_compare->selectItems(m_compare->difference()->successorsOf(chosen));
}

void MainWindow::updateCompareActions()
{
    const Actions &a = *m_actions;
    const bool idle = m_session.snapshot() && !m_session.isBusy();
    const bool compared = m_compare->difference() != nullptr;
    m_compare->setStale(compared && m_session.snapshot() &&
                        m_session.snapshot()->plan != m_compare->difference()->now);
    a.compareOriginal->setEnabled(idle);
    a.comparePrevious->setEnabled(idle && m_session.previous());
    a.compareRun->setEnabled(idle && comparableRun());
    a.compareFile->setEnabled(idle);
    a.endComparison->setEnabled(compared || m_comparer.isRunning());
    for (QAction *action : {a.nextDifference, a.previousDifference})
        action->setEnabled(compared && m_compare->differences().rowCount() > 0);
    const bool inComparison = compared && m_compare->selection().item().kind == Item::Kind::Node;
    a.showSuccessors->setEnabled(inComparison);
    a.showOriginals->setEnabled(inComparison || (idle && !m_navigator.isInside() &&
                                                 m_selection.item().kind == Item::Kind::Node));
}

} // namespace graphloom
