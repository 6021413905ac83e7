// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_panel.h"

#include "app/common/format.h"
#include "app/runs/search_view.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

RunPanel::RunPanel(QWidget *parent) : HintedPanel(parent)
{
    m_list = new FilteredTable(m_model, {tr("Runs"), tr("Filter runs"),
                                         tr("Filter by pass, parameters or result"),
                                         QStringLiteral("runTable")});
    m_list->makeCopyable(QStringLiteral("copyRuns"));
    table().sortByColumn(RunModel::Number, Qt::DescendingOrder); // the newest is on top
    m_line = statisticsLabel();
    m_line->setObjectName(QStringLiteral("searchLine"));
    m_search = new SearchView;
    m_reasons = new FilteredTable(m_refusals, {tr("Rejected candidates"), tr("Filter reasons"),
                                               tr("Filter by reason or example"),
                                               QStringLiteral("refusalTable")});
    m_reasons->makeCopyable(QStringLiteral("copyRefusals"));
    m_reasons->table().sortByColumn(RefusalModel::Count, Qt::DescendingOrder);

    auto *curve = new QWidget;
    QVBoxLayout *column = makeColumn(*curve);
    column->addWidget(m_line);
    column->addWidget(m_search, 1);
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->setObjectName(QStringLiteral("runTabs"));
    m_tabs->addTab(curve, tr("Best so far"));
    m_tabs->addTab(m_reasons, tr("Rejected"));
    m_tabs->setTabToolTip(0, tr("Cost of the best state over the time of the search"));
    m_tabs->setTabToolTip(1, tr("Why the search rejected candidates"));
    auto *split = new QSplitter;
    split->addWidget(m_list);
    split->addWidget(m_tabs);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    m_tabs->setMinimumWidth(330);
    setContent(split);
    setEmpty(true);
    m_drawing.setSingleShot(true);
    m_drawing.setInterval(0);
    connect(&m_drawing, &QTimer::timeout, this, [this] { m_search->show(chosenRuns()); });

    connect(table().selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showChosen();
        Q_EMIT choiceChanged();
    });
    connect(&table(), &QTableView::activated, this, [this](const QModelIndex &index) {
        Q_EMIT activated(m_model.at(m_list->rowAt(index)).number);
    });
}

void RunPanel::setActions(const std::vector<QAction *> &actions)
{
    for (auto it = actions.rbegin(); it != actions.rend(); ++it) {
        auto *button = new QToolButton;
        button->setDefaultAction(*it);
        button->setAutoRaise(true);
        m_list->addBeforeFilter(button, 0);
        table().addAction(*it);
    }
}

void RunPanel::set(const PassRun &run)
{
    const bool fresh = m_model.rowOfRun(run.number) < 0;
    m_model.set(run);
    setEmpty(false);
    if (fresh)
        choose(run.number);
    else if (std::ranges::count(chosen(), run.number))
        showChosen();
}

void RunPanel::remove(int number)
{
    const bool wasShown = std::ranges::count(chosen(), number) > 0;
    m_model.remove(number);
    setEmpty(m_model.rowCount() == 0);
    if (wasShown)
        showChosen();
}

void RunPanel::choose(int number)
{
    if (const int row = m_model.rowOfRun(number); row >= 0)
        m_list->choose(row);
}

std::vector<int> RunPanel::chosen() const
{
    std::vector<int> numbers;
    if (const int row = m_list->currentRow(); row >= 0)
        numbers.push_back(m_model.at(row).number);
    for (const QModelIndex &index : m_list->table().selectionModel()->selectedRows())
        if (const int number = m_model.at(m_list->rowAt(index)).number;
            !std::ranges::count(numbers, number))
            numbers.push_back(number);
    return numbers;
}

QString RunPanel::lineText() const
{
    return m_line->text();
}

/// Draws nothing while hidden.
void RunPanel::showEvent(QShowEvent *event)
{
    HintedPanel::showEvent(event);
    showChosen();
}

std::vector<PassRun> RunPanel::chosenRuns() const
{
    std::vector<PassRun> runs;
    for (const int number : chosen())
        runs.push_back(m_model.at(m_model.rowOfRun(number)));
    return runs;
}

SearchView &RunPanel::drawnSearch()
{
    m_search->show(chosenRuns());
    return *m_search;
}

void RunPanel::showChosen()
{
    const std::vector<PassRun> runs = chosenRuns();
    const SearchRecord *record = runs.empty() ? nullptr : runs.front().search.get();
    m_refusals.setRecord(runs.empty() ? nullptr : runs.front().search);
    m_tabs->setTabText(1, record && !record->refusals.empty()
                              ? tr("Rejected (%1)").arg(record->refusals.size())
                              : tr("Rejected"));
    if (!record) {
        m_line->setText(
            runs.empty()
                ? tr("Select a run to see its search.")
                : tr("Run %1 has no search, or has not started it yet.").arg(runs.front().number));
        m_drawing.start();
        return;
    }
    m_line->setText(
        tr("<b>run %1</b>: %2 states/s · %3 states · %4 duplicates · best %5 (%6)")
            .arg(runs.front().number)
            .arg(formatCount(statesPerSecond(*record)),
                 formatCount(double(std::max(record->generated, record->simulated))),
                 formatCount(double(record->filtered)),
                 record->history.empty() ? tr("none") : formatReal(record->history.back().cost),
                 fromUtf8(record->cost).toHtmlEscaped()));
    if (isVisible())
        m_drawing.start();
}

void RunPanel::setTheme(const Theme &theme)
{
    m_search->setTheme(theme);
}

} // namespace graphloom
