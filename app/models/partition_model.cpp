// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/partition_model.h"

#include "app/models/format.h"

namespace graphloom {

PartitionModel::PartitionModel(QObject *parent)
    : GroupModel(Grouping::Subgraphs,
                 {{tr("Subgraph"), true, {}, "subgraph"},
                  {tr("Lock"), false, tr("Passes leave a locked subgraph as it is")},
                  {tr("Nodes"), true},
                  {tr("Weight"), true,
                   tr("AGO's estimate of tuning effort, eq. (1): slope × product of log2 of the "
                      "loop extents + bias, summed over the nodes"),
                   "partition-weight"},
                  {tr("MACs"), true, {}, "macs"},
                  {tr("Operators")}},
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

QString PartitionModel::toolTip(int row, int column) const
{
    return column == Macs ? formatDim(factsAt(row).macs) : factsAt(row).operators;
}

bool PartitionModel::isLess(int row, int other, int column) const
{
    const GroupFacts &a = factsAt(row), &b = factsAt(other);
    const auto isLocked = [&](int of) {
        return snapshot()->plan->partition->subgraphs[std::size_t(of)].locked;
    };
    switch (column) {
    case Locked:
        return isLocked(row) < isLocked(other);
    case Nodes:
        return a.nodes < b.nodes;
    case Weight:
        return a.weight < b.weight;
    case Macs:
        return isFewer(a.macs, b.macs);
    case Operators:
        return a.operators < b.operators;
    default:
        return row < other;
    }
}

} // namespace graphloom
