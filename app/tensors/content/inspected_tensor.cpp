// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/content/inspected_tensor.h"

#include "app/common/format.h"
#include "app/snapshot/nested_snapshot.h"
#include "engine/tensors/data_origin.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

struct TensorText {
    Q_DECLARE_TR_FUNCTIONS(Tensors)
};

/// Lists tensors of a node, each once.
class ChoiceList {
public:
    explicit ChoiceList(const Graph &graph) : m_graph(graph) {}

    /// Adds the constants among the tensors, or the others. `role` names the place of one in the
    /// list.
    template <class Role> void add(const std::vector<TensorId> &tensors, bool constants, Role role)
    {
        for (std::size_t slot = 0; slot < tensors.size(); ++slot) {
            const TensorId id = tensors[slot];
            if (!id.valid() || (m_graph.tensor(id).constant != nullptr) != constants ||
                !m_listed.insert(id).second)
                continue;
            const Tensor &tensor = m_graph.tensor(id);
            m_choices.push_back(
                {id,
                 QStringList{role(int(slot)), nameOrNumber(tensor, id), formatType(tensor)}.join(
                     QStringLiteral(" · "))});
        }
    }
    std::vector<TensorChoice> take() { return std::move(m_choices); }

private:
    const Graph &m_graph;
    std::set<TensorId> m_listed;
    std::vector<TensorChoice> m_choices;
};

std::vector<TensorChoice> tensorsOfNode(const Graph &graph, const Node &node)
{
    const auto input = [](int slot) { return TensorText::tr("input %1").arg(slot); };
    const auto output = [](int slot) { return TensorText::tr("output %1").arg(slot); };
    const auto captured = [](int) { return TensorText::tr("read by a nested graph"); };
    ChoiceList list(graph);
    list.add(node.inputs, true, input);
    list.add(node.captures, true, captured);
    list.add(node.inputs, false, input);
    list.add(node.outputs, false, output);
    list.add(node.outputs, true, output);
    list.add(node.captures, false, captured);
    return list.take();
}

QString roleOf(const Graph &graph, TensorId id)
{
    QStringList roles;
    if (graph.tensor(id).constant)
        roles << TensorText::tr("constant");
    else if (graph.isInput(id))
        roles << TensorText::tr("graph input");
    else if (graph.isExternal(id))
        roles << TensorText::tr("captured from the parent graph");
    else
        roles << TensorText::tr("activation");
    if (graph.isOutput(id))
        roles << TensorText::tr("graph output");
    return roles.join(QStringLiteral(", "));
}

QString placeOf(const DataOrigin &origin)
{
    const QString file = fileNameOf(origin.file);
    switch (origin.place) {
    case DataOrigin::Place::ModelFile:
        return TensorText::tr("in the model file %1, from byte %2").arg(file).arg(origin.offset);
    case DataOrigin::Place::ExternalFile:
        return TensorText::tr("in the external data file %1, from byte %2")
            .arg(file)
            .arg(origin.offset);
    case DataOrigin::Place::ModelCopy:
        return TensorText::tr("in the files of the model; copied to memory, as it is small");
    case DataOrigin::Place::Computed:
        break;
    }
    return TensorText::tr("computed from other constants, and not in the model's files");
}

QString originText(const TensorData &data, const Model &model)
{
    const DataOrigin origin = originOf(data, model);
    if (origin.isUniform)
        return origin.place == DataOrigin::Place::Computed
                   ? TensorText::tr("one value for all elements, computed from other constants")
                   : TensorText::tr(
                         "one value for all elements: the model has no trained weights for this "
                         "tensor. Verification and measurements use pseudo-random values instead");
    QString text = placeOf(origin);
    if (origin.isTruncated)
        text += TensorText::tr(
            ". The file was truncated after the model was opened: missing data reads as zeros");
    return text;
}

QString absenceText(const Graph &graph, TensorId id, const TensorSource *source)
{
    if (!graph.tensor(id).otherType.empty())
        return TensorText::tr("not a tensor but a sequence, an optional or a map: its values "
                              "cannot be shown");
    if (source)
        return TensorText::tr("%1 has no values of this tensor").arg(source->title());
    return graph.isInput(id) ? TensorText::tr("a graph input: its values are given to each run")
                             : TensorText::tr("known only after a run");
}

/// Returns the values that shape inference knows: "1, batch, 768".
QString inferredText(const Tensor &tensor)
{
    constexpr std::size_t most = 16;
    if (tensor.constant || !tensor.values)
        return {};
    QStringList texts;
    for (std::size_t i = 0; i < std::min(most, tensor.values->size()); ++i)
        texts << fromUtf8((*tensor.values)[i].text());
    if (tensor.values->size() > most)
        texts << QStringLiteral("…");
    return texts.join(QStringLiteral(", "));
}

} // namespace

std::vector<TensorChoice> tensorsOf(const Snapshot &snapshot, const Item &item)
{
    if (!snapshot.contains(item))
        return {};
    const Graph &graph = snapshot.graph();
    if (item.kind == Item::Kind::Node)
        return tensorsOfNode(graph, graph.node(item.node()));
    if (!item.isTensor())
        return {};
    const TensorId id = item.tensor();
    const Tensor &tensor = graph.tensor(id);
    return {{id, QStringList{roleOf(graph, id), nameOrNumber(tensor, id), formatType(tensor)}.join(
                     QStringLiteral(" · "))}};
}

InspectedTensor inspected(const Snapshot &snapshot, TensorId id, const TensorSource *source)
{
    const Graph &graph = snapshot.graph();
    const Tensor &tensor = graph.tensor(id);
    InspectedTensor result;
    result.name = nameOrNumber(tensor, id);
    result.type = tensor.otherType.empty() ? fromUtf8(nameOf(tensor.type)) : formatType(tensor);
    result.shape = formatShape(tensor);
    result.role = roleOf(graph, id);
    if (const auto bytes = bytesOf(tensor); bytes && tensor.type != DataType::String)
        result.bytes = formatBytes(double(*bytes));
    result.inferred = inferredText(tensor);
    result.data = tensor.constant;
    // A captured constant is that of a graph around.
    const Snapshot *around = &snapshot;
    for (TensorId outer = id; !result.data && around->around && around->graph().isExternal(outer) &&
                              !around->graph().isInput(outer);) {
        outer = capturedFrom(*around, outer);
        around = around->around.get();
        result.data = around->graph().tensor(outer).constant;
    }
    result.isConstant = result.data != nullptr;
    if (result.isConstant) {
        result.origin = originText(*result.data, *snapshot.plan->model);
    } else if (source && (result.data = source->valuesOf(snapshot, id))) {
        result.origin = TensorText::tr("values of %1").arg(source->title());
        result.shape = formatShape(Tensor::of({}, *result.data));
        result.bytes = formatBytes(double(result.data->storedBytes()));
    } else {
        result.origin = absenceText(graph, id, source);
    }
    return result;
}

} // namespace graphloom
