// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/partition_model.h"

namespace graphloom {

PartitionModel::PartitionModel(QObject *parent) : GroupModel(Grouping::Subgraphs, parent)
{
    const auto locked = [this](std::size_t row) {
        return snapshot()->plan->partition->subgraphs[row].locked;
    };
    setColumns({{tr("Subgraph"),
                 QStringLiteral("subgraph"),
                 of([](int row) { return row; }),
                 {},
                 "subgraph"},
                {tr("Lock"), QStringLiteral("locked"), of(locked, tr("locked")),
                 tr("Passes do not change a locked subgraph")},
                {tr("Nodes"), QStringLiteral("nodes"), of(&GroupFacts::nodes)},
                {tr("Weight"), QStringLiteral("weight"), of(&GroupFacts::weight),
                 tr("AGO's estimate of tuning effort, eq. (1): slope × product of log2 of the loop "
                    "extents + bias, summed over the nodes"),
                 "partition-weight"},
                {tr("MACs"), QStringLiteral("macs"), of(&GroupFacts::macs), {}, "macs"},
                {tr("Operators"), QStringLiteral("operators"), of(&GroupFacts::operators)}});
}

QString PartitionModel::toolTip(int row, int column) const
{
    return column == Macs ? formatDim(at(row).macs) : at(row).operators;
}

} // namespace graphloom
