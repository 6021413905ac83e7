// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_panel.h"

#include "app/common/format.h"
#include "app/kernels/roofline_view.h"
#include "app/kernels/source_view.h"
#include "app/tuning/tuning_panel.h"
#include "app/widgets/hinted_panel.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int mostRuns = 100'000, leastWidth = 200;
constexpr int mostSeconds = 24 * 3600, mostTrials = 1'000'000;

/// Returns a button for an action with a shorter text: that of the action would make the form too
/// wide for a small window.
QToolButton *buttonFor(QAction *action, const QString &text)
{
    auto *button = new QToolButton;
    button->setText(text);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    const auto follow = [button, action] {
        button->setIcon(action->icon());
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
        button->setWhatsThis(action->whatsThis());
        button->setAccessibleName(action->iconText());
    };
    follow();
    QObject::connect(action, &QAction::changed, button, follow);
    QObject::connect(button, &QToolButton::clicked, action, &QAction::trigger);
    return button;
}

QSpinBox *spinBox(int least, int most, const QString &name, const QString &meaning)
{
    auto *box = new QSpinBox;
    box->setRange(least, most);
    box->setAccessibleName(name);
    box->setToolTip(meaning);
    box->setWhatsThis(meaning);
    return box;
}

} // namespace

KernelPanel::KernelPanel(Selection &selection, QAction *run, QAction *tune, QAction *cancel,
                         QWidget *parent)
    : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    layout->addWidget(makeForm(run, tune, cancel));
    m_list = new FilteredTable(m_model, {tr("Kernels"), tr("Filter kernels"),
                                         tr("Filter by computation, schedule or reason"),
                                         QStringLiteral("kernelTable")});
    m_list->linkTo(selection);
    m_list->makeCopyable(QStringLiteral("copyKernels"));
    table().sortByColumn(KernelModel::Time, Qt::DescendingOrder);

    m_source = new SourceView;
    m_roofline = new RooflineView;
    m_note = new QLabel;
    m_note->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(8, 2, 8, 2);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setObjectName(QStringLiteral("rooflineNote"));
    auto *roofs = new QWidget;
    QVBoxLayout *column = makeColumn(*roofs);
    column->addWidget(m_roofline, 1);
    column->addWidget(m_note);
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_source, tr("Code"));
    m_tabs->addTab(roofs, tr("Roofline"));
    m_tuning = new TuningPanel;
    m_tuning->setHint(
        tr("Tune the kernels to see every schedule that is tried, and the best so far."), tune);
    m_tabs->addTab(m_tuning, tr("Tuning"));

    // Neither the plot nor the form must widen the window.
    m_tabs->setMinimumWidth(leastWidth);
    m_lists = new QTabWidget;
    m_lists->setDocumentMode(true);
    m_lists->setTabBarAutoHide(true);
    m_lists->addTab(m_list, tr("Kernels"));
    m_lists->setMinimumWidth(leastWidth);
    m_statistics->setMinimumWidth(1);
    auto *split = new QSplitter;
    split->addWidget(m_lists);
    split->addWidget(m_tabs);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({620, 480});
    m_body = new HintedPanel;
    m_body->setContent(split);
    m_body->setEmpty(true);
    layout->addWidget(m_body, 1);

    connect(m_list, &FilteredTable::activated, this, &KernelPanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &KernelPanel::menuRequested);
    connect(table().selectionModel(), &QItemSelectionModel::currentChanged, this,
            &KernelPanel::showCurrent);
    connect(table().selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &KernelPanel::showCurrent);
    connect(m_roofline, &RooflineView::chosen, m_list, &FilteredTable::choose);
    connect(m_tuning, &TuningPanel::kernelChosen, this, &KernelPanel::chooseKernel);
    connect(m_tuning, &TuningPanel::allChosen, this, [this, &selection] {
        selection.clear();
        table().clearSelection();
        table().setCurrentIndex({});
        m_tuning->showKernel(std::nullopt);
    });
}

QWidget *KernelPanel::makeForm(QAction *run, QAction *tune, QAction *cancel)
{
    auto *form = new QWidget;
    auto *rows = new QVBoxLayout(form);
    rows->setContentsMargins(0, 4, 0, 0);
    rows->setSpacing(0);
    auto *bar = new FlowLayout;
    bar->setContentsMargins(6, 0, 6, 0);
    rows->addLayout(bar);
    const RunOptions initial;
    m_runs = spinBox(1, mostRuns, tr("Runs"),
                     tr("Number of timed runs, after warm-up; fewer for models that take seconds"));
    m_runs->setSuffix(tr(" runs"));
    m_runs->setObjectName(QStringLiteral("runs"));
    m_threads = spinBox(0, int(mostThreads), tr("Threads"),
                        tr("Threads of one run, each pinned to a core; 0: one per core"));
    m_threads->setSpecialValueText(tr("all cores"));
    m_threads->setSuffix(tr(" threads"));
    m_threads->setObjectName(QStringLiteral("threads"));
    m_seconds = spinBox(1, mostSeconds, tr("Seconds of tuning"),
                        tr("Time for trying schedules, all kernels together"));
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setObjectName(QStringLiteral("tuneSeconds"));
    m_trials = spinBox(0, mostTrials, tr("Trials of tuning"),
                       tr("Maximum number of schedules to try, all kernels together; 0: no limit"));
    m_trials->setSpecialValueText(tr("no trial limit"));
    m_trials->setSuffix(tr(" trials"));
    m_trials->setObjectName(QStringLiteral("tuneTrials"));
    setOptions(initial);
    setLimits({});
    m_statistics = statisticsLabel();
    auto *line = new QFrame;
    line->setFrameShape(QFrame::VLine);
    line->setForegroundRole(QPalette::Mid);
    for (QWidget *widget : std::initializer_list<QWidget *>{
             buttonFor(run, tr("Run")), m_runs, m_threads, line, buttonFor(tune, tr("Tune")),
             m_seconds, m_trials, buttonFor(cancel, tr("Cancel"))})
        bar->addWidget(widget);
    rows->addWidget(m_statistics);
    return form;
}

