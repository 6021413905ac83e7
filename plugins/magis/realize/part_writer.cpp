// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/part_writer.h"

#include "engine/ops/gradient/gradient.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

Shape shapeOf(const Box &box)
{
    Shape shape;
    for (const Parts::Interval &interval : box)
        shape.push_back(interval.end - interval.begin);
    return shape;
}

std::string_view operatorOf(Combine combine)
{
    switch (combine) {
    case Combine::Product:
        return "Mul";
    case Combine::Max:
        return "Max";
    case Combine::Min:
        return "Min";
    default:
        return "Add";
    }
}

} // namespace

Box wholeBox(const Shape &shape)
{
    Box box;
    for (const Dim &extent : shape)
        box.push_back({0, extent.value()});
    return box;
}

PartWriter::PartWriter(const Graph &original)
    : m_original(original), m_editor(original), m_made(original.tensorBound(), false)
{
    const std::vector<NodeId> nodes(original.order().begin(), original.order().end());
    for (const NodeId id : nodes)
        m_editor.removeNode(id);
    for (std::uint32_t t = 0; t < original.tensorBound(); ++t) {
        m_result.originals.push_back(TensorId{t});
        if (original.contains(TensorId{t}))
            m_names.insert(original.tensor(TensorId{t}).name);
    }
}

std::string PartWriter::uniqueName(const std::string &wanted)
{
    std::string name = wanted;
    for (int number = 2; !m_names.insert(name).second; ++number)
        name = wanted + "." + std::to_string(number);
    return name;
}

std::string PartWriter::suffix(bool again) const
{
    std::string text;
    for (const auto &[part, number] : m_parts)
        text += ".part" + std::to_string(part.number() + 1) + "of" + std::to_string(number);
    return again ? text + ".again" : text;
}

NodeId PartWriter::producerOf(TensorId original) const
{
    return m_original.producer(original);
}

TensorId PartWriter::version(TensorId original, const Box &box, bool again)
{
    const Tensor &from = m_original.tensor(original);
    const Shape shape = shapeOf(box);
    if (!m_made[original.index] && shape == *from.shape && !again &&
        m_original.producer(original).valid()) {
        m_made[original.index] = true;
        return original;
    }
    Tensor tensor;
    tensor.name = uniqueName(from.name + suffix(again));
    tensor.type = from.type;
    tensor.shape = shape;
    const TensorId id = m_editor.addTensor(std::move(tensor));
    m_result.originals.resize(id.index + 1);
    m_result.originals[id.index] = original;
    return id;
}

TensorId PartWriter::constant(const Tensor &tensor)
{
    Tensor own = tensor;
    own.name = uniqueName(tensor.name + suffix(false));
    const TensorId id = m_editor.addTensor(std::move(own));
    m_result.originals.resize(id.index + 1);
    return id;
}

NodeId PartWriter::add(Node node, NodeId original, Realized::Role role, bool again)
{
    node.name += suffix(again);
    if (original.valid())
        node.origins = m_original.node(original).origins;
    const NodeId id = m_editor.addNode(std::move(node));
    m_order.push_back(id);
    m_result.origins.resize(id.index + 1);
    m_result.origins[id.index] = {original, role, m_parts, again, m_run};
    return id;
}

Held PartWriter::slice(const Held &held, TensorId original, const Box &box)
{
    std::vector<std::int64_t> starts, ends, axes;
    for (std::size_t d = 0; d < box.size(); ++d)
        if (box[d].begin != held.box[d].begin || box[d].end != held.box[d].end) {
            starts.push_back(box[d].begin - held.box[d].begin);
            ends.push_back(box[d].end - held.box[d].begin);
            axes.push_back(std::int64_t(d));
        }
    Node node;
    node.op = "Slice";
    node.name = m_original.tensor(original).name + ".slice";
    node.inputs = {held.tensor};
    for (const auto *list : {&starts, &ends, &axes}) {
        const auto [at, added] = m_lists.try_emplace(*list);
        if (added) {
            std::string name = "slice";
            for (const std::int64_t value : *list)
                name += "." + std::to_string(value);
            at->second =
                m_editor.addTensor(Tensor::of(uniqueName(name), TensorData::fromInt64s(*list)));
            m_result.originals.resize(at->second.index + 1);
        }
        node.inputs.push_back(at->second);
    }
    Tensor tensor;
    tensor.name = uniqueName(m_original.tensor(original).name + ".slice" + suffix(false));
    tensor.type = m_original.tensor(original).type;
    tensor.shape = shapeOf(box);
    const TensorId output = m_editor.addTensor(std::move(tensor));
    m_result.originals.resize(output.index + 1);
    m_result.originals[output.index] = original;
    node.outputs = {output};
    if (!producerOf(original).valid()) { // a slice of an input takes the origins of its readers
        std::vector<NodeId> readers;
        for (const Use &use : m_original.uses(original))
            readers.push_back(use.node);
        node.origins = originsOf(m_original, readers);
    }
    add(std::move(node), producerOf(original), Realized::Role::Slice, false);
    return {output, box};
}

