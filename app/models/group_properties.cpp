// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/group_properties.h"

#include "app/models/format.h"
#include "app/models/tensor_properties.h"
#include "engine/plan/memory_plan.h"

#include <QCoreApplication>

#include <algorithm>

namespace graphloom {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Properties", text);
}

Place placeOf(const Snapshot &snapshot, const Item &item)
{
    return {snapshot.path, item};
}

/// "Conv conv1", by the position in the schedule for nodes without a name: "Conv #17".
QString nodeText(const Snapshot &snapshot, NodeId id)
{
    const NodeFacts &facts = snapshot.facts->of(id);
    return facts.op + (facts.name.isEmpty()
                           ? QStringLiteral(" #%1").arg(snapshot.graph().position(id))
                           : ' ' + facts.name);
}

QString groupText(const Snapshot &snapshot, const Item &group)
{
    const GroupFacts &facts = snapshot.factsOf(group);
    if (snapshot.forest(groupingOf(group)))
        return snapshot.titleOf(group);
    return group.kind == Item::Kind::Block
               ? tr("%1 (%2, %3)")
                     .arg(group.index)
                     .arg(titleOfBlock(snapshot.block(group)), formatOperators(facts.nodes))
               : tr("%1 (%2, weight %3)")
                     .arg(group.index)
                     .arg(formatNodes(facts.nodes), formatReal(facts.weight));
}

/// What crosses the border, where anything does.
void addInterface(std::vector<PropertySection> &sections, const Graph &graph,
                  const std::vector<TensorId> &inputs, const std::vector<TensorId> &outputs)
{
    for (const auto &[title, tensors] :
         {std::pair{tr("Reads"), &inputs}, std::pair{tr("Writes"), &outputs}}) {
        PropertySection section{title, {}};
        addTensors(section, graph, *tensors);
        if (!section.properties.empty())
            sections.push_back(std::move(section));
    }
}

PropertySection operatorSection(const Snapshot &snapshot, const Item &block)
{
    PropertySection section{tr("Operators"), {}};
    const std::vector<NodeId> &moved = snapshot.block(block).indexChanges;
    for (const NodeId id : snapshot.nodesOf(block)) {
        const NodeFacts &facts = snapshot.facts->of(id);
        QString text = nodeText(snapshot, id) + '\n' + facts.shape;
        if (std::ranges::find(moved, id) != moved.end())
            text += tr(" · no work: its readers use another index");
        section.properties.push_back(
            {fromUtf8(nameOf(facts.mapping)), text, false, placeOf(snapshot, Item::of(id))});
    }
    return section;
}

Property layoutProperty(const Snapshot &snapshot, const LayoutPlan::Choice &choice)
{
    QString text = fromUtf8(nameOf(choice.layout));
    if (!choice.dominant.valid() || choice.gainMs <= 0)
        return {tr("layout"), text};
    text += tr("\nmatters most to %1: %2 ms less than the other (modelled)")
                .arg(nodeText(snapshot, choice.dominant), formatReal(choice.gainMs));
    return {tr("layout"), text};
}

PropertySection borderSection(const Snapshot &snapshot, const Item &item, const FusionBlock &block)
{
    PropertySection section{tr("Why not larger"), {}};
    const FusionPlan &plan = *snapshot.plan->fusion;
    for (const BlockBorder &border : block.borders) {
        const bool outwards = plan.blockOf(border.producer) == item.index;
        const NodeId beyond = outwards ? border.consumer : border.producer;
        const Item neighbour = snapshot.groupOf(beyond, Grouping::Blocks);
        section.properties.push_back(
            {fromUtf8(nameOf(border.cause)),
             (outwards ? tr("before %1, block %2\n%3") : tr("after %1, block %2\n%3"))
                 .arg(nodeText(snapshot, beyond))
                 .arg(neighbour.index)
                 .arg(fromUtf8(border.reason)),
             false, placeOf(snapshot, neighbour)});
    }
    return section;
}

PropertySection decisionSection(const Snapshot &snapshot, const FusionBlock &block)
{
    PropertySection section{tr("Decisions"), {}};
    for (const BlockDecision &decision : block.decisions)
        section.properties.push_back(
            {tr("fused"),
             nodeText(snapshot, decision.producer) + QStringLiteral(" → ") +
                 nodeText(snapshot, decision.consumer) + '\n' + fromUtf8(decision.reason),
             false, placeOf(snapshot, Item::of(decision.producer))});
    return section;
}

} // namespace

