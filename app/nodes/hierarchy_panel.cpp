// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/hierarchy_panel.h"

#include "app/query/search.h"
#include "app/style/icons.h"
#include "app/widgets/copy_rows.h"
#include "app/widgets/panel_layout.h"

#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QTreeView>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int countCharacters = 8; // of a figure
constexpr int filterPatience = 60; // milliseconds
constexpr std::size_t mostOpened = 600; // filtered rows up to which all groups are expanded

} // namespace

HierarchyPanel::HierarchyPanel(Selection &selection, QWidget *parent)
    : HintedPanel(parent), m_selection(selection)
{
    auto *content = new QWidget;
    QVBoxLayout *layout = makeColumn(*content);
    m_edit = new QLineEdit;
    m_edit->setPlaceholderText(tr("Filter groups and nodes"));
    m_edit->setClearButtonEnabled(true);
    m_edit->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_edit->setAccessibleName(tr("Filter the hierarchy"));
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 6, 6, 6);
    bar->addWidget(m_edit);
    layout->addLayout(bar);
    m_tree = new QTreeView;
    m_tree->setModel(&m_model);
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tree->setExpandsOnDoubleClick(false); // double-clicks expand on the canvas
    makeRowsCopyable(*m_tree);
    m_tree->setAccessibleName(tr("Hierarchy"));
    m_tree->setObjectName(QStringLiteral("hierarchyTree"));
    // Names take what the figures leave.
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(HierarchyModel::Name, QHeaderView::Stretch);
    m_tree->setTextElideMode(Qt::ElideMiddle); // names have common prefixes
    fitFigures();
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    layout->addWidget(m_tree, 1);
    setContent(content);
    setEmpty(true);

    m_patience.setSingleShot(true);
    m_patience.setInterval(filterPatience);
    connect(m_edit, &QLineEdit::textChanged, &m_patience, qOverload<>(&QTimer::start));
    connect(&m_patience, &QTimer::timeout, this, &HierarchyPanel::filter);
    connect(m_edit, &QLineEdit::returnPressed, m_tree, qOverload<>(&QWidget::setFocus));
    connect(&m_model, &HierarchyModel::collapseWanted, this, &HierarchyPanel::collapseWanted);
    connect(m_tree->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HierarchyPanel::selectRows);
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex &index) {
        if (const Item item = m_model.itemAt(index))
            Q_EMIT activated(item);
        else
            m_tree->setExpanded(index, !m_tree->isExpanded(index));
    });
    connect(m_tree, &QTreeView::customContextMenuRequested, this, [this](const QPoint &place) {
        if (const Item item = m_model.itemAt(m_tree->currentIndex()))
            Q_EMIT menuRequested(item, m_tree->viewport()->mapToGlobal(place));
    });
    connect(&m_selection, &Selection::changed, this, &HierarchyPanel::showSelection);
}

void HierarchyPanel::fitFigures()
{
    const int width = countCharacters * m_tree->fontMetrics().averageCharWidth();
    for (int column = HierarchyModel::Nodes; column < m_model.columnCount(); ++column)
        m_tree->setColumnWidth(column, width);
}

void HierarchyPanel::changeEvent(QEvent *event)
{
    HintedPanel::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_tree)
        fitFigures();
}

void HierarchyPanel::setSnapshot(SnapshotPointer snapshot)
{
    if (snapshot == m_model.snapshot())
        return;
    {
        const QScopedValueRollback following(m_following, true);
        m_model.setSnapshot(std::move(snapshot));
    }
    setEmpty(m_model.rowCount() == 0);
    if (m_edit->text().trimmed().isEmpty()) {
        openSection();
        showSelection();
    } else {
        filter();
    }
}

void HierarchyPanel::setGrouping(Grouping grouping)
{
    if (std::exchange(m_grouping, grouping) == grouping)
        return;
    openSection();
    showSelection();
}

void HierarchyPanel::setCollapsed(const std::set<Item> &collapsed)
{
    m_model.setCollapsed(collapsed);
    m_tree->viewport()->update();
}

/// Expands the section of the drawn groups, or else the first.
void HierarchyPanel::openSection()
{
    QModelIndex section = m_model.sectionOf(m_grouping);
    if (!section.isValid())
        section = m_model.index(0, 0);
    if (section.isValid())
        m_tree->expand(section);
}

void HierarchyPanel::filter()
{
    const QString text = m_edit->text().trimmed();
    std::shared_ptr<HierarchyModel::Filter> filter;
    if (!text.isEmpty() && m_model.snapshot()) {
        filter = std::make_shared<HierarchyModel::Filter>();
        filter->text = text.toLower();
        filter->nodes = nodesMatching(*m_model.snapshot(), Query(text, m_own));
    }
    {
        const QScopedValueRollback following(m_following, true);
        m_model.setFilter(filter);
    }
    if (filter && m_model.entryCount() <= mostOpened)
        m_tree->expandAll();
    else
        openSection();
    showSelection();
}

void HierarchyPanel::showSelection()
{
    if (m_following)
        return;
    const QScopedValueRollback following(m_following, true);
    const auto indexOf = [this](const Item &item) {
        QModelIndex index = m_model.indexOf(item, m_grouping);
        for (const Grouping other :
             {Grouping::Modules, Grouping::Blocks, Grouping::Subgraphs, Grouping::Fissions})
            if (!index.isValid())
                index = m_model.indexOf(item, other);
        return index;
    };
    constexpr std::size_t mostRows = 500; // of larger selections only the last item is shown
    QItemSelection rows;
    if (m_selection.items().size() <= mostRows)
        for (const Item &item : m_selection.items())
            if (const QModelIndex index = indexOf(item); index.isValid())
                rows.select(index, index.siblingAtColumn(HierarchyModel::ColumnCount - 1));
    QItemSelectionModel &model = *m_tree->selectionModel();
    const QModelIndex current = indexOf(m_selection.item());
    model.setCurrentIndex(current, QItemSelectionModel::NoUpdate);
    model.select(rows, QItemSelectionModel::ClearAndSelect);
    if (current.isValid() && isVisible())
        m_tree->scrollTo(current);
}

void HierarchyPanel::selectRows()
{
    if (m_following)
        return;
    const QScopedValueRollback following(m_following, true);
    std::vector<Item> items;
    for (const QModelIndex &index : m_tree->selectionModel()->selectedRows())
        if (const Item item = m_model.itemAt(index))
            items.push_back(item);
    const QModelIndex current = m_tree->currentIndex();
    if (const Item item = m_model.itemAt(current);
        item && m_tree->selectionModel()->isSelected(current))
        items.push_back(item); // again at the end, as panels show the last item
    m_selection.select(std::move(items));
}

} // namespace graphloom
