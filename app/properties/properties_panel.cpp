// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/properties_panel.h"

#include "app/style/icons.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QTreeView>

#include <cmath>

namespace graphloom {

namespace {

constexpr int verticalPadding = 3, horizontalPadding = 5, nameWidth = 112;

/// Wraps values to the width of their column; formulas in a fixed-width font.
class WrappingDelegate final : public QStyledItemDelegate {
public:
    explicit WrappingDelegate(QTreeView *tree) : QStyledItemDelegate(tree), m_tree(tree) {}

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const int width = widthOf(index) - 2 * horizontalPadding;
        QTextLayout layout(textOf(index), fontOf(option.font, index));
        return {width, int(std::ceil(wrap(layout, width))) + 2 * verticalPadding};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        const bool selected = option.state & QStyle::State_Selected;
        const bool section = !index.parent().isValid();
        if (section)
            painter->fillRect(option.rect, option.palette.color(QPalette::Window));
        else if (selected)
            painter->fillRect(option.rect, option.palette.color(QPalette::Highlight));
        painter->setPen(option.palette.color(selected && !section ? QPalette::HighlightedText
                                             : index.column() == 0 && !section
                                                 ? QPalette::PlaceholderText
                                                 : QPalette::Text));
        const QString text = textOf(index);
        QTextLayout layout(text, fontOf(option.font, index));
        wrap(layout, option.rect.width() - 2 * horizontalPadding);
        QList<QTextLayout::FormatRange> formats;
        if (isLink(index)) { // only the first line; the rest explains it
            QTextCharFormat link;
            link.setFontUnderline(true);
            if (!selected)
                link.setForeground(option.palette.color(QPalette::Link));
            const auto end = text.indexOf(QChar::LineSeparator);
            formats.append({0, int(end < 0 ? text.size() : end), link});
        }
        layout.draw(painter, option.rect.topLeft() + QPointF(horizontalPadding, verticalPadding),
                    formats);
    }

private:
    static bool isLink(const QModelIndex &index)
    {
        return index.data(PropertyModel::LinkRole).toBool();
    }
    static QString textOf(const QModelIndex &index)
    {
        QString text = index.data().toString().replace('\n', QChar::LineSeparator);
        if (index.column() == PropertyModel::Name) // long names may break between words
            text.replace('_', QStringLiteral("_\u200b"));
        return text;
    }
    /// Breaks lines between words or, if necessary, within long names. Returns the height.
    static double wrap(QTextLayout &layout, int width)
    {
        QTextOption option;
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        layout.setTextOption(option);
        double y = 0;
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(std::max(20, width));
            line.setPosition({0, y});
            y += line.height();
        }
        layout.endLayout();
        return y;
    }
    int widthOf(const QModelIndex &index) const
    {
        if (!index.parent().isValid())
            return m_tree->viewport()->width();
        const int width = m_tree->columnWidth(index.column());
        return std::max(40, index.column() == 0 ? width - m_tree->indentation() : width);
    }
    static QFont fontOf(const QFont &base, const QModelIndex &index)
    {
        if (index.data(PropertyModel::CodeRole).toBool()) {
            QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
            font.setPointSizeF(base.pointSizeF() * 0.94);
            return font;
        }
        QFont font = base;
        font.setBold(!index.parent().isValid());
        return font;
    }

    QTreeView *m_tree;
};

} // namespace

PropertiesPanel::PropertiesPanel(Selection &selection, QWidget *parent)
    : HintedPanel(parent), m_selection(selection)
{
    m_tree = new QTreeView;
    m_tree->setModel(&m_model);
    m_tree->setItemDelegate(new WrappingDelegate(m_tree));
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setHeaderHidden(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setItemsExpandable(false);
    m_tree->setIndentation(6);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->setAccessibleName(tr("Properties"));
    m_tree->setObjectName(QStringLiteral("propertyTree"));
    m_tree->setTextElideMode(Qt::ElideMiddle); // names have common prefixes
    m_tree->setColumnWidth(0, nameWidth);
    m_tree->header()->setStretchLastSection(true);
    connect(m_tree->header(), &QHeaderView::sectionResized, m_tree,
            [this] { m_tree->doItemsLayout(); });
    auto *copy = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy value"), m_tree);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &PropertiesPanel::copyCurrent);
    m_tree->addAction(copy);
    auto *open = new QAction(themedIcon(QStringLiteral("next")), tr("Follow link"), m_tree);
    open->setShortcuts({QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)});
    open->setShortcutContext(Qt::WidgetShortcut);
    open->setEnabled(false);
    connect(open, &QAction::triggered, this, [this] { follow(m_tree->currentIndex()); });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, open,
            [this, open](const QModelIndex &now) {
                open->setEnabled(m_model.linkAt(now).has_value());
            });
    m_tree->addAction(open);
    connect(m_tree, &QTreeView::clicked, this, &PropertiesPanel::follow);
    m_tree->setMouseTracking(true);
    connect(m_tree, &QTreeView::entered, this, [this](const QModelIndex &index) {
        m_tree->viewport()->setCursor(m_model.linkAt(index) ? Qt::PointingHandCursor
                                                            : Qt::ArrowCursor);
    });
    m_tree->setContextMenuPolicy(Qt::ActionsContextMenu);
    setContent(m_tree);
    connect(&m_selection, &Selection::changed, this, &PropertiesPanel::refresh);
    setEmpty(true);
}

void PropertiesPanel::setSnapshot(SnapshotPointer snapshot)
{
    m_snapshot = std::move(snapshot);
    refresh();
}

void PropertiesPanel::setData(OwnTablePointer own, MetricPointer metric)
{
    m_own = std::move(own);
    m_metric = std::move(metric);
    refresh();
}

void PropertiesPanel::refresh()
{
    std::vector<PropertySection> sections;
    if (m_snapshot)
        sections = propertiesOf(*m_snapshot, m_selection.item());
    if (!sections.empty()) {
        const PropertySection known =
            dataSectionOf(*m_snapshot, m_selection.item(), m_own.get(), m_metric.get());
        if (!known.properties.empty())
            sections.insert(sections.begin() + 1, known);
    }
    m_model.setSections(std::move(sections));
    for (int row = 0; row < m_model.rowCount(); ++row)
        m_tree->setFirstColumnSpanned(row, {}, true);
    m_tree->expandAll();
    setEmpty(m_model.rowCount() == 0);
}

void PropertiesPanel::follow(const QModelIndex &index)
{
    if (const auto link = m_model.linkAt(index))
        Q_EMIT linkActivated(*link);
}

void PropertiesPanel::copyCurrent()
{
    const QModelIndex current = m_tree->currentIndex();
    if (current.isValid())
        QApplication::clipboard()->setText(current.siblingAtColumn(PropertyModel::Value)
                                               .data()
                                               .toString()
                                               .replace(QChar::Nbsp, ' '));
}

} // namespace graphloom