Property membership(const Snapshot &snapshot, const Item &group)
{
    return {group.kind == Item::Kind::Block     ? tr("block")
            : group.kind == Item::Kind::Module  ? tr("module")
            : group.kind == Item::Kind::Fission ? tr("region")
                                                : tr("subgraph"),
            groupText(snapshot, group), false, placeOf(snapshot, group)};
}

std::vector<PropertySection> subgraphProperties(const Snapshot &snapshot, const Item &subgraph)
{
    const Graph &graph = snapshot.graph();
    const GroupFacts &facts = snapshot.factsOf(subgraph);
    std::vector<PropertySection> sections{
        {tr("Subgraph %1").arg(subgraph.index),
         {{tr("nodes"), QString::number(facts.nodes)},
          {tr("weight"), formatReal(facts.weight)},
          {tr("MACs"), formatDim(facts.macs)},
          {tr("operators"), facts.operators},
          {tr("method"), fromUtf8(snapshot.plan->partition->method)}}}};
    const BlockInterface crossing = interfaceOf(graph, snapshot.nodesOf(subgraph));
    addInterface(sections, graph, crossing.inputs, crossing.outputs);
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
        general.properties.push_back({tr("cut along"), fromUtf8(fission.dimension)});
        general.properties.push_back(
            {tr("parts"), fission.number > 1 ? QString::number(fission.number)
                                             : tr("a candidate that is not carried out")});
        general.properties.push_back({tr("at most"), QString::number(fission.most)});
    } else {
        general.properties.push_back({tr("module"), group.name});
        if (group.pieces > 1)
            general.properties.push_back(
                {tr("piece"),
                 tr("%1 of %2: other nodes are between them").arg(group.piece).arg(group.pieces)});
    }
    general.properties.push_back({tr("nodes"), QString::number(facts.nodes)});
    general.properties.push_back({tr("MACs"), formatDim(facts.macs)});
    general.properties.push_back({tr("operators"), facts.operators});
    if (const Item around = snapshot.parentOf(item))
        general.properties.push_back(
            {tr("in"), snapshot.titleOf(around), false, placeOf(snapshot, around)});
    std::vector<PropertySection> sections{std::move(general)};
    PropertySection inside{tr("Holds"), {}};
    for (const std::uint32_t child : group.children) {
        const Item inner = groupItem(groupingOf(item), child);
        inside.properties.push_back({formatNodes(snapshot.factsOf(inner).nodes),
                                     snapshot.titleOf(inner), false, placeOf(snapshot, inner)});
    }
    if (!inside.properties.empty())
        sections.push_back(std::move(inside));
    const BlockInterface crossing = interfaceOf(snapshot.graph(), snapshot.nodesOf(item));
    addInterface(sections, snapshot.graph(), crossing.inputs, crossing.outputs);
    return sections;
}

std::vector<PropertySection> blockProperties(const Snapshot &snapshot, const Item &item)
{
    const FusionBlock &block = snapshot.block(item);
    const GroupFacts &facts = snapshot.factsOf(item);
    PropertySection general{tr("Block %1").arg(item.index), {}};
    general.properties.push_back({tr("mapping type"), fromUtf8(nameOf(block.mapping))});
    if (!block.pattern.empty())
        general.properties.push_back({tr("pattern"), fromUtf8(block.pattern)});
    general.properties.push_back({tr("operators"), facts.operators});
    general.properties.push_back({tr("MACs"), formatDim(facts.macs)});
    general.properties.push_back(
        {tr("removed"), formatBytes(double(block.removedBytes)) + tr(" of intermediate results")});
    general.properties.push_back(
        {tr("lock"), block.locked ? tr("locked: passes leave it as it is") : tr("not locked")});

    if (const auto &layouts = snapshot.plan->layouts)
        general.properties.push_back(layoutProperty(snapshot, layouts->blocks[item.index]));
    if (!block.placed.empty())
        general.properties.push_back(
            {tr("placed"), tr("%1 of its inputs, which their producers write where they belong")
                               .arg(block.placed.size())});

    std::vector<PropertySection> sections{std::move(general)};
    sections.push_back(borderSection(snapshot, item, block));
    sections.push_back(decisionSection(snapshot, block));
    sections.push_back(operatorSection(snapshot, item));
    std::erase_if(sections, [](const PropertySection &s) { return s.properties.empty(); });
    addInterface(sections, snapshot.graph(), block.inputs, block.outputs);
    return sections;
}

} // namespace graphloom
