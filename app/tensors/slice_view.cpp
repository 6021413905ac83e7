// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/slice_view.h"

#include "app/style/icons.h"
#include "app/tensors/element_edit.h"
#include "app/tensors/page_bar.h"
#include "app/tensors/turning_splitter.h"
#include "app/widgets/panel_layout.h"
#include "app/widgets/table.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr std::int64_t longCopy = std::int64_t{1} << 14; // elements; listed as a task

/// Returns the number of characters that most elements of a type take.
int charactersOf(DataType type)
{
    return type == DataType::String                      ? 20
           : type == DataType::Double                    ? 20
           : type == DataType::Complex64                 ? 22
           : type == DataType::Complex128                ? 38
           : isFloatingPoint(type) || bitsOf(type) >= 32 ? 12
                                                         : 6;
}

} // namespace

SliceView::SliceView(QWidget *parent) : QWidget(parent), m_bar(new SliceBar), m_map(new HeatMap)
{
    makeTools();
    auto *split = new TurningSplitter;
    split->addWidget(makeTable());
    split->addWidget(m_map);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    QVBoxLayout *rows = makeColumn(*this);
    rows->addWidget(m_bar);
    rows->addWidget(split, 1);
    connect(m_bar, &SliceBar::sliceChosen, this, &SliceView::setSlice);
    connect(m_go, &ElementEdit::wanted, this, &SliceView::goTo);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &now) {
                if (m_model.positionAt(now))
                    m_map->setCurrent(m_model.firstRow() + now.row(),
                                      m_model.firstColumn() + now.column());
            });
    connect(m_map, &HeatMap::currentChosen, this, &SliceView::showCell);
    connect(m_ownScale, &QToolButton::toggled, this, [this] { setStatistics(m_statistics); });
}

void SliceView::makeTools()
{
    m_tools = new QWidget(this);
    m_tools->hide();
    QHBoxLayout *row = makeToolRow(*m_tools);
    row->setContentsMargins(6, 0, 6, 0);
    m_go = new ElementEdit;
    row->addWidget(m_go, 1);
    m_ownScale = addTool(*row, "scaleToSlice", tr("Scale to slice"),
                         tr("Scale the colours to the slice instead of the whole tensor"));
    m_ownScale->setIcon(themedIcon(QStringLiteral("sliders")));
    m_ownScale->setCheckable(true);
}

QWidget *SliceView::makeTable()
{
    auto *content = new QWidget;
    QVBoxLayout *rows = makeColumn(*content);
    m_table = new QTableView;
    setUpValues();
    m_rowPages = new PageBar(tr("rows %1 to %2 of %3"), ValueModel::mostRows);
    m_columnPages = new PageBar(tr("columns %1 to %2 of %3"), ValueModel::mostColumns);
    rows->addWidget(m_table, 1);
    rows->addWidget(m_rowPages);
    rows->addWidget(m_columnPages);
    connect(m_rowPages, &PageBar::wanted, this,
            [this](qint64 first) { showCell(first, m_model.firstColumn()); });
    connect(m_columnPages, &PageBar::wanted, this,
            [this](qint64 first) { showCell(m_model.firstRow(), first); });
    return content;
}

