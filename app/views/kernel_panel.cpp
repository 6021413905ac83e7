// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/kernel_panel.h"

#include "app/models/format.h"
#include "app/views/hinted_panel.h"
#include "app/views/icons.h"
#include "app/views/roofline_view.h"
#include "app/views/source_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int widths[] = {52, 130, 60, 58, 64, 74, 58, 200, 220, 200};
constexpr int mostRuns = 100'000, mostThreads = 1024, leastWidth = 200;

QToolButton *buttonFor(QAction *action)
{
    auto *button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
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

KernelPanel::KernelPanel(Selection &selection, QAction *run, QAction *cancel, QWidget *parent)
    : QWidget(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeForm(run, cancel));
    m_list = new FilteredTable(m_model,
                               {tr("Kernels"), tr("Filter kernels"),
                                tr("Filter by what is computed, schedule or reason"),
                                QStringLiteral("kernelTable")},
                               widths);
    m_list->linkTo(selection);
    table().setSelectionMode(QAbstractItemView::ExtendedSelection);
    table().setTextElideMode(Qt::ElideMiddle); // names begin alike
    table().sortByColumn(KernelModel::Time, Qt::DescendingOrder);
    auto *copyRows = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy"), &table());
    copyRows->setShortcut(QKeySequence::Copy);
    copyRows->setShortcutContext(Qt::WidgetShortcut);
    table().addAction(copyRows);
    connect(copyRows, &QAction::triggered, this, [this] { copy(false); });
    auto *copyAll = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy table"), this);
    copyAll->setToolTip(tr("Copy the rows that are shown, as text with tabs"));
    copyAll->setObjectName(QStringLiteral("copyKernels"));
    connect(copyAll, &QAction::triggered, this, [this] { copy(true); });
    m_list->addBeforeFilter(buttonFor(copyAll), 0);

    m_source = new SourceView;
    m_roofline = new RooflineView;
    m_note = new QLabel;
    m_note->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(8, 2, 8, 2);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setObjectName(QStringLiteral("rooflineNote"));
    auto *roofs = new QWidget;
    auto *column = new QVBoxLayout(roofs);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_roofline, 1);
    column->addWidget(m_note);
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_source, tr("Code"));
    m_tabs->addTab(roofs, tr("Roofline"));

    // Neither the plot nor the form shall widen the window.
    m_tabs->setMinimumWidth(leastWidth);
    m_list->setMinimumWidth(leastWidth);
    m_statistics->setMinimumWidth(1);
    auto *split = new QSplitter;
    split->addWidget(m_list);
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
    connect(m_roofline, &RooflineView::chosen, this, &KernelPanel::chooseStep);
}

QWidget *KernelPanel::makeForm(QAction *run, QAction *cancel)
{
    auto *form = new QWidget;
    auto *bar = new QHBoxLayout(form);
    bar->setContentsMargins(6, 4, 6, 4);
    const RunOptions initial;
    m_runs = spinBox(1, mostRuns, tr("Runs"), tr("How many runs are timed, after some to warm up"));
    m_runs->setSuffix(tr(" runs"));
    m_runs->setObjectName(QStringLiteral("runs"));
    m_threads = spinBox(0, mostThreads, tr("Threads"),
                        tr("Of one run, each kept on a core of its own; 0: one per core"));
    m_threads->setSpecialValueText(tr("all cores"));
    m_threads->setSuffix(tr(" threads"));
    m_threads->setObjectName(QStringLiteral("threads"));
    setOptions(initial);
    m_statistics = statisticsLabel();
    bar->addWidget(buttonFor(run));
    bar->addWidget(buttonFor(cancel));
    bar->addWidget(m_runs);
    bar->addWidget(m_threads);
    bar->addWidget(m_statistics, 1);
    return form;
}

void KernelPanel::setRun(const PlanRunPointer &run, State state, bool linked)
{
    m_state = state;
    m_list->change([&] { m_model.setRun(run, linked); });
    m_roofline->setRun(run);
    m_note->setText(m_roofline->note());
    m_note->setVisible(!m_note->text().isEmpty());
    m_statistics->setText(statisticsText());
    m_statistics->setToolTip(
        run ? tr("Whole runs are timed by themselves; kernels in further runs, "
                 "with a look at the clock between them. Built by %1.")
                  .arg(fromUtf8(run->outcome.toolchain).toHtmlEscaped())
            : QString());
    m_body->setEmpty(!run);
    showCurrent();
}

RunOptions KernelPanel::options() const
{
    return {m_runs->value(), unsigned(m_threads->value())};
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
}

void KernelPanel::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(int(tab));
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
    QString text;
    if (m_state == State::Stale)
        text = tr("<b>Of another plan than the one that is shown: run again.</b> ");
    text += tr("<b>%1 ms</b> (%2), median of %3 runs · least %4 · 95th percentile %5 · noise %6 % "
               "· %7 kernels")
                .arg(formatReal(whole.median), fromUtf8(nameOf(outcome.provenance)))
                .arg(outcome.after->runs)
                .arg(formatReal(whole.min), formatReal(whole.p95),
                     QString::number(100 * whole.noise, 'f', 1))
                .arg(outcome.steps.size() - std::size_t(interpreted));
    if (interpreted > 0)
        text += tr(" and %1 interpreted").arg(interpreted);
    return text + tr(" · %1 ms together · %2 threads · arena %3")
                      .arg(formatReal(run->stepMs))
                      .arg(outcome.threads)
                      .arg(formatBytes(double(outcome.memory.arena)));
}

void KernelPanel::showCurrent()
{
    const int row = m_list->currentRow();
    m_source->show(row < 0 ? nullptr : m_model.run(), std::size_t(std::max(row, 0)));
    m_roofline->mark(row);
}

/// As a click on its row does.
void KernelPanel::chooseStep(int step)
{
    QModelIndex index = m_list->filter().mapFromSource(m_model.index(step, 0));
    if (!index.isValid()) { // filtered out
        m_list->edit().clear();
        index = m_list->filter().mapFromSource(m_model.index(step, 0));
    }
    table().selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    table().selectRow(index.row());
    table().scrollTo(index);
}

/// The rows that are selected, or all that are shown, in their order; titles come first.
void KernelPanel::copy(bool all)
{
    const QAbstractItemModel &shown = m_list->filter();
    QStringList lines;
    const auto add = [&](auto textOf) {
        QStringList cells;
        for (int column = 0; column < shown.columnCount(); ++column)
            cells << textOf(column);
        lines << cells.join('\t');
    };
    add([&](int column) { return shown.headerData(column, Qt::Horizontal).toString(); });
    for (int row = 0; row < shown.rowCount(); ++row)
        if (all || table().selectionModel()->isRowSelected(row))
            add([&](int column) { return shown.index(row, column).data().toString(); });
    QApplication::clipboard()->setText(lines.join('\n') + '\n');
}

} // namespace graphloom
