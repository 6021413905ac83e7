// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/table.h"

#include "app/widgets/chip_delegate.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int margins = 14, iconRoom = 22;
constexpr int mostContent = 340; // pixels of a column
constexpr int leastShared = 30;  // characters of a column that gets less than its content needs
constexpr int samples = 60;      // rows that are measured

/// Fits the height of a table's rows to its font.
class RowHeight final : public QObject {
public:
    explicit RowHeight(QTableView &table) : QObject(&table), m_table(table)
    {
        table.installEventFilter(this);
        fit();
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::FontChange)
            fit();
        return QObject::eventFilter(watched, event);
    }

private:
    void fit()
    {
        m_table.verticalHeader()->setDefaultSectionSize(m_table.fontMetrics().height() + 7);
    }

    QTableView &m_table;
};

} // namespace

void setUpTable(QTableView &table)
{
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setAlternatingRowColors(true);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTextElideMode(Qt::ElideMiddle); // names have common prefixes
    table.setSortingEnabled(true);
    table.setTabKeyNavigation(false);
    table.setFrameShape(QFrame::NoFrame);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setCornerButtonEnabled(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    new RowHeight(table);
    table.horizontalHeader()->setTextElideMode(Qt::ElideRight);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setStretchLastSection(true);
    table.horizontalHeader()->setSectionsMovable(true);
    table.horizontalHeader()->setMinimumSectionSize(36);
}

ColumnFit::ColumnFit(QTableView &table)
    : QObject(&table), m_table(table), m_header(table.horizontalHeader()->viewport())
{
    table.viewport()->installEventFilter(this);
    const auto remeasure = [this] { measure(); };
    connect(table.model(), &QAbstractItemModel::modelReset, this, remeasure);
    connect(table.model(), &QAbstractItemModel::rowsInserted, this, [this] {
        if (!m_hadRows)
            measure();
    });
    m_widening.setSingleShot(true);
    m_widening.setInterval(200);
    connect(&m_widening, &QTimer::timeout, this, &ColumnFit::widen);
    connect(table.model(), &QAbstractItemModel::dataChanged, this, [this] {
        if (!m_widening.isActive())
            m_widening.start();
    });
    table.horizontalHeader()->viewport()->installEventFilter(this);
    // Widths change by themselves, too: of the last section, which takes what the others leave, and
    // when apply() sets them.
    connect(table.horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
        if (!m_isApplying && m_isDragged && !isLast(column))
            m_resized.insert(column);
    });
    measure();
}

bool ColumnFit::isLast(int column) const
{
    const QHeaderView &header = *m_table.horizontalHeader();
    for (int place = header.visualIndex(column) + 1; place < header.count(); ++place)
        if (!header.isSectionHidden(header.logicalIndex(place)))
            return false;
    return true;
}

void ColumnFit::measure()
{
    const QAbstractItemModel &model = *m_table.model();
    m_hadRows = model.rowCount() > 0;
    m_isStale = !m_table.isVisible();
    if (m_isStale)
        return;
    m_widths.clear();
    for (int column = 0; column < model.columnCount(); ++column)
        m_widths.push_back(widthOf(column));
    apply();
}

/// Gives columns more width where values have become longer. None gets less, as columns must not
/// move with each value of a run.
void ColumnFit::widen()
{
    if (m_isStale)
        return;
    const std::vector<int> widths = m_widths;
    for (int column = 0; column < int(widths.size()); ++column)
        m_widths[std::size_t(column)] = std::max(widths[std::size_t(column)], widthOf(column));
    if (m_widths != widths)
        apply();
}

int ColumnFit::widthOf(int column) const
{
    const QAbstractItemModel &model = *m_table.model();
    const QFontMetrics metrics = m_table.fontMetrics();
    const int rows = model.rowCount();
    const int step = std::max(1, rows / samples);
    const bool hasChips =
        dynamic_cast<const ChipDelegate *>(m_table.itemDelegateForColumn(column)) != nullptr;
    int width = 0;
    for (int row = 0; row < rows; row += step) {
        const QModelIndex index = model.index(row, column);
        int cell = metrics.horizontalAdvance(index.data().toString());
        if (!index.data(Qt::DecorationRole).isNull())
            cell += iconRoom;
        width = std::max(width, cell);
    }
    width += margins + (hasChips ? ChipDelegate::room : 0);
    return std::max(m_table.horizontalHeader()->sectionSizeHint(column),
                    std::min(width, mostContent));
}

/// Finds the width that the widest columns share, such that all columns fit, and sets the widths.
void ColumnFit::apply()
{
    if (m_isApplying)
        return;
    std::vector<int> fitted;
    int room = m_table.viewport()->width();
    for (int column = 0; column < int(m_widths.size()); ++column) {
        if (m_table.isColumnHidden(column))
            continue;
        if (m_resized.contains(column))
            room -= m_table.columnWidth(column);
        else
            fitted.push_back(m_widths[std::size_t(column)]);
    }
    std::ranges::sort(fitted);
    int shared = mostContent;
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        const int each = room / int(fitted.size() - i);
        if (fitted[i] > each) {
            shared = std::max(each, leastShared * m_table.fontMetrics().averageCharWidth());
            break;
        }
        room -= fitted[i];
    }
    m_isApplying = true;
    for (int column = 0; column < int(m_widths.size()); ++column)
        if (!m_resized.contains(column))
            m_table.setColumnWidth(column, std::min(m_widths[std::size_t(column)], shared));
    m_isApplying = false;
}

bool ColumnFit::eventFilter(QObject *watched, QEvent *event)
{
    const bool isOfHeader = watched == m_header;
    switch (event->type()) {
    case QEvent::Show:
        if (!isOfHeader && m_isStale)
            measure();
        break;
    case QEvent::Resize:
        if (!isOfHeader)
            apply();
        break;
    case QEvent::FontChange:
        if (!isOfHeader)
            measure();
        break;
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        m_isDragged = m_isDragged || isOfHeader;
        break;
    case QEvent::MouseButtonRelease:
        m_isDragged = false;
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace graphloom
