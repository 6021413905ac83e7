// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/properties.h"

#include "app/models/format.h"
#include "engine/ops/infer.h"

#include <QCoreApplication>

#include <set>

namespace graphloom {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Properties", text);
}

QString bytesText(const Tensor &tensor)
{
    const auto bytes = bytesOf(tensor);
    return bytes ? QStringLiteral(" · ") + formatBytes(double(*bytes)) : QString();
}

QString nameOrNumber(const Tensor &tensor, TensorId id)
{
    return tensor.name.empty() ? QStringLiteral("#%1").arg(id.index) : fromUtf8(tensor.name);
}

/// "float 64x3x7x7 · 36.8 KiB · constant".
QString tensorText(const Graph &graph, TensorId id)
{
    const Tensor &tensor = graph.tensor(id);
    QString text = formatType(tensor) + bytesText(tensor);
    if (tensor.constant)
        text += tensor.constant->isSplat() ? tr(" · constant, all the same") : tr(" · constant");
    else if (graph.isInput(id))
        text += tr(" · graph input");
    if (graph.isOutput(id))
        text += tr(" · graph output");
    return text;
}

void addTensors(PropertySection &section, const Graph &graph, const std::vector<TensorId> &tensors)
{
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!tensors[i].valid()) {
            section.properties.push_back({QString::number(i), tr("omitted")});
            continue;
        }
        section.properties.push_back({QString::number(i), nameOrNumber(graph.tensor(tensors[i]), tensors[i]) + '\n' +
                                                              tensorText(graph, tensors[i])});
    }
}

void addMapping(PropertySection &section, const Node &node, const Description &description,
                const std::vector<bool> &constant)
{
    section.properties.push_back({tr("as a whole"), fromUtf8(nameOf(mappingType(description, constant)))});
    if (node.inputs.size() * std::size_t(description.outputs) <= 1)
        return;
    for (int i = 0; i < int(node.inputs.size()); ++i)
        for (int o = 0; o < description.outputs; ++o) {
            if (!node.inputs[std::size_t(i)].valid())
                continue;
            const auto mapping = mappingType(description, i, o);
            section.properties.push_back({tr("input %1 → output %2").arg(i).arg(o),
                                          mapping ? fromUtf8(nameOf(*mapping)) : tr("looks at the shape only")});
        }
}

void addStages(PropertySection &section, const Graph &graph, const Node &node, const Description &description)
{
    // Formulas in short names, so that they stay readable: inputs a, b, c…, output y.
    std::vector<std::string> inputs, values;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        inputs.push_back(i < 23 ? std::string(1, char('a' + i)) : "a" + std::to_string(i));
    for (int v = 0; v < int(description.values.size()); ++v)
        values.push_back(v < description.outputs
                             ? (description.outputs == 1 ? "y" : "y" + std::to_string(v))
                             : "t" + std::to_string(v - description.outputs));
    for (const Stage &stage : description.stages) {
        section.properties.push_back({stage.name.empty() ? tr("formula") : fromUtf8(stage.name),
                                      fromUtf8(formulaOf(stage, inputs, values)), true});
        QStringList axes;
        for (const Axis &axis : stage.axes)
            axes << QStringLiteral("%1%2 < %3").arg(axis.kind == Axis::Kind::Reduce ? QStringLiteral("Σ ") : QString(),
                                                    fromUtf8(axis.name), fromUtf8(axis.extent.text()));
        if (!axes.isEmpty())
            section.properties.push_back({tr("axes"), axes.join(QStringLiteral(", ")), true});
    }
    QStringList legend;
    for (std::size_t i = 0; i < node.inputs.size() && i < 8; ++i)
        if (node.inputs[i].valid())
            legend << QStringLiteral("%1 = %2").arg(fromUtf8(inputs[i]),
                                                    elided(nameOrNumber(graph.tensor(node.inputs[i]), node.inputs[i]), 32));
    if (!legend.isEmpty())
        section.properties.push_back({tr("where"), legend.join(QStringLiteral(", ")), true});
}