void SliceView::setUpValues()
{
    m_table->setModel(&m_model);
    setUpTable(*m_table);
    m_table->setSortingEnabled(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setSelectionMode(QAbstractItemView::ContiguousSelection);
    m_table->verticalHeader()->show();
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->horizontalHeader()->setSectionsMovable(false);
    m_table->setAccessibleName(tr("Values of the slice"));
    m_table->setObjectName(QStringLiteral("tensorValues"));
    auto *copyCells = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy"), m_table);
    copyCells->setShortcut(QKeySequence::Copy);
    copyCells->setShortcutContext(Qt::WidgetShortcut);
    connect(copyCells, &QAction::triggered, this, &SliceView::copy);
    m_table->addAction(copyCells);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void SliceView::setJobs(JobList *jobs)
{
    m_jobs = jobs;
    m_map->setJobs(jobs);
}

void SliceView::setTensor(std::shared_ptr<const TensorData> tensor)
{
    if (tensor == m_model.tensor())
        return;
    m_copier.abandon();
    const bool sameForm = tensor && tensor->extents() == m_bar->slice().extents();
    const TensorSlice slice =
        sameForm ? m_bar->slice() : TensorSlice(tensor ? tensor->extents() : TensorData::Extents());
    m_bar->setSlice(slice);
    m_go->setExtents(slice.extents());
    m_model.setSlice(tensor, slice);
    m_map->setVisible(tensor && tensor->type() != DataType::String);
    m_map->setSlice(tensor, slice);
    if (tensor)
        m_table->horizontalHeader()->setDefaultSectionSize(
            m_table->fontMetrics().horizontalAdvance('0') * charactersOf(tensor->type()) + 12);
    m_ownScale->setVisible(tensor && tensor->type() != DataType::String);
    showPages();
}

void SliceView::setSlice(const TensorSlice &slice)
{
    m_model.setSlice(m_model.tensor(), slice);
    m_map->setSlice(m_model.tensor(), slice);
    showPages();
}

void SliceView::setStatistics(const StatisticsPointer &statistics)
{
    m_statistics = statistics;
    const bool bounded = statistics && statistics->leastAt && !m_ownScale->isChecked();
    m_map->setBounds(bounded ? std::optional(std::pair(statistics->least, statistics->greatest))
                             : std::nullopt);
}

void SliceView::showPages()
{
    const TensorSlice &slice = m_model.slice();
    m_rowPages->setPlace(m_model.firstRow(), slice.rows());
    m_columnPages->setPlace(m_model.firstColumn(), slice.columns());
}

void SliceView::goTo(std::int64_t position)
{
    TensorSlice slice = m_bar->slice();
    const auto [row, column] = slice.show(position);
    if (slice != m_bar->slice()) {
        m_bar->setSlice(slice);
        setSlice(slice);
    }
    showCell(row, column);
}

void SliceView::showCell(std::int64_t row, std::int64_t column)
{
    m_model.showPart(row, column);
    showPages();
    const QModelIndex cell = m_model.indexOf(row, column);
    m_table->setCurrentIndex(cell);
    m_table->scrollTo(cell);
}

void SliceView::copy()
{
    if (!m_model.tensor() || m_model.slice().elements() == 0)
        return;
    std::int64_t row = 0, column = 0, rows = m_model.slice().rows(),
                 columns = m_model.slice().columns();
    const QItemSelection selected = m_table->selectionModel()->selection();
    if (const auto indexes = selected.size() == 1 ? selected.front() : QItemSelectionRange();
        indexes.isValid() && (indexes.width() > 1 || indexes.height() > 1 || m_table->hasFocus())) {
        row = m_model.firstRow() + indexes.top();
        column = m_model.firstColumn() + indexes.left();
        rows = indexes.height();
        columns = indexes.width();
    }
    if (rows > mostCopied / columns) {
        Q_EMIT refused(
            tr("Cannot copy %1 values: at most %2 can be copied. Select fewer, or export "
               "the slice as a file")
                .arg(rows * columns)
                .arg(mostCopied));
        return;
    }
    auto work = [data = m_model.tensor(), slice = m_model.slice(), row, column, rows,
                 columns](const std::stop_token &stop) -> Result<QString> {
        return tabbedText(*data, slice, row, column, rows, columns, stop);
    };
    if (rows * columns >= longCopy)
        m_copier.announce(m_jobs, tr("Copying values of a tensor"));
    m_copier.start(std::move(work), [this, elements = rows * columns](const Result<QString> &text) {
        if (m_copier.isStopped()) {
            Q_EMIT refused(tr("Copying the values was cancelled"));
        } else if (!text) {
            Q_EMIT refused(tr("Cannot copy the values: %1").arg(fromUtf8(text.error().text())));
        } else {
            QApplication::clipboard()->setText(*text);
            Q_EMIT copied(elements);
        }
    });
}

} // namespace graphloom
