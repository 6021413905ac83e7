// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/input_shapes.h"

#include "engine/onnx/batch_size.h"

#include <algorithm>
#include <map>
#include <optional>

namespace graphloom {

namespace {

std::string listInputs(const Graph &graph)
{
    std::string text;
    for (const TensorId id : graph.inputs()) {
        const Tensor &input = graph.tensor(id);
        text += (text.empty() ? "" : ", ") + ("\"" + input.name + "\"");
        if (input.shape)
            text += " (" + graphloom::text(*input.shape) + ")";
    }
    return text.empty() ? "the model has no inputs" : "the model's inputs are " + text;
}

class Wishes {
public:
    explicit Wishes(const Graph &graph) : m_graph(graph) {}

    Result<void> add(TensorId id, std::size_t position, std::int64_t extent)
    {
        const Tensor &input = m_graph.tensor(id);
        if (extent <= 0)
            return fail(Error::Kind::Usage, "input \"" + input.name + "\" cannot have the extent " +
                                                std::to_string(extent));
        const Dim &stated = (*input.shape)[position];
        if (stated.isConstant()) {
            m_contradicts = m_contradicts || stated != Dim(extent);
            return {};
        }
        if (!stated.isSymbol())
            return {};
        const auto [found, added] = m_values.try_emplace(stated.text(), extent);
        if (!added && found->second != extent)
            return fail(Error::Kind::Usage, "extent \"" + stated.text() + "\" of input \"" +
                                                input.name + "\" is set to " +
                                                std::to_string(extent) + ", but elsewhere to " +
                                                std::to_string(found->second));
        return {};
    }

    bool contradicts() const { return m_contradicts; }
    bool empty() const { return m_values.empty() && !m_contradicts; }
    Shape apply(const Shape &shape) const
    {
        Shape result;
        for (const Dim &dim : shape)
            result.push_back(dim.substitute([&](const std::string &symbol) {
                const auto found = m_values.find(Dim::symbol(symbol).text());
                return found == m_values.end() ? std::nullopt : std::optional(found->second);
            }));
        return result;
    }

private:
    const Graph &m_graph;
    std::map<std::string, std::int64_t> m_values;
    bool m_contradicts = false;
};

} // namespace

namespace {

bool hasOpenBatch(const Graph &graph)
{
    return std::ranges::any_of(graph.inputs(), [&](TensorId id) {
        const auto &shape = graph.tensor(id).shape;
        return !shape || (!shape->empty() && !shape->front().isConstant());
    });
}

} // namespace

Result<Graph> withInputShapes(const Graph &graph, const ImportOptions &options)
{
    if (options.batchSize && *options.batchSize < 1)
        return fail(Error::Kind::Usage,
                    "a batch size must be at least 1, not " + std::to_string(*options.batchSize));
    if (options.batchSize && options.inputShapes.empty() && !hasOpenBatch(graph))
        return withBatchSize(graph, *options.batchSize);
    std::map<std::string_view, TensorId> inputs;
    for (const TensorId id : graph.inputs())
        inputs.emplace(graph.tensor(id).name, id);
    Wishes wishes(graph);
    std::map<TensorId, Shape> shapes;
    for (const auto &[name, extents] : options.inputShapes) {
        const auto found = inputs.find(name);
        if (found == inputs.end())
            return fail(Error::Kind::Usage, "unknown input \"" + name + "\"; " + listInputs(graph));
        const Tensor &input = graph.tensor(found->second);
        if (!input.otherType.empty())
            return fail(Error::Kind::Usage,
                        "input \"" + name + "\" is not a tensor and has no shape");
        if (!input.shape && std::ranges::find(extents, 0) != extents.end())
            return fail(Error::Kind::Usage, "input \"" + name +
                                                "\" has no shape in the file: every extent must "
                                                "be greater than 0");
        if (input.shape && input.shape->size() != extents.size())
            return fail(Error::Kind::Usage,
                        "input \"" + name + "\" has " + std::to_string(input.shape->size()) +
                            " dimensions, not " + std::to_string(extents.size()) + "; " +
                            listInputs(graph));
        for (std::size_t i = 0; i < extents.size() && input.shape; ++i)
            if (extents[i] != 0)
                GL_TRY(wishes.add(found->second, i, extents[i]));
        Shape &shape = shapes[found->second] = Shape(extents.begin(), extents.end());
        for (std::size_t i = 0; i < extents.size() && input.shape; ++i)
            if (extents[i] == 0)
                shape[i] = (*input.shape)[i];
    }
    if (options.batchSize)
        for (const TensorId id : graph.inputs()) {
            const Tensor &input = graph.tensor(id);
            const auto given = options.inputShapes.find(input.name);
            if (input.shape && !input.shape->empty() && !input.shape->front().isConstant() &&
                (given == options.inputShapes.end() || given->second.front() == 0))
                GL_TRY(wishes.add(id, 0, *options.batchSize));
        }
    if (wishes.empty() && shapes.empty())
        return graph;

    GraphEditor editor(graph);
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).shape || graph.tensor(id).constant)
            continue;
        Tensor tensor = graph.tensor(id);
        if (!graph.isExternal(id) && wishes.contradicts())
            tensor.shape.reset();
        else
            tensor.shape = wishes.apply(*tensor.shape);
        editor.setTensor(id, std::move(tensor));
    }
    for (auto &[id, shape] : shapes) {
        Tensor tensor = graph.tensor(id);
        tensor.shape = wishes.apply(shape);
        editor.setTensor(id, std::move(tensor));
    }
    return std::move(editor).finish();
}

} // namespace graphloom