Held PartWriter::join(const std::vector<Held> &pieces, TensorId original, int dim)
{
    Held whole = pieces.front();
    const auto d = std::size_t(dim);
    whole.box[d].end = pieces.back().box[d].end;
    Node node;
    node.op = "Concat";
    node.name = m_original.tensor(original).name + ".join";
    node.attributes = Attributes({{"axis", std::int64_t(dim)}});
    for (const Held &piece : pieces)
        node.inputs.push_back(piece.tensor);
    whole.tensor = version(original, whole.box, false);
    node.outputs = {whole.tensor};
    add(std::move(node), producerOf(original), Realized::Role::Join, false);
    return whole;
}

Held PartWriter::gather(const Held &sum, const Held &part, TensorId original, Combine combine)
{
    Node node;
    node.op = operatorOf(combine);
    node.name = m_original.tensor(original).name + ".gather";
    node.inputs = {sum.tensor, part.tensor};
    Tensor tensor;
    tensor.name = uniqueName(m_original.tensor(original).name + ".gathered" + suffix(false));
    tensor.type = m_original.tensor(original).type;
    tensor.shape = shapeOf(sum.box);
    const TensorId output = m_editor.addTensor(std::move(tensor));
    m_result.originals.resize(output.index + 1);
    m_result.originals[output.index] = original;
    node.outputs = {output};
    add(std::move(node), producerOf(original), Realized::Role::Gather, false);
    return {output, sum.box};
}

std::optional<Held> PartWriter::addInKernel(const Held &sum, const Held &part)
{
    const NodeId id = m_editor.graph().producer(part.tensor);
    Realized::Origin &origin = m_result.origins[id.index];
    if (origin.role != Realized::Role::Call)
        return std::nullopt; // it was assembled from parts of another fission
    m_editor.replaceNode(id, addingTo(m_editor.graph().node(id), sum.tensor));
    origin.adds = true;
    return part;
}

Result<Realized> PartWriter::finish(const std::vector<Held> &outputs)
{
    // Outputs keep their names, whichever version they are.
    std::vector<TensorId> ids;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const TensorId original = m_original.outputs()[o], id = outputs[o].tensor;
        ids.push_back(id);
        if (id == original)
            continue;
        const std::string name = m_original.tensor(original).name;
        if (m_made[original.index]) {
            Tensor before = m_editor.graph().tensor(original);
            if (before.name == name) {
                before.name = uniqueName(name + ".before");
                m_editor.setTensor(original, std::move(before));
            }
        }
        Tensor tensor = m_editor.graph().tensor(id);
        tensor.name = name;
        m_editor.setTensor(id, std::move(tensor));
    }
    m_editor.setOutputs(ids);
    m_editor.setOrder(m_order);
    for (std::uint32_t t = 0; t < m_editor.graph().tensorBound(); ++t) {
        const TensorId id{t};
        const Graph &graph = m_editor.graph();
        if (graph.contains(id) && !graph.producer(id).valid() && graph.uses(id).empty() &&
            !graph.isExternal(id) && std::ranges::find(ids, id) == ids.end())
            m_editor.removeTensor(id);
    }
    GL_TRY_RESULT(graph, std::move(m_editor).finish());
    m_result.graph = *std::move(graph);
    m_result.originals.resize(m_result.graph.tensorBound());
    return std::move(m_result);
}

} // namespace graphloom::magis
