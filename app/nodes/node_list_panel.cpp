// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/node_list_panel.h"

#include "app/query/search.h"
#include "app/widgets/chip_delegate.h"

#include <QTableView>

namespace graphloom {

NodeListPanel::NodeListPanel(Selection &selection, QWidget *parent) : HintedPanel(parent)
{
    m_edit = new QueryEdit;
    m_list = new FilteredTable(m_model, {tr("Nodes"), tr("Filter nodes"),
                                         tr("Filter: words, op:Conv, cout>=128…"),
                                         QStringLiteral("nodeTable"), m_edit});
    connect(m_edit, &QueryEdit::problemChanged, m_list, &FilteredTable::setProblem);
    m_list->setGate(
        [this](const QString &text, const std::function<void()> &filter) { find(text, filter); });
    m_list->linkTo(selection);
    m_chips = new ChipDelegate(m_list);
    table().setItemDelegateForColumn(NodeModel::Operator, m_chips);
    table().setColumnHidden(NodeModel::Metric, true);
    setContent(m_list);
    connect(m_list, &FilteredTable::activated, this, &NodeListPanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &NodeListPanel::menuRequested);
    setEmpty(true);
}

/// Filters immediately if the search is quick; otherwise the list is unchanged until the background
/// search finishes.
void NodeListPanel::find(const QString &text, const std::function<void()> &filter)
{
    m_finder.abandon();
    const SnapshotPointer &snapshot = m_model.snapshot();
    const Query &query = m_edit->query();
    if (!snapshot || query.isEmpty() || query.problem()) {
        filter();
        return;
    }
    const QString asked = text.trimmed();
    if (auto found = nodesMatching(*snapshot, query, afterMilliseconds(searchPatience))) {
        m_model.setMatching(asked, *std::move(found));
        filter();
        return;
    }
    m_filter = filter;
    m_finder.announce(m_jobs, tr("Filtering nodes by “%1”").arg(asked));
    m_finder.start(
        [snapshot, query](std::stop_token stop) {
            return nodesMatching(*snapshot, query, [stop] { return stop.stop_requested(); });
        },
        [this, asked](std::optional<std::vector<bool>> found) {
            if (!found)
                return; // stopped
            m_model.setMatching(asked, *std::move(found));
            m_filter();
        });
}

void NodeListPanel::setOwnData(const OwnTablePointer &own)
{
    m_list->change([&] {
        m_model.setOwnData(own);
        m_edit->setOwnData(own);
        m_list->filter().invalidate();
    });
}

void NodeListPanel::setSnapshot(SnapshotPointer snapshot)
{
    const SnapshotPointer before = m_model.snapshot();
    const bool isOther =
        snapshot && before &&
        (before->path != snapshot->path || before->plan->model != snapshot->plan->model);
    m_edit->setSnapshot(snapshot);
    m_list->change([&] { m_model.setSnapshot(std::move(snapshot)); });
    if (isFiltering()) // another snapshot
        find(m_edit->text(), m_filter);
    if (isOther) // the scroll position belongs to another graph
        table().scrollToTop();
    setEmpty(m_model.rowCount() == 0);
}

void NodeListPanel::setMetric(const MetricPointer &metric)
{
    // Keep the selection when the column is shown or hidden.
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
