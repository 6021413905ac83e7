// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/node_list_panel.h"

#include "app/views/chip_delegate.h"

#include <QTableView>

namespace graphloom {

namespace {

constexpr int columnWidths[] = {46, 128, 190, 118, 72, 110, 56, 70, 90};

} // namespace

NodeListPanel::NodeListPanel(Selection &selection, QWidget *parent) : HintedPanel(parent)
{
    m_edit = new QueryEdit;
    m_list = new FilteredTable(m_model,
                               {tr("Nodes"), tr("Filter nodes"),
                                tr("Filter: words, op:Conv, cout>=128…"),
                                QStringLiteral("nodeTable"), m_edit},
                               columnWidths);
    connect(m_edit, &QueryEdit::problemChanged, m_list, &FilteredTable::setProblem);
    m_list->linkTo(selection);
    m_chips = new ChipDelegate(m_list);
    table().setItemDelegateForColumn(NodeModel::Operator, m_chips);
    table().setColumnHidden(NodeModel::Metric, true);
    setContent(m_list);
    connect(m_list, &FilteredTable::activated, this, &NodeListPanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &NodeListPanel::menuRequested);
    setEmpty(true);
}

void NodeListPanel::setSnapshot(SnapshotPointer snapshot)
{
    const SnapshotPointer before = m_model.snapshot();
    const bool isOther =
        snapshot && before &&
        (before->path != snapshot->path || before->plan->model != snapshot->plan->model);
    m_edit->setSnapshot(snapshot);
    m_list->change([&] { m_model.setSnapshot(std::move(snapshot)); });
    if (isOther) // another graph; where the list of the last one stood means nothing
        table().scrollToTop();
    setEmpty(m_model.rowCount() == 0);
}

void NodeListPanel::setMetric(const MetricPointer &metric)
{
    // One column less, or the first row that is shown, is no other selection.
    m_list->change([&] { m_model.setMetric(metric); });
    table().setColumnHidden(NodeModel::Metric, !metric);
}

void NodeListPanel::setTheme(std::shared_ptr<const Theme> theme)
{
    m_chips->setChips([theme = std::move(theme)](const QModelIndex &index) {
        const auto operatorClass = OperatorClass(index.data(NodeModel::ClassRole).toInt());
        return ChipDelegate::Chip{theme->canvas.nodeBorder, theme->of(operatorClass)};
    });
    table().viewport()->update();
}

} // namespace graphloom
