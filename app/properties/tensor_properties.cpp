// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/tensor_properties.h"

#include "app/common/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace graphloom {

namespace {

struct TensorPropertyText {
    Q_DECLARE_TR_FUNCTIONS(Properties)
};

QString bytesText(const Tensor &tensor)
{
    const auto bytes = bytesOf(tensor);
    return bytes ? QStringLiteral(" · ") + formatBytes(double(*bytes)) : QString();
}

} // namespace

QString nodeText(const Snapshot &snapshot, NodeId id)
{
    const NodeFacts &facts = snapshot.facts->of(id);
    return facts.op + (facts.name.isEmpty()
                           ? QStringLiteral(" #%1").arg(snapshot.graph().position(id))
                           : ' ' + facts.name);
}

QString tensorText(const Graph &graph, TensorId id)
{
    const Tensor &tensor = graph.tensor(id);
    QString text = formatType(tensor) + bytesText(tensor);
    if (tensor.constant)
        text += tensor.constant->isSplat() ? TensorPropertyText::tr(" · uniform constant")
                                           : TensorPropertyText::tr(" · constant");
    else if (graph.isInput(id))
        text += TensorPropertyText::tr(" · graph input");
    else if (graph.isExternal(id))
        text += TensorPropertyText::tr(" · captured");
    if (graph.isOutput(id))
        text += TensorPropertyText::tr(" · graph output");
    return text;
}

namespace {

constexpr std::size_t mostReaders = 20; // lines for a tensor, such as a mask, that many nodes read

void addProducer(PropertySection &section, const Snapshot &snapshot, TensorId id)
{
    const QString from = TensorPropertyText::tr("from");
    const Item source = snapshot.standInOf(Item::tensor(id));
    const Place place{snapshot.path, source};
    if (source.kind == Item::Kind::Node)
        section.properties.push_back({from, nodeText(snapshot, source.node()), false, place});
    else if (source.kind == Item::Kind::Input)
        section.properties.push_back({from, TensorPropertyText::tr("graph input"), false, place});
    else if (source.kind == Item::Kind::Captured)
        section.properties.push_back({from, TensorPropertyText::tr("parent graph"), false, place});
}

void addReaders(PropertySection &section, const Snapshot &snapshot, TensorId id)
{
    const Graph &graph = snapshot.graph();
    const QString to = TensorPropertyText::tr("to");
    std::vector<NodeId> readers;
    for (const Use &use : graph.uses(id))
        readers.push_back(use.node);
    std::ranges::sort(readers, {}, [&](NodeId node) { return graph.position(node); });
    const auto rest = std::ranges::unique(readers);
    readers.erase(rest.begin(), rest.end());
    for (std::size_t i = 0; i < std::min(mostReaders, readers.size()); ++i)
        section.properties.push_back({to, nodeText(snapshot, readers[i]), false,
                                      Place{snapshot.path, Item::of(readers[i])}});
    if (readers.size() > mostReaders)
        section.properties.push_back(
            {to, TensorPropertyText::tr("%1 more nodes").arg(readers.size() - mostReaders)});
    if (graph.isOutput(id))
        section.properties.push_back({to, TensorPropertyText::tr("graph output"), false,
                                      Place{snapshot.path, Item::output(id)}});
}

} // namespace

void addTensors(PropertySection &section, const Snapshot &snapshot,
                const std::vector<TensorId> &tensors, TensorEnds ends)
{
    const Graph &graph = snapshot.graph();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!tensors[i].valid()) {
            section.properties.push_back({QString::number(i), TensorPropertyText::tr("omitted")});
            continue;
        }
        section.properties.push_back({QString::number(i),
                                      nameOrNumber(graph.tensor(tensors[i]), tensors[i]) + '\n' +
                                          tensorText(graph, tensors[i]),
                                      false, Place{snapshot.path, Item::tensor(tensors[i])}});
        if (ends == TensorEnds::Producer)
            addProducer(section, snapshot, tensors[i]);
        else
            addReaders(section, snapshot, tensors[i]);
    }
}

} // namespace graphloom
