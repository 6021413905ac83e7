// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/fusion_panel.h"

#include "app/common/format.h"
#include "app/widgets/chip_delegate.h"
#include "app/widgets/explain.h"
#include "app/widgets/panel_layout.h"

#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace graphloom {

namespace {

/// Returns a text such as "309 → 97".
template <class T> QString change(T before, T after)
{
    return QStringLiteral("%1 → %2").arg(before).arg(after);
}

QString line(const FusionPlan &plan)
{
    const FusionStatistics &s = plan.statistics;
    QString text =
        FusionPanel::tr("<b>%1</b>: layers %2, compute-intensive %3, memory-intensive %4 · "
                        "intermediate results %5")
            .arg(fromUtf8(plan.partition.method).toHtmlEscaped(),
                 change(s.before.layers, s.after.layers),
                 change(s.before.computeIntensive, s.after.computeIntensive),
                 change(s.before.memoryIntensive(), s.after.memoryIntensive()),
                 change(formatBytes(double(s.before.irsBytes)),
                        formatBytes(double(s.after.irsBytes))));
    if (s.after.unsized > 0)
        text += FusionPanel::tr(" + %1 of dynamic shape").arg(s.after.unsized);
    if (s.after.layers > 0)
        text += FusionPanel::tr(" · fusion rate %1")
                    .arg(double(s.before.layers) / double(s.after.layers), 0, 'f', 2);
    if (plan.costMs > 0)
        text += FusionPanel::tr(" · %1 ms (modelled, %2)")
                    .arg(formatReal(plan.costMs), fromUtf8(plan.device).toHtmlEscaped());
    return text;
}

} // namespace

FusionPanel::FusionPanel(Selection &selection, QWidget *parent) : HintedPanel(parent)
{
    auto *content = new QWidget;
    QVBoxLayout *layout = makeColumn(*content);
    m_statistics = statisticsLabel();
    m_statistics->setToolTip(tr(
        "Compute-intensive layers (CIL in DNNFusion) read input elements more than once; "
        "memory-intensive layers (MIL) are all others. Intermediate results (IRS) are bytes that "
        "are written to memory, without those of dynamic shape. Fusion rate: number of layers "
        "before fusion divided by the number after."));
    explainTerm(*m_statistics, "fusion-plan");
    layout->addWidget(m_statistics);
    m_list = new FilteredTable(m_model, {tr("Fusion blocks"), tr("Filter blocks"),
                                         tr("Filter by mapping type, pattern or operator"),
                                         QStringLiteral("fusionTable")});
    m_list->linkTo(selection);
    m_edits = new EditBar(*m_list);
    m_chips = new ChipDelegate(m_list);
    table().setItemDelegateForColumn(FusionModel::Mapping, m_chips);
    layout->addWidget(m_list, 1);
    setContent(content);
    connect(m_list, &FilteredTable::activated, this, &FusionPanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &FusionPanel::menuRequested);
    setEmpty(true);
}

void FusionPanel::setSnapshot(SnapshotPointer snapshot)
{
    m_list->change([&] { m_model.setSnapshot(std::move(snapshot)); });
    m_statistics->setText(statisticsText());
    setEmpty(m_model.rowCount() == 0);
}

QString FusionPanel::statisticsText() const
{
    const SnapshotPointer &snapshot = m_model.snapshot();
    if (!snapshot || !snapshot->blocks)
        return {};
    QString text = line(*snapshot->plan->fusion);
    if (const auto &baseline = snapshot->plan->baselineFusion)
        text += QStringLiteral("<br>") + line(*baseline);
    if (m_model.isInside())
        text += QStringLiteral("<br>") +
                tr("Blocks belong to the model's main graph: selecting one shows it there.");
    return text;
}

void FusionPanel::setTheme(std::shared_ptr<const Theme> theme)
{
    m_chips->setChips([theme = std::move(theme)](const QModelIndex &index) {
        const auto mapping = MappingType(index.data(FusionModel::MappingRole).toInt());
        return ChipDelegate::Chip{theme->of(mapping), theme->fillOf(mapping)};
    });
    table().viewport()->update();
}

} // namespace graphloom
