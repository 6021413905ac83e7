// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/partition_panel.h"

#include "app/common/format.h"
#include "app/widgets/explain.h"
#include "app/widgets/histogram_view.h"
#include "app/widgets/panel_layout.h"

#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace graphloom {

namespace {

QString line(const Partition &partition, const PartitionStatistics &s)
{
    return QStringLiteral("<b>%1</b>: %2 · %3 %4 · %5 %6 · Jain %7 · %8 %9%10")
        .arg(fromUtf8(partition.method).toHtmlEscaped(),
             PartitionPanel::tr("%1 subgraphs").arg(s.subgraphs), PartitionPanel::tr("mean"),
             formatReal(s.mean), PartitionPanel::tr("median"), formatReal(s.median),
             QString::number(s.jain, 'f', 2), QString::number(s.trivial),
             PartitionPanel::tr("below weight 20"))
        .arg((partition.threshold > 0
                  ? PartitionPanel::tr(" · Td %1").arg(formatReal(partition.threshold))
                  : QString()) +
             (s.acyclic ? QString() : PartitionPanel::tr(" · has a cycle")));
}

} // namespace

PartitionPanel::PartitionPanel(Selection &selection, QWidget *parent)
    : HintedPanel(parent), m_selection(selection)
{
    auto *content = new QWidget;
    QVBoxLayout *layout = makeColumn(*content);
    m_statistics = statisticsLabel();
    m_statistics->setToolTip(
        tr("Subgraph weights (AGO, eq. (1)): mean, median, Jain's index of fairness, subgraphs "
           "with a weight below 20, and Td, the upper bound of a weight"));
    explainTerm(*m_statistics, "jain-index");
    layout->addWidget(m_statistics);

    auto *split = new QSplitter;
    m_list =
        new FilteredTable(m_model, {tr("Subgraphs"), tr("Filter subgraphs"),
                                    tr("Filter by operator"), QStringLiteral("partitionTable")});
    m_list->linkTo(m_selection);
    m_edits = new EditBar(*m_list);
    m_histogram = new HistogramView;
    split->addWidget(m_list);
    split->addWidget(m_histogram);
    m_histogram->setMinimumWidth(330);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    layout->addWidget(split, 1);
    setContent(content);

    connect(m_list, &FilteredTable::activated, this, &PartitionPanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &PartitionPanel::menuRequested);
    connect(m_histogram, &HistogramView::binClicked, this, &PartitionPanel::selectFirstOf);
    connect(&m_selection, &Selection::changed, this, &PartitionPanel::markSelected);
    setEmpty(true);
}

void PartitionPanel::setSnapshot(SnapshotPointer snapshot)
{
    m_list->change([&] { m_model.setSnapshot(std::move(snapshot)); });
    m_histogram->setSnapshot(m_model.snapshot());
    m_statistics->setText(statisticsText());
    setEmpty(m_model.rowCount() == 0);
    markSelected();
}

QString PartitionPanel::statisticsText() const
{
    const SnapshotPointer &snapshot = m_model.snapshot();
    if (!snapshot || !snapshot->partition)
        return {};
    QString text = line(*snapshot->plan->partition, snapshot->partition->statistics);
    if (snapshot->baseline)
        text += QStringLiteral("<br>") +
                line(*snapshot->plan->baselinePartition, snapshot->baseline->statistics);
    if (m_model.isInside())
        text += QStringLiteral("<br>") +
                tr("Subgraphs belong to the model's main graph: selecting one shows it there.");
    return text;
}

void PartitionPanel::setTheme(const Theme &theme)
{
    m_histogram->setTheme(theme);
}

/// Marks the weight of the selected subgraph in the histogram.
void PartitionPanel::markSelected()
{
    const int row = m_model.rowOf(m_selection.item());
    m_histogram->markWeight(row < 0 ? -1
                                    : m_model.snapshot()->partition->rows[std::size_t(row)].weight);
}

void PartitionPanel::selectFirstOf(int bin)
{
    // In the order of the table, after the selected one, so that repeated clicks visit all.
    const auto &rows = m_model.snapshot()->partition->rows;
    TableFilter &shown = m_list->filter();
    const int count = shown.rowCount(), start = table().currentIndex().row() + 1;
    for (int i = 0; i < count; ++i) {
        const auto subgraph = std::uint32_t(m_list->rowAt(shown.index((start + i) % count, 0)));
        if (int(weightBin(rows[subgraph].weight)) == bin) {
            m_selection.select(Item::subgraph(subgraph));
            return;
        }
    }
}

} // namespace graphloom