std::vector<PropertySection> propertiesOfNode(const Snapshot &snapshot, NodeId id)
{
    const Graph &graph = snapshot.graph();
    const Node &node = graph.node(id);
    const NodeFacts &facts = snapshot.facts->of(id);
    const Opsets opsets = opsetsOf(*snapshot.plan->model);
    std::vector<PropertySection> sections;

    PropertySection general{tr("Node"), {}};
    general.properties.push_back({tr("operator"), facts.op});
    general.properties.push_back({tr("name"), facts.name.isEmpty() ? tr("none") : facts.name});
    general.properties.push_back({tr("class"), fromUtf8(nameOf(facts.operatorClass))});
    if (!facts.opaque.isEmpty())
        general.properties.push_back({tr("opaque, because"), facts.opaque});
    general.properties.push_back({tr("position"), tr("%1 of %2 in the schedule").arg(graph.position(id)).arg(graph.nodeCount())});
    if (const std::uint32_t subgraph = snapshot.subgraphOf(id); subgraph != Partition::none) {
        const auto &row = snapshot.partition->rows[subgraph];
        general.properties.push_back({tr("subgraph"), tr("%1 (%2 nodes, weight %3)").arg(subgraph).arg(row.nodes).arg(formatReal(row.weight))});
    }
    sections.push_back(std::move(general));

    PropertySection cost{tr("Cost (modelled)"), {}};
    cost.properties.push_back({tr("MACs"), facts.opaque.isEmpty() ? formatDim(facts.macs) : tr("unknown")});
    cost.properties.push_back({tr("FLOPs"), facts.opaque.isEmpty() ? formatDim(facts.flops) : tr("unknown")});
    cost.properties.push_back({tr("reads"), formatDimBytes(facts.read)});
    cost.properties.push_back({tr("writes"), formatDimBytes(facts.written)});
    sections.push_back(std::move(cost));

    PropertySection attributes{tr("Attributes"), {}};
    for (const Attribute &attribute : node.attributes)
        attributes.properties.push_back({fromUtf8(attribute.name), formatAttribute(attribute.value)});
    if (!attributes.properties.empty())
        sections.push_back(std::move(attributes));

    PropertySection inputs{tr("Inputs"), {}}, outputs{tr("Outputs"), {}}, captures{tr("Read by nested graphs"), {}};
    addTensors(inputs, graph, node.inputs);
    addTensors(outputs, graph, node.outputs);
    addTensors(captures, graph, node.captures);
    for (PropertySection *section : {&inputs, &outputs, &captures})
        if (!section->properties.empty())
            sections.push_back(std::move(*section));

    const auto description = describe(graph, id, opsets);
    if (description && !description->isOpaque()) {
        std::vector<bool> constant;
        for (const TensorId input : node.inputs)
            constant.push_back(input.valid() && graph.tensor(input).constant);
        PropertySection mapping{tr("Mapping type"), {}}, stages{tr("Index maps"), {}};
        addMapping(mapping, node, *description, constant);
        addStages(stages, graph, node, *description);
        sections.push_back(std::move(mapping));
        sections.push_back(std::move(stages));
    }

    PropertySection metadata{tr("Metadata"), {}};
    for (const auto &[key, value] : node.metadata)
        metadata.properties.push_back({fromUtf8(key), fromUtf8(value)});
    if (!metadata.properties.empty())
        sections.push_back(std::move(metadata));
    return sections;
}

std::vector<PropertySection> propertiesOfTensor(const Snapshot &snapshot, const Item &item)
{
    const Graph &graph = snapshot.graph();
    const TensorId id = item.tensor();
    const Tensor &tensor = graph.tensor(id);
    PropertySection section{item.kind == Item::Kind::Input ? tr("Graph input") : tr("Graph output"), {}};
    section.properties.push_back({tr("name"), nameOrNumber(tensor, id)});
    section.properties.push_back({tr("type"), tensorText(graph, id)});
    if (const NodeId producer = graph.producer(id); producer.valid())
        section.properties.push_back({tr("written by"), snapshot.facts->of(producer).op + ' ' + snapshot.facts->of(producer).name});
    section.properties.push_back({tr("read by"), tr("%1 nodes").arg([&] {
        std::set<NodeId> readers;
        for (const Use &use : graph.uses(id))
            readers.insert(use.node);
        return readers.size();
    }())});
    return {section};
}

std::vector<PropertySection> propertiesOfSubgraph(const Snapshot &snapshot, std::uint32_t index)
{
    const Graph &graph = snapshot.graph();
    const Subgraph &subgraph = snapshot.plan->partition->subgraphs[index];
    const auto &row = snapshot.partition->rows[index];
    const std::set<NodeId> members(subgraph.nodes.begin(), subgraph.nodes.end());
    std::set<TensorId> in, out;
    for (const NodeId id : subgraph.nodes) {
        for (const TensorId tensor : graph.node(id).inputs)
            if (tensor.valid() && !graph.tensor(tensor).constant &&
                !(graph.producer(tensor).valid() && members.contains(graph.producer(tensor))))
                in.insert(tensor);
        for (const TensorId tensor : graph.node(id).outputs) {
            if (!tensor.valid())
                continue;
            bool leaves = graph.isOutput(tensor);
            for (const Use &use : graph.uses(tensor))
                leaves = leaves || !members.contains(use.node);
            if (leaves)
                out.insert(tensor);
        }
    }
    PropertySection general{tr("Subgraph %1").arg(index), {}};
    general.properties.push_back({tr("nodes"), QString::number(row.nodes)});
    general.properties.push_back({tr("weight"), formatReal(row.weight)});
    general.properties.push_back({tr("MACs"), formatDim(row.macs)});
    general.properties.push_back({tr("operators"), row.operators});
    general.properties.push_back({tr("method"), fromUtf8(snapshot.plan->partition->method)});
    PropertySection inputs{tr("Reads"), {}}, outputs{tr("Writes"), {}};
    addTensors(inputs, graph, {in.begin(), in.end()});
    addTensors(outputs, graph, {out.begin(), out.end()});
    std::vector<PropertySection> sections{std::move(general)};
    for (PropertySection *section : {&inputs, &outputs})
        if (!section->properties.empty())
            sections.push_back(std::move(*section));
    return sections;
}

} // namespace

std::vector<PropertySection> propertiesOf(const Snapshot &snapshot, const Item &item)
{
    const Graph &graph = snapshot.graph();
    switch (item.kind) {
    case Item::Kind::Node:
        return graph.contains(item.node()) ? propertiesOfNode(snapshot, item.node())
                                           : std::vector<PropertySection>();
    case Item::Kind::Input:
    case Item::Kind::Output:
        return graph.contains(item.tensor()) ? propertiesOfTensor(snapshot, item)
                                             : std::vector<PropertySection>();
    case Item::Kind::Subgraph:
        return snapshot.partition && item.index < snapshot.partition->rows.size()
                   ? propertiesOfSubgraph(snapshot, item.index)
                   : std::vector<PropertySection>();
    case Item::Kind::None:
        break;
    }
    return {};
}

} // namespace graphloom
