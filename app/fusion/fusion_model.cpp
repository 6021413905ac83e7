// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/fusion_model.h"

#include "app/common/glossary.h"

namespace graphloom {

FusionModel::FusionModel(QObject *parent) : GroupModel(Grouping::Blocks, parent)
{
    const auto number = [](int row) { return row; };
    const auto bytes = [](double count) { return count == 0 ? QString() : formatBytes(count); };
    setColumns(
        {{tr("Block"), QStringLiteral("block"), of(number), {}, "fusion-block"},
         {tr("Mapping"), QStringLiteral("mapping"),
          of([this](int row) { return blockAt(row).mapping; }),
          tr("Mapping type of the fused operator, DNNFusion Table 3"), "mapping-type"},
         {tr("Pattern"), QStringLiteral("pattern"),
          of([this](int row) -> const auto & { return blockAt(row).pattern; }),
          tr("Name of the pattern that the block matches")},
         {tr("Lock"), QStringLiteral("locked"),
          of([this](int row) { return blockAt(row).locked; }, tr("locked")),
          tr("Passes do not change a locked block")},
         {tr("Layout"), QStringLiteral("layout"), of([this](int row) { return layoutAt(row); }),
          tr("Memory layout of the block's feature maps (DNNFusion, section 4.4.2): NCHW is "
             "channels first, NHWC channels last"),
          "layout"},
         {tr("Nodes"), QStringLiteral("nodes"), of(&GroupFacts::nodes)},
         {tr("In"), QStringLiteral("inputs"),
          of([this](int row) { return blockAt(row).inputs.size(); }),
          tr("Tensors that it reads, except constants")},
         {tr("Out"), QStringLiteral("outputs"),
          of([this](int row) { return blockAt(row).outputs.size(); }),
          tr("Tensors that it writes for other blocks")},
         {tr("Removed"), QStringLiteral("removed_bytes"),
          of([this](int row) { return blockAt(row).removedBytes; }, bytes),
          tr("Bytes of intermediate results that are never written to memory")},
         {tr("Operators"), QStringLiteral("operators"), of(&GroupFacts::operators)}});
}

QString FusionModel::toolTip(int row, int column) const
{
    if (column == Mapping)
        return explained({}, fromUtf8(nameOf(blockAt(row).mapping)).toLower());
    return at(row).operators;
}

QVariant FusionModel::data(const QModelIndex &index, int role) const
{
    if (role == MappingRole && checkIndex(index, CheckIndexOption::IndexIsValid))
        return int(blockAt(index.row()).mapping);
    return GroupModel::data(index, role);
}

QString FusionModel::layoutAt(int row) const
{
    const auto &layouts = snapshot()->plan->layouts;
    if (!layouts)
        return {};
    const LayoutPlan::Choice &choice = layouts->blocks[itemAt(row).index];
    const QString layout = fromUtf8(nameOf(choice.layout));
    return choice.locked ? tr("%1, edited").arg(layout) : layout;
}

} // namespace graphloom
