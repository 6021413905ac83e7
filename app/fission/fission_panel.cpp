// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fission/fission_panel.h"

#include "app/common/format.h"
#include "app/widgets/panel_layout.h"
#include "engine/plan/memory_plan.h"

#include <QTableView>
#include <QVBoxLayout>

namespace graphloom {

FissionPanel::FissionPanel(Selection &selection, QWidget *parent) : HintedPanel(parent)
{
    auto *content = new QWidget;
    QVBoxLayout *layout = makeColumn(*content);
    m_statistics = statisticsLabel();
    layout->addWidget(m_statistics);
    m_list = new FilteredTable(m_model, {tr("F-Tree"), tr("Filter regions"),
                                         tr("Filter by node, tensor or number of parts"),
                                         QStringLiteral("fissionTable")});
    m_list->linkTo(selection);
    m_edits = new EditBar(*m_list);
    layout->addWidget(m_list, 1);
    setContent(content);
    connect(m_list, &FilteredTable::activated, this, &FissionPanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &FissionPanel::menuRequested);
    connect(table().selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &FissionPanel::fissionChanged);
    setEmpty(true);
}

void FissionPanel::setSnapshot(SnapshotPointer snapshot)
{
    if (snapshot == m_model.snapshot())
        return;
    const int before = fission();
    m_list->change([&] { m_model.setSnapshot(std::move(snapshot)); });
    m_statistics->setText(statisticsText());
    setEmpty(m_model.rowCount() == 0);
    if (fission() < 0)
        choose(before);
    Q_EMIT fissionChanged();
}

int FissionPanel::fission() const
{
    const int row = m_list->currentRow();
    return row < 0 || row >= m_model.rowCount() ? -1 : m_model.fissionAt(row);
}

void FissionPanel::choose(int fission)
{
    for (int row = 0; row < m_model.rowCount(); ++row)
        if (m_model.fissionAt(row) == fission)
            m_list->choose(row);
}

QString FissionPanel::statisticsText() const
{
    const SnapshotPointer &snapshot = m_model.snapshot();
    if (!snapshot || !snapshot->plan->memory)
        return {};
    const MemoryPlan &plan = *snapshot->plan->memory;
    const auto out = std::ranges::count_if(
        plan.fissions, [](const MemoryPlan::Fission &fission) { return fission.number > 1; });
    const auto pair = [](const QString &before, const QString &after) {
        return QStringLiteral("%1 → %2").arg(before, after);
    };
    return tr("<b>F-Tree</b>: %1 regions, %2 enabled · peak %3 · latency %4 ms · %5, %6")
        .arg(plan.fissions.size())
        .arg(out)
        .arg(pair(formatBytes(double(plan.before.peakBytes)),
                  formatBytes(double(*snapshot->peakBytes))),
             pair(formatReal(plan.before.ms), formatReal(plan.after.ms)),
             plan.after.origin == "by hand" ? tr("edited") : tr("as found by the search"),
             tr("modelled for %1").arg(fromUtf8(plan.device).toHtmlEscaped()));
}

} // namespace graphloom
