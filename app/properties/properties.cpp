// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/properties.h"

#include "app/common/format.h"
#include "app/metrics/own_table.h"
#include "app/properties/formula_properties.h"
#include "app/properties/group_properties.h"
#include "app/properties/tensor_properties.h"
#include "app/snapshot/nested_snapshot.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/stage.h"
#include "engine/plan/node_names.h"

#include <QCoreApplication>

#include <set>

namespace graphloom {

namespace {

struct PropertyText {
    Q_DECLARE_TR_FUNCTIONS(Properties)
};

PropertySection generalSection(const Snapshot &snapshot, NodeId id)
{
    const Graph &graph = snapshot.graph();
    const NodeFacts &facts = snapshot.facts->of(id);
    PropertySection section{PropertyText::tr("Node"), {}};
    section.properties.push_back({PropertyText::tr("operator"), facts.op});
    section.properties.push_back(
        {PropertyText::tr("name"), facts.name.isEmpty() ? PropertyText::tr("none") : facts.name});
    section.properties.push_back({PropertyText::tr("class"),
                                  fromUtf8(nameOf(facts.operatorClass)),
                                  false,
                                  {},
                                  "operator-class"});
    if (!facts.opaque.isEmpty())
        section.properties.push_back(
            {PropertyText::tr("opaque, because"), facts.opaque, false, {}, "opaque"});
    section.properties.push_back(
        {PropertyText::tr("position"), PropertyText::tr("#%1 in the schedule (last: #%2)")
                                           .arg(graph.position(id))
                                           .arg(graph.nodeCount() - 1)});
    for (const Grouping grouping :
         {Grouping::Blocks, Grouping::Subgraphs, Grouping::Modules, Grouping::Fissions})
        if (const Item group = snapshot.groupOf(id, grouping))
            section.properties.push_back(membership(snapshot, group));
    return section;
}

PropertySection nestedSection(const Snapshot &snapshot, NodeId id)
{
    PropertySection section{PropertyText::tr("Nested graphs"), {}};
    for (const NestedGraph &nested : snapshot.facts->nestedIn(id)) {
        GraphPath path = snapshot.path;
        path.push_back(nested.step);
        section.properties.push_back({nested.name, formatNodes(nested.graph->nodeCount()), false,
                                      Place{std::move(path), {}}});
    }
    return section;
}

/// Returns the nodes of the original model that the node implements.
PropertySection originSection(const Snapshot &snapshot, NodeId id)
{
    constexpr std::size_t most = 100; // lines in the panel
    const Graph &model = snapshot.plan->model->graph;
    const auto &originals = snapshot.origins->originals[id.index];
    PropertySection section{PropertyText::tr("Original nodes"), {}};
    if (originals.empty())
        section.properties.push_back(
            {PropertyText::tr("none"), PropertyText::tr("added by a pass")});
    for (std::size_t i = 0; i < std::min(most, originals.size()); ++i) {
        const OriginMap::Original &fate = snapshot.origins->fates[originals[i].index];
        QString text = fromUtf8(nodeName(model, originals[i]));
        if (!fate.reason.empty())
            text += '\n' + fromUtf8(fate.reason);
        section.properties.push_back({fromUtf8(model.node(originals[i]).qualifiedOp()), text, false,
                                      Place{{}, Item::original(originals[i])}});
    }
    if (originals.size() > most)
        section.properties.push_back(
            {PropertyText::tr("more"), QString::number(originals.size() - most)});
    return section;
}

PropertySection costSection(const NodeFacts &facts)
{
    const auto operations = [&](const Dim &count) {
        return facts.opaque.isEmpty() ? formatDim(count) : PropertyText::tr("unknown");
    };
    return {PropertyText::tr("Cost (modelled)"),
            {{PropertyText::tr("MACs"), operations(facts.macs), false, {}, "macs"},
             {PropertyText::tr("FLOPs"), operations(facts.flops)},
             {PropertyText::tr("reads"), formatDimBytes(facts.read)},
             {PropertyText::tr("writes"), formatDimBytes(facts.written)}}};
}

PropertySection attributeSection(const Node &node)
{
    PropertySection section{PropertyText::tr("Attributes"), {}};
    for (const Attribute &attribute : node.attributes)
        if (graphsOf(attribute.value).empty()) // graphs have sections of their own
            section.properties.push_back(
                {fromUtf8(attribute.name), formatAttribute(attribute.value)});
    return section;
}

PropertySection tensorSection(const QString &title, const Snapshot &snapshot,
                              const std::vector<TensorId> &tensors, TensorEnds ends)
{
    PropertySection section{title, {}};
    addTensors(section, snapshot, tensors, ends);
    return section;
}

PropertySection metadataSection(const Node &node)
{
    PropertySection section{PropertyText::tr("Metadata"), {}};
    for (const auto &[key, value] : node.metadata)
        section.properties.push_back({fromUtf8(key), fromUtf8(value)});
    return section;
}

std::vector<PropertySection> propertiesOfNode(const Snapshot &snapshot, NodeId id)
{
    const Graph &graph = snapshot.graph();
    const Node &node = graph.node(id);
    std::vector<PropertySection> sections{generalSection(snapshot, id)};
    const auto addFilled = [&](PropertySection section) {
        if (!section.properties.empty())
            sections.push_back(std::move(section));
    };
    addFilled(nestedSection(snapshot, id));
    if (snapshot.origins)
        sections.push_back(originSection(snapshot, id));
    sections.push_back(costSection(snapshot.facts->of(id)));
    addFilled(attributeSection(node));
    using enum TensorEnds;
    addFilled(tensorSection(PropertyText::tr("Inputs"), snapshot, node.inputs, Producer));
    addFilled(tensorSection(PropertyText::tr("Outputs"), snapshot, node.outputs, Readers));
    addFilled(tensorSection(PropertyText::tr("Read by nested graphs"), snapshot, node.captures,
                            Producer));
    if (const auto description = describe(graph, id, opsetsOf(*snapshot.plan->model));
        description && !description->isOpaque()) {
        sections.push_back(mappingSection(graph, node, *description));
        sections.push_back(formulaSection(graph, node, *description));
    }
    addFilled(metadataSection(node));
    return sections;
}

QString titleOfTensor(Item::Kind kind)
{
    return kind == Item::Kind::Input      ? PropertyText::tr("Graph input")
           : kind == Item::Kind::Captured ? PropertyText::tr("Captured from the parent graph")
           : kind == Item::Kind::Tensor   ? PropertyText::tr("Tensor")
                                          : PropertyText::tr("Graph output");
}

/// Adds the producer of a captured tensor in the parent graph.
void addOrigin(PropertySection &section, const Snapshot &snapshot, TensorId captured)
{
    const Snapshot &around = *snapshot.around;
    const Graph &graph = around.graph();
    const TensorId id = capturedFrom(snapshot, captured);
    section.properties.push_back({PropertyText::tr("comes from"),
                                  nameOrNumber(graph.tensor(id), id) + '\n' + tensorText(graph, id),
                                  false, Place{around.path, sourceOf(snapshot, captured)}});
    if (const NodeId producer = graph.producer(id); producer.valid())
        section.properties.push_back({PropertyText::tr("written by"), nodeText(around, producer)});
}

std::vector<PropertySection> propertiesOfTensor(const Snapshot &snapshot, const Item &item)
{
    const Graph &graph = snapshot.graph();
    const TensorId id = item.tensor();
    const Tensor &tensor = graph.tensor(id);
    PropertySection section{titleOfTensor(item.kind), {}};
    section.properties.push_back({PropertyText::tr("name"), nameOrNumber(tensor, id)});
    section.properties.push_back({PropertyText::tr("type"), tensorText(graph, id)});
    if (item.kind == Item::Kind::Captured)
        addOrigin(section, snapshot, id);
    const auto link = [&](NodeId node) { return Place{snapshot.path, Item::of(node)}; };
    if (const NodeId producer = graph.producer(id); producer.valid()) {
        section.properties.push_back(
            {PropertyText::tr("written by"), nodeText(snapshot, producer), false, link(producer)});
        if (const Item block = snapshot.groupOf(producer, Grouping::Blocks);
            block && item.kind == Item::Kind::Tensor)
            section.properties.push_back(membership(snapshot, block));
    }
    std::set<NodeId> readers;
    for (const Use &use : graph.uses(id))
        readers.insert(use.node);
    section.properties.push_back({PropertyText::tr("read by"), formatNodes(readers.size())});
    if (item.kind != Item::Kind::Tensor)
        return {section};
    PropertySection users{PropertyText::tr("Read by"), {}};
    std::uint32_t first = graph.producer(id).valid() ? graph.position(graph.producer(id)) : 0;
    std::uint32_t last = first;
    for (const NodeId reader : readers) {
        users.properties.push_back({QString::number(graph.position(reader)),
                                    nodeText(snapshot, reader), false, link(reader)});
        last = std::max(last, graph.position(reader));
    }
    if (!graph.tensor(id).constant)
        section.properties.push_back(
            {PropertyText::tr("live"),
             graph.isOutput(id) ? PropertyText::tr("from step %1 to the end").arg(first)
                                : PropertyText::tr("steps %1 to %2").arg(first).arg(last)});
    std::vector<PropertySection> sections{section};
    if (!users.properties.empty())
        sections.push_back(std::move(users));
    return sections;
}

} // namespace

std::vector<PropertySection> propertiesOf(const Snapshot &snapshot, const Item &item)
{
    if (!snapshot.contains(item))
        return {};
    switch (item.kind) {
    case Item::Kind::Node:
        return propertiesOfNode(snapshot, item.node());
    case Item::Kind::Input:
    case Item::Kind::Captured:
    case Item::Kind::Output:
    case Item::Kind::Tensor:
        return propertiesOfTensor(snapshot, item);
    case Item::Kind::Subgraph:
        return subgraphProperties(snapshot, item);
    case Item::Kind::Block:
        return blockProperties(snapshot, item);
    case Item::Kind::Module:
    case Item::Kind::Fission:
        return moduleProperties(snapshot, item);
    case Item::Kind::Original:
    case Item::Kind::None:
        break;
    }
    return {};
}

PropertySection dataSectionOf(const Snapshot &snapshot, const Item &item, const OwnTable *own,
                              const NodeMetric *metric)
{
    PropertySection section{PropertyText::tr("Data"), {}};
    if (!snapshot.contains(item))
        return section;
    if (const auto value = metric ? metric->of(snapshot, item) : std::nullopt)
        section.properties.push_back(
            {metric->name,
             QStringLiteral("%1 (%2)").arg(metric->text(*value), metric->provenance),
             false,
             {},
             "provenance"});
    if (!own)
        return section;
    for (const MetricPointer &of : own->metrics())
        if (const auto value = of->of(snapshot, item); value && !(metric && metric->key == of->key))
            section.properties.push_back(
                {of->name,
                 QStringLiteral("%1 (%2)").arg(of->text(*value), of->provenance),
                 false,
                 {},
                 "provenance"});
    if (item.kind != Item::Kind::Node)
        return section;
    const std::string &name = snapshot.graph().node(item.node()).name;
    for (const OwnTable::Column &column : own->columns())
        if (const auto cell = column.cells.find(name);
            cell != column.cells.end() &&
            !(metric && metric->key.startsWith(QLatin1String("data:")) &&
              metric->name == column.name))
            section.properties.push_back(
                {column.name, QStringLiteral("%1 (%2)").arg(cell->second, column.file)});
    return section;
}

} // namespace graphloom
