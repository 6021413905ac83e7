// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/partition_model.h"

#include "app/common/format.h"

namespace graphloom {

PartitionModel::PartitionModel(QObject *parent)
    : GroupModel(Grouping::Subgraphs,
                 {{tr("Subgraph"), true, {}, QStringLiteral("subgraph"), "subgraph"},
                  {tr("Lock"), false, tr("Passes do not change a locked subgraph"),
                   QStringLiteral("locked")},
                  {tr("Nodes"), true, {}, QStringLiteral("nodes")},
                  {tr("Weight"), true,
                   tr("AGO's estimate of tuning effort, eq. (1): slope × product of log2 of the "
                      "loop extents + bias, summed over the nodes"),
                   QStringLiteral("weight"), "partition-weight"},
                  {tr("MACs"), true, {}, QStringLiteral("macs"), "macs"},
                  {tr("Operators"), false, {}, QStringLiteral("operators")}},
                 parent)
{
}

QString PartitionModel::text(int row, int column) const
{
    const GroupFacts &facts = factsAt(row);
    switch (column) {
    case Index:
        return QString::number(row);
    case Locked:
        return snapshot()->plan->partition->subgraphs[std::size_t(row)].locked ? tr("locked")
                                                                               : QString();
    case Nodes:
        return QString::number(facts.nodes);
    case Weight:
        return formatReal(facts.weight);
    case Macs:
        return facts.macs == Dim(0) ? QString() : formatDim(facts.macs);
    default:
        return facts.operators;
    }
}

QVariant PartitionModel::value(int row, int column) const
{
    const GroupFacts &facts = factsAt(row);
    switch (column) {
    case Index:
        return row;
    case Locked:
        return snapshot()->plan->partition->subgraphs[std::size_t(row)].locked;
    case Nodes:
        return qulonglong(facts.nodes);
    case Weight:
        return facts.weight;
    case Macs:
        return valueOf(facts.macs);
    default:
        return facts.operators;
    }
}

QString PartitionModel::provenance(int) const
{
    return fromUtf8(nameOf(Provenance::Modelled));
}

bool PartitionModel::isLess(int row, int other, int column) const
{
    return column == Macs ? isFewer(factsAt(row).macs, factsAt(other).macs)
                          : TableModel::isLess(row, other, column);
}

QString PartitionModel::toolTip(int row, int column) const
{
    return column == Macs ? formatDim(factsAt(row).macs) : factsAt(row).operators;
}

} // namespace graphloom
