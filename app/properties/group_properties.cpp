// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/group_properties.h"

#include "app/common/format.h"
#include "app/properties/tensor_properties.h"
#include "engine/plan/memory_plan.h"

#include <QCoreApplication>

#include <algorithm>

namespace graphloom {

namespace {

struct GroupPropertyText {
    Q_DECLARE_TR_FUNCTIONS(Properties)
};

Place placeOf(const Snapshot &snapshot, const Item &item)
{
    return {snapshot.path, item};
}

QString groupText(const Snapshot &snapshot, const Item &group)
{
    const GroupFacts &facts = snapshot.factsOf(group);
    if (snapshot.forest(groupingOf(group)))
        return snapshot.titleOf(group);
    return group.kind == Item::Kind::Block
               ? GroupPropertyText::tr("%1 (%2, %3)")
                     .arg(group.index)
                     .arg(titleOfBlock(snapshot.block(group)), formatOperators(facts.nodes))
               : GroupPropertyText::tr("%1 (%2, weight %3)")
                     .arg(group.index)
                     .arg(formatNodes(facts.nodes), formatReal(facts.weight));
}

/// Adds the tensors that cross the border, if any.
void addInterface(std::vector<PropertySection> &sections, const Snapshot &snapshot,
                  const std::vector<TensorId> &inputs, const std::vector<TensorId> &outputs)
{
    for (const auto &[title, tensors, ends] :
         {std::tuple{GroupPropertyText::tr("Reads"), &inputs, TensorEnds::Producer},
          std::tuple{GroupPropertyText::tr("Writes"), &outputs, TensorEnds::Readers}}) {
        PropertySection section{title, {}};
        addTensors(section, snapshot, *tensors, ends);
        if (!section.properties.empty())
            sections.push_back(std::move(section));
    }
}

PropertySection operatorSection(const Snapshot &snapshot, const Item &block)
{
    PropertySection section{GroupPropertyText::tr("Operators"), {}};
    const std::vector<NodeId> &moved = snapshot.block(block).indexChanges;
    for (const NodeId id : snapshot.nodesOf(block)) {
        const NodeFacts &facts = snapshot.facts->of(id);
        QString text = nodeText(snapshot, id) + '\n' + facts.shape;
        if (std::ranges::find(moved, id) != moved.end())
            text += GroupPropertyText::tr(
                " · no computation: fused into the index computation of its readers");
        section.properties.push_back(
            {fromUtf8(nameOf(facts.mapping)), text, false, placeOf(snapshot, Item::of(id))});
    }
    return section;
}

Property layoutProperty(const Snapshot &snapshot, const LayoutPlan::Choice &choice)
{
    QString text = fromUtf8(nameOf(choice.layout));
    if (!choice.measured.empty())
        return {GroupPropertyText::tr("layout"),
                text + u'\n' + fromUtf8(choice.measured),
                false,
                {},
                "layout"};
    if (!choice.dominant.valid() || choice.gainMs <= 0)
        return {GroupPropertyText::tr("layout"), text, false, {}, "layout"};
    text += GroupPropertyText::tr("\nsaves %2 ms (modelled), mainly in %1")
                .arg(nodeText(snapshot, choice.dominant), formatReal(choice.gainMs));
    return {GroupPropertyText::tr("layout"), text, false, {}, "layout"};
}

/// Returns the label of a cause: "taken" and "generator", as reports have them, say too little.
QString causeText(BlockBorder::Cause cause)
{
    switch (cause) {
    case BlockBorder::Cause::Taken:
        return GroupPropertyText::tr("other block");
    case BlockBorder::Cause::Generator:
        return GroupPropertyText::tr("code generator");
    default:
        return fromUtf8(nameOf(cause));
    }
}

PropertySection borderSection(const Snapshot &snapshot, const Item &item, const FusionBlock &block)
{
    PropertySection section{GroupPropertyText::tr("Why not larger"), {}};
    const FusionPlan &plan = *snapshot.plan->fusion;
    for (const BlockBorder &border : block.borders) {
        const bool outwards = plan.blockOf(border.producer) == item.index;
        const NodeId beyond = outwards ? border.consumer : border.producer;
        const Item neighbour = snapshot.groupOf(beyond, Grouping::Blocks);
        section.properties.push_back({causeText(border.cause),
                                      (outwards ? GroupPropertyText::tr("before %1, block %2\n%3")
                                                : GroupPropertyText::tr("after %1, block %2\n%3"))
                                          .arg(nodeText(snapshot, beyond))
                                          .arg(neighbour.index)
                                          .arg(fromUtf8(border.reason)),
                                      false, placeOf(snapshot, neighbour)});
    }
    return section;
}

PropertySection decisionSection(const Snapshot &snapshot, const FusionBlock &block)
{
    PropertySection section{GroupPropertyText::tr("Decisions"), {}};
    for (const BlockDecision &decision : block.decisions)
        section.properties.push_back(
            {GroupPropertyText::tr("fused"),
             nodeText(snapshot, decision.producer) + QStringLiteral(" → ") +
                 nodeText(snapshot, decision.consumer) + '\n' + fromUtf8(decision.reason),
             false, placeOf(snapshot, Item::of(decision.producer))});
    return section;
}

} // namespace

Property membership(const Snapshot &snapshot, const Item &group)
{
    return {group.kind == Item::Kind::Block     ? GroupPropertyText::tr("block")
            : group.kind == Item::Kind::Module  ? GroupPropertyText::tr("module")
            : group.kind == Item::Kind::Fission ? GroupPropertyText::tr("region")
                                                : GroupPropertyText::tr("subgraph"),
            groupText(snapshot, group), false, placeOf(snapshot, group)};
}

std::vector<PropertySection> subgraphProperties(const Snapshot &snapshot, const Item &subgraph)
{
    const Graph &graph = snapshot.graph();
    const GroupFacts &facts = snapshot.factsOf(subgraph);
    std::vector<PropertySection> sections{
        {GroupPropertyText::tr("Subgraph %1").arg(subgraph.index),
         {{GroupPropertyText::tr("nodes"), QString::number(facts.nodes)},
          {GroupPropertyText::tr("weight"),
           formatReal(facts.weight),
           false,
           {},
           "partition-weight"},
          {GroupPropertyText::tr("MACs"), formatDim(facts.macs)},
          {GroupPropertyText::tr("operators"), facts.operators},
          {GroupPropertyText::tr("method"), fromUtf8(snapshot.plan->partition->method)}}}};
    const BlockInterface crossing = interfaceOf(graph, snapshot.nodesOf(subgraph));
    addInterface(sections, snapshot, crossing.inputs, crossing.outputs);
    return sections;
}

std::vector<PropertySection> moduleProperties(const Snapshot &snapshot, const Item &item)
{
    const GroupFacts &facts = snapshot.factsOf(item);
    const GroupForest &forest = *snapshot.forest(groupingOf(item));
    const GroupForest::Group &group = forest.groups[item.index];
    PropertySection general{snapshot.titleOf(item), {}};
    if (item.kind == Item::Kind::Fission) {
        const MemoryPlan::Fission &fission =
            snapshot.plan->memory->fissions[snapshot.fissionOf[item.index]];
        general.properties.push_back({GroupPropertyText::tr("split along"),
                                      fromUtf8(fission.dimension),
                                      false,
                                      {},
                                      "fission-dimension"});
        general.properties.push_back({GroupPropertyText::tr("parts"),
                                      fission.number > 1
                                          ? QString::number(fission.number)
                                          : GroupPropertyText::tr("candidate, not enabled"),
                                      false,
                                      {},
                                      "fission-number"});
        general.properties.push_back(
            {GroupPropertyText::tr("at most"), QString::number(fission.most)});
    } else {
        general.properties.push_back({GroupPropertyText::tr("module"), group.name});
        if (group.pieces > 1)
            general.properties.push_back(
                {GroupPropertyText::tr("piece"),
                 GroupPropertyText::tr("%1 of %2: not contiguous in the schedule")
                     .arg(group.piece)
                     .arg(group.pieces)});
    }
    general.properties.push_back({GroupPropertyText::tr("nodes"), QString::number(facts.nodes)});
    general.properties.push_back({GroupPropertyText::tr("MACs"), formatDim(facts.macs)});
    general.properties.push_back({GroupPropertyText::tr("operators"), facts.operators});
    if (const Item around = snapshot.parentOf(item))
        general.properties.push_back({GroupPropertyText::tr("in"), snapshot.titleOf(around), false,
                                      placeOf(snapshot, around)});
    std::vector<PropertySection> sections{std::move(general)};
    PropertySection inside{GroupPropertyText::tr("Contains"), {}};
    for (const std::uint32_t child : group.children) {
        const Item inner = groupItem(groupingOf(item), child);
        inside.properties.push_back({formatNodes(snapshot.factsOf(inner).nodes),
                                     snapshot.titleOf(inner), false, placeOf(snapshot, inner)});
    }
    if (!inside.properties.empty())
        sections.push_back(std::move(inside));
    const BlockInterface crossing = interfaceOf(snapshot.graph(), snapshot.nodesOf(item));
    addInterface(sections, snapshot, crossing.inputs, crossing.outputs);
    return sections;
}

std::vector<PropertySection> blockProperties(const Snapshot &snapshot, const Item &item)
{
    const FusionBlock &block = snapshot.block(item);
    const GroupFacts &facts = snapshot.factsOf(item);
    PropertySection general{GroupPropertyText::tr("Block %1").arg(item.index), {}};
    general.properties.push_back({GroupPropertyText::tr("mapping type"),
                                  fromUtf8(nameOf(block.mapping)),
                                  false,
                                  {},
                                  "mapping-type"});
    if (!block.pattern.empty())
        general.properties.push_back({GroupPropertyText::tr("pattern"), fromUtf8(block.pattern)});
    general.properties.push_back({GroupPropertyText::tr("operators"), facts.operators});
    general.properties.push_back({GroupPropertyText::tr("MACs"), formatDim(facts.macs)});
    general.properties.push_back(
        {GroupPropertyText::tr("removed"), formatBytes(double(block.removedBytes)) +
                                               GroupPropertyText::tr(" of intermediate results")});
    general.properties.push_back({GroupPropertyText::tr("lock"),
                                  block.locked
                                      ? GroupPropertyText::tr("locked: passes do not change it")
                                      : GroupPropertyText::tr("not locked")});

    if (const auto &layouts = snapshot.plan->layouts)
        general.properties.push_back(layoutProperty(snapshot, layouts->blocks[item.index]));
    if (!block.placed.empty())
        general.properties.push_back(
            {GroupPropertyText::tr("placed"),
             GroupPropertyText::tr("%1 of its inputs are written in place by their producers")
                 .arg(block.placed.size())});

    std::vector<PropertySection> sections{std::move(general)};
    sections.push_back(borderSection(snapshot, item, block));
    sections.push_back(decisionSection(snapshot, block));
    sections.push_back(operatorSection(snapshot, item));
    std::erase_if(sections, [](const PropertySection &s) { return s.properties.empty(); });
    addInterface(sections, snapshot, block.inputs, block.outputs);
    return sections;
}

} // namespace graphloom
