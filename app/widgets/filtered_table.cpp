// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/filtered_table.h"

#include "app/style/icons.h"
#include "app/widgets/copy_rows.h"
#include "app/widgets/panel_layout.h"
#include "app/widgets/selection_link.h"
#include "app/widgets/table.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMetaMethod>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

FilteredTable::FilteredTable(TableModel &model, const Texts &texts, QWidget *parent)
    : QWidget(parent), m_model(model), m_filter(model)
{
    QVBoxLayout *layout = makeColumn(*this);

    m_edit = texts.line;
    if (!m_edit) {
        m_edit = new QLineEdit;
        m_edit->setClearButtonEnabled(true);
        m_edit->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    }
    m_edit->setPlaceholderText(texts.placeholder);
    m_edit->setAccessibleName(texts.filter);
    m_bar = new QHBoxLayout;
    m_bar->setContentsMargins(6, 6, 6, 6);
    m_bar->addWidget(m_edit, 1);
    layout->addLayout(m_bar);
    m_problem = new QLabel;
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(8, 0, 8, 5);
    m_problem->hide();
    layout->addWidget(m_problem);

    m_table = new QTableView;
    m_table->setModel(&m_filter);
    setUpTable(*m_table);
    m_table->setAccessibleName(texts.table);
    m_table->setObjectName(texts.objectName);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    layout->addWidget(m_table, 1);
    new ColumnFit(*m_table);

    connect(m_edit, &QLineEdit::textChanged, this, [this](const QString &text) {
        const auto filter = [this, text] { change([&] { m_filter.setText(text); }); };
        if (m_gate)
            m_gate(text, filter);
        else
            filter();
    });
    connect(m_edit, &QLineEdit::returnPressed, m_table, [this] {
        if (m_filter.rowCount() > 0) {
            m_table->setFocus();
            m_table->selectRow(0);
        }
    });
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex &index) { Q_EMIT activated(m_model.itemAt(rowAt(index))); });
    makeRowsCopyable(*m_table);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, [this](const QPoint &place) {
        const QPoint at = m_table->viewport()->mapToGlobal(place);
        const int row = currentRow();
        if (isSignalConnected(QMetaMethod::fromSignal(&FilteredTable::menuRequested)))
            Q_EMIT menuRequested(row < 0 ? Item() : m_model.itemAt(row), at);
        else
            QMenu::exec(m_table->actions(), at, nullptr, m_table);
    });
}

void FilteredTable::addBeforeFilter(QWidget *widget, int stretch)
{
    m_bar->insertWidget(0, widget, stretch);
}

void FilteredTable::setProblem(const QString &problem)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

void FilteredTable::makeCopyable(const QString &buttonName)
{
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    auto *copyAll = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy table"), this);
    copyAll->setToolTip(tr("Copy the visible rows as text, CSV and HTML"));
    copyAll->setObjectName(buttonName);
    connect(copyAll, &QAction::triggered, this, [this] { copyRows(*m_table, CopiedRows::All); });
    auto *button = new QToolButton;
    button->setDefaultAction(copyAll);
    button->setAutoRaise(true);
    addBeforeFilter(button, 0);
}

void FilteredTable::choose(int row)
{
    QModelIndex index = m_filter.mapFromSource(m_model.index(row, 0));
    if (!index.isValid()) { // filtered out
        m_edit->clear();
        index = m_filter.mapFromSource(m_model.index(row, 0));
    }
    m_table->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    m_table->selectRow(index.row());
    m_table->scrollTo(index);
}

void FilteredTable::linkTo(Selection &selection)
{
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_link = new SelectionLink(*m_table, m_filter, m_model, selection);
}

void FilteredTable::change(const std::function<void()> &change)
{
    if (m_link)
        m_link->change(change);
    else
        change();
}

int FilteredTable::currentRow() const
{
    const QModelIndex current = m_table->currentIndex();
    return current.isValid() ? rowAt(current) : -1;
}

} // namespace graphloom
