// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/fusion_model.h"

#include "app/common/format.h"
#include "app/common/glossary.h"

namespace graphloom {

FusionModel::FusionModel(QObject *parent)
    : GroupModel(
          Grouping::Blocks,
          {{tr("Block"), true, {}, QStringLiteral("block"), "fusion-block"},
           {tr("Mapping"), false, tr("Mapping type of the fused operator, DNNFusion Table 3"),
            QStringLiteral("mapping"), "mapping-type"},
           {tr("Pattern"), false, tr("Name of the pattern that the block matches"),
            QStringLiteral("pattern")},
           {tr("Lock"), false, tr("Passes do not change a locked block"), QStringLiteral("locked")},
           {tr("Layout"), false,
            tr("Memory layout of the block's feature maps (DNNFusion, section 4.4.2): NCHW is "
               "channels first, NHWC channels last"),
            QStringLiteral("layout"), "layout"},
           {tr("Nodes"), true, {}, QStringLiteral("nodes")},
           {tr("In"), true, tr("Tensors that it reads, except constants"),
            QStringLiteral("inputs")},
           {tr("Out"), true, tr("Tensors that it writes for other blocks"),
            QStringLiteral("outputs")},
           {tr("Removed"), true,
            tr("Bytes of intermediate results that are never written to memory"),
            QStringLiteral("removed_bytes")},
           {tr("Operators"), false, {}, QStringLiteral("operators")}},
          parent)
{
}

QString FusionModel::text(int row, int column) const
{
    const FusionBlock &block = blockAt(row);
    switch (column) {
    case Index:
        return QString::number(row);
    case Mapping:
        return fromUtf8(nameOf(block.mapping));
    case Pattern:
        return fromUtf8(block.pattern);
    case Locked:
        return block.locked ? tr("locked") : QString();
    case Layouts:
        if (const LayoutPlan::Choice *choice = layoutAt(row))
            return choice->locked ? tr("%1, edited").arg(fromUtf8(nameOf(choice->layout)))
                                  : fromUtf8(nameOf(choice->layout));
        return {};
    case Nodes:
        return QString::number(factsAt(row).nodes);
    case Inputs:
        return QString::number(block.inputs.size());
    case Outputs:
        return QString::number(block.outputs.size());
    case Removed:
        return block.removedBytes == 0 ? QString() : formatBytes(double(block.removedBytes));
    default:
        return factsAt(row).operators;
    }
}

QVariant FusionModel::value(int row, int column) const
{
    const FusionBlock &block = blockAt(row);
    switch (column) {
    case Index:
        return row;
    case Locked:
        return block.locked;
    case Nodes:
        return qulonglong(factsAt(row).nodes);
    case Inputs:
        return qulonglong(block.inputs.size());
    case Outputs:
        return qulonglong(block.outputs.size());
    case Removed:
        return qlonglong(block.removedBytes);
    default:
        return TableModel::value(row, column);
    }
}

QString FusionModel::provenance(int) const
{
    return fromUtf8(nameOf(Provenance::Modelled));
}

bool FusionModel::isLess(int row, int other, int column) const
{
    return column == Mapping ? blockAt(row).mapping < blockAt(other).mapping
                             : TableModel::isLess(row, other, column);
}

QString FusionModel::toolTip(int row, int column) const
{
    if (column == Mapping)
        return explained({}, fromUtf8(nameOf(blockAt(row).mapping)).toLower());
    return factsAt(row).operators;
}

QVariant FusionModel::data(const QModelIndex &index, int role) const
{
    if (role == MappingRole && checkIndex(index, CheckIndexOption::IndexIsValid))
        return int(blockAt(index.row()).mapping);
    return GroupModel::data(index, role);
}

const LayoutPlan::Choice *FusionModel::layoutAt(int row) const
{
    const auto &layouts = snapshot()->plan->layouts;
    return layouts ? &layouts->blocks[itemAt(row).index] : nullptr;
}

} // namespace graphloom
