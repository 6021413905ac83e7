// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/node_list_panel.h"

#include "app/views/icons.h"
#include "app/views/selection_link.h"
#include "app/views/table.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace graphloom {

/// Draws the colour of the operator's class before its name.
class NodeListPanel::ClassDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setTheme(std::shared_ptr<const Theme> theme) { m_theme = std::move(theme); }

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        QStyleOptionViewItem shifted = option;
        initStyleOption(&shifted, index);
        const QRect chip(option.rect.left() + 6, option.rect.center().y() - 4, 9, 9);
        shifted.rect.setLeft(option.rect.left() + 18);
        // The row's background reaches to the left edge.
        QStyleOptionViewItem whole = shifted;
        whole.rect = option.rect;
        whole.text.clear();
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &whole, painter,
                                            option.widget);
        shifted.state &= ~QStyle::State_HasFocus;
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &shifted, painter,
                                            option.widget);
        if (!m_theme)
            return;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(m_theme->canvas.nodeBorder, 0.8));
        painter->setBrush(m_theme->of(OperatorClass(index.data(NodeModel::ClassRole).toInt())));
        painter->drawRoundedRect(chip, 2, 2);
        painter->restore();
    }

private:
    std::shared_ptr<const Theme> m_theme;
};

NodeListPanel::NodeListPanel(Selection &selection, QWidget *parent)
    : HintedPanel(parent), m_selection(selection), m_filter(m_model)
{
    auto *content = new QWidget;
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);

    m_edit = new QLineEdit;
    m_edit->setPlaceholderText(tr("Filter by name, operator or tensor"));
    m_edit->setClearButtonEnabled(true);
    m_edit->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_edit->setAccessibleName(tr("Filter nodes"));
    auto *bar = new QVBoxLayout;
    bar->setContentsMargins(6, 6, 6, 6);
    bar->addWidget(m_edit);
    layout->addLayout(bar);

    m_table = new QTableView;
    m_table->setModel(&m_filter);
    setUpTable(*m_table);
    m_table->setAccessibleName(tr("Nodes"));
    m_table->setObjectName(QStringLiteral("nodeTable"));
    m_table->sortByColumn(NodeModel::Position, Qt::AscendingOrder);
    m_delegate = new ClassDelegate(m_table);
    m_table->setItemDelegateForColumn(NodeModel::Operator, m_delegate);
    const int widths[] = {46, 128, 190, 118, 72, 110, 70};
    for (int column = 0; column < NodeModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, widths[column]);
    layout->addWidget(m_table);
    setContent(content);

    connect(m_edit, &QLineEdit::textChanged, this,
            [this](const QString &text) { m_link->change([&] { m_filter.setText(text); }); });
    connect(m_edit, &QLineEdit::returnPressed, m_table, [this] {
        if (m_filter.rowCount() > 0) {
            m_table->setFocus();
            m_table->selectRow(0);
        }
    });
    m_link = new SelectionLink(*m_table, m_filter, m_selection,
                               {[this](const Item &item) { return m_model.rowOf(item); },
                                [this](int row) { return m_model.itemAt(row); }});
    connect(m_link, &SelectionLink::activated, this, &NodeListPanel::activated);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, [this](const QPoint &place) {
        Q_EMIT menuRequested(m_selection.item(), m_table->viewport()->mapToGlobal(place));
    });
    setEmpty(true);
}

void NodeListPanel::setSnapshot(SnapshotPointer snapshot)
{
    const SnapshotPointer before = m_model.snapshot();
    const bool isOther =
        snapshot && before &&
        (before->path != snapshot->path || before->plan->model != snapshot->plan->model);
    m_link->change([&] { m_model.setSnapshot(std::move(snapshot)); });
    if (isOther) // another graph; where the list of the last one stood means nothing
        m_table->scrollToTop();
    setEmpty(m_model.rowCount() == 0);
}

void NodeListPanel::setTheme(std::shared_ptr<const Theme> theme)
{
    m_delegate->setTheme(std::move(theme));
    m_table->viewport()->update();
}

} // namespace graphloom