void KernelPanel::setRun(const PlanRunPointer &run, State state, bool linked)
{
    m_state = state;
    m_list->change([&] { m_model.setRun(run, linked); });
    for (int column = 0; column < KernelModel::ColumnCount; ++column)
        table().setColumnHidden(column, !m_model.isUsed(KernelModel::Column(column)));
    m_roofline->setRun(run);
    m_note->setText(m_roofline->note());
    m_note->setVisible(!m_note->text().isEmpty());
    m_statistics->setText(statisticsText());
    m_statistics->setVisible(run != nullptr);
    m_statistics->setToolTip(
        run ? tr("Whole runs and kernels are timed in separate runs, so that reading the clock "
                 "between kernels does not slow down the whole. Built by %1.")
                  .arg(fromUtf8(run->outcome.toolchain).toHtmlEscaped())
            : QString());
    updateEmpty();
    showCurrent();
}

void KernelPanel::updateEmpty()
{
    m_body->setEmpty(!m_model.run() && m_tuning->isEmpty());
}

void KernelPanel::beginTuning(std::shared_ptr<const Plan> plan)
{
    const bool begins = plan != nullptr;
    m_tuning->begin(std::move(plan));
    m_lists->removeTab(int(List::Trials));
    if (begins)
        m_lists->addTab(&m_tuning->list(), tr("Trials"));
    updateEmpty();
    if (begins) {
        showTab(Tab::Tuning);
        showList(List::Trials);
    }
}

TuneLimits KernelPanel::limits() const
{
    return {m_seconds->value(), m_trials->value()};
}

void KernelPanel::setLimits(const TuneLimits &limits)
{
    m_seconds->setValue(limits.seconds);
    m_trials->setValue(limits.trials);
}

RunOptions KernelPanel::options() const
{
    return {.runs = m_runs->value(), .threads = unsigned(m_threads->value())};
}

void KernelPanel::setOptions(const RunOptions &options)
{
    m_runs->setValue(options.runs);
    m_threads->setValue(int(options.threads));
}

void KernelPanel::setHint(const QString &hint, QAction *action)
{
    m_body->setHint(hint, action);
}

void KernelPanel::setTheme(const Theme &theme)
{
    m_source->setTheme(theme);
    m_roofline->setTheme(theme);
    m_tuning->setTheme(theme);
}

void KernelPanel::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(int(tab));
}

void KernelPanel::showList(List list)
{
    m_lists->setCurrentIndex(int(list));
}

bool KernelPanel::isEmpty() const
{
    return m_body->isEmpty();
}

QString KernelPanel::statisticsText() const
{
    const PlanRunPointer &run = m_model.run();
    if (!run)
        return {};
    const TargetOutcome &outcome = run->outcome;
    const Times &whole = outcome.after->whole;
    const auto interpreted =
        std::ranges::count_if(outcome.steps, [](const auto &step) { return !step.reason.empty(); });
    QString text = noticeOf(*run, m_state == State::Stale) + speedupOf(*run);
    const int runs = outcome.after->runs;
    const QString spread =
        runs == 1 ? tr("one run")
                  : tr("median of %1 runs · minimum %2 · 95th percentile %3 · noise %4 %")
                        .arg(runs)
                        .arg(formatReal(whole.min), formatReal(whole.p95),
                             QString::number(100 * whole.noise, 'f', 1));
    text += tr("<b>%1 ms</b> (%2), %3 · %4 kernels")
                .arg(formatReal(whole.median), fromUtf8(nameOf(outcome.provenance)), spread)
                .arg(outcome.steps.size() - std::size_t(interpreted));
    if (interpreted > 0)
        text += tr(" and %1 interpreted").arg(interpreted);
    text += tr(" · %1 ms together · %2 threads · arena %3, with inputs and outputs %4")
                .arg(formatReal(run->stepMs))
                .arg(outcome.threads)
                .arg(formatBytes(double(outcome.memory.arena)),
                     formatBytes(double(outcome.memory.arena + outcome.memory.border)));
    if (run->tunedElsewhere())
        text += tr(" · schedules tuned on another machine");
    if (const QString origin = run->origin(); !origin.isEmpty())
        text += tr(" · measured %1").arg(origin.toHtmlEscaped());
    return text;
}

void KernelPanel::showCurrent()
{
    const int row = m_list->currentRow();
    m_source->show(row < 0 ? nullptr : m_model.run(), std::size_t(std::max(row, 0)));
    m_roofline->mark(row);
    const PlanStep *step = row < 0 ? nullptr : &m_model.run()->steps()[std::size_t(row)];
    const bool chosen = table().selectionModel()->isRowSelected(table().currentIndex().row());
    m_tuning->showKernel(step && step->block && chosen
                             ? std::optional(KernelPlace{*step->block, step->nest})
                             : std::nullopt);
}

void KernelPanel::chooseKernel(const KernelPlace &place)
{
    for (int row = 0; row < m_model.rowCount(); ++row)
        if (const PlanStep &step = m_model.run()->steps()[std::size_t(row)];
            step.block == place.block && (!place.nest || step.nest == *place.nest)) {
            m_list->choose(row);
            break;
        }
    m_tuning->showKernel(place); // there may be no row for the nest; whole blocks have none
}

} // namespace graphloom
