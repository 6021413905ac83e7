// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cell_networks.h"

#include "tests/support/attribute.h"
#include "tests/support/graph_maker.h"

#include <algorithm>
#include <array>
#include <map>

namespace graphloom::test {

namespace {

using Extents = std::vector<std::int64_t>;

Extents extentsOf(const Graph &graph, TensorId tensor)
{
    Extents extents;
    for (const Dim &extent : *graph.tensor(tensor).shape)
        extents.push_back(extent.value());
    return extents;
}

class Cells {
public:
    explicit Cells(Random &random) : m_random(random) {}

    Graph network(int cells)
    {
        const std::int64_t size = 32 + 16 * std::int64_t(below(m_random, 3));
        std::int64_t filters = 16 + 8 * std::int64_t(below(m_random, 3));
        TensorId before = conv(m_maker.input("x", {1, 3, size, size}), filters, 3, 1);
        TensorId last = before;
        for (int c = 0; c < cells; ++c) {
            const bool reduces = c % 3 == 2;
            filters *= reduces ? 2 : 1;
            const TensorId next = cell(before, last, filters, reduces ? 2 : 1);
            before = last;
            last = next;
        }
        return m_maker.finish({call("GlobalAveragePool", {relu(last)}, channels(last), 1)});
    }

private:
    std::int64_t channels(TensorId x) const { return extentsOf(m_maker.editor.graph(), x)[1]; }
    std::int64_t size(TensorId x) const { return extentsOf(m_maker.editor.graph(), x)[2]; }

    TensorId call(const char *op, std::vector<TensorId> inputs, std::int64_t to, std::int64_t edge,
                  std::vector<Attribute> attributes = {})
    {
        return m_maker.call(op, std::move(inputs), {1, to, edge, edge}, std::move(attributes));
    }
    /// Returns the Relu of a tensor, which most of its readers share.
    TensorId relu(TensorId x)
    {
        if (const auto known = m_relus.find(x); known != m_relus.end() && !chance(m_random, 0.2))
            return known->second;
        return m_relus[x] = call("Relu", {x}, channels(x), size(x));
    }
    TensorId conv(TensorId x, std::int64_t to, std::int64_t kernel, std::int64_t stride,
                  std::int64_t group = 1)
    {
        const TensorId weight =
            m_maker.constant("w" + std::to_string(m_weights++),
                             test::splat(0.5f, {to, channels(x) / group, kernel, kernel}));
        const std::int64_t pad = kernel / 2;
        return call("Conv", {x, weight}, to, (size(x) + stride - 1) / stride,
                    {ints("pads", {pad, pad, pad, pad}), ints("strides", {stride, stride}),
                     integer("group", group)});
    }
    TensorId separable(TensorId x, std::int64_t kernel, std::int64_t stride)
    {
        for (const std::int64_t by : {stride, std::int64_t(1)}) {
            x = conv(relu(x), channels(x), kernel, by, channels(x));
            x = conv(x, channels(x), 1, 1);
        }
        return x;
    }
    TensorId pool(const char *op, TensorId x, std::int64_t stride)
    {
        return call(op, {x}, channels(x), (size(x) + stride - 1) / stride,
                    {ints("kernel_shape", {3, 3}), ints("pads", {1, 1, 1, 1}),
                     ints("strides", {stride, stride})});
    }
    TensorId operation(TensorId x, std::int64_t stride)
    {
        switch (below(m_random, 8)) {
        case 0:
            return pool("AveragePool", x, stride);
        case 1:
            return pool("MaxPool", x, stride);
        case 2:
            return conv(relu(x), channels(x), 1, stride);
        case 3:
            return conv(relu(x), channels(x), 3, stride);
        case 4:
            return separable(x, 5, stride);
        case 5:
            return separable(x, 3, stride);
        default:
            return stride == 1 ? x : pool("MaxPool", x, stride);
        }
    }
    /// Fits a tensor to the extents of the blocks of a cell.
    TensorId fitted(TensorId x, std::int64_t filters, std::int64_t edge)
    {
        return conv(relu(x), filters, 1, (size(x) + edge - 1) / edge);
    }
    TensorId cell(TensorId before, TensorId last, std::int64_t filters, std::int64_t stride)
    {
        const std::int64_t edge = size(last), result = (edge + stride - 1) / stride;
        std::vector<TensorId> known{fitted(before, filters, edge), fitted(last, filters, edge)};
        std::vector<bool> used(2, true);
        for (int block = 0; block < 5; ++block) {
            std::array<TensorId, 2> parts;
            for (TensorId &part : parts) {
                const std::size_t from = below(m_random, known.size());
                used[from] = true;
                part = operation(known[from], (size(known[from]) + result - 1) / result);
            }
            known.push_back(call("Add", {parts[0], parts[1]}, filters, result));
            used.push_back(false);
        }
        std::vector<TensorId> open;
        for (std::size_t i = 0; i < known.size(); ++i)
            if (!used[i])
                open.push_back(known[i]);
        return open.size() == 1 ? open[0]
                                : call("Concat", open, filters * std::int64_t(open.size()), result,
                                       {integer("axis", 1)});
    }

    Random &m_random;
    test::GraphMaker m_maker;
    std::map<TensorId, TensorId> m_relus;
    int m_weights = 0;
};

/// Applies one substitution at one place.
class Substitution {
public:
    Substitution(const Graph &graph, Random &random)
        : m_graph(graph), m_editor(graph), m_random(random)
    {
    }

    bool apply(std::string_view name)
    {
        std::vector<NodeId> nodes(m_graph.order().begin(), m_graph.order().end());
        std::shuffle(nodes.begin(), nodes.end(), m_random);
        return std::ranges::any_of(nodes, [&](NodeId id) {
            return name == "merge convolutions"   ? merge(id)
                   : name == "split convolution"  ? split(id)
                   : name == "swap additions"     ? swapAdds(id)
                   : name == "Relu before Concat" ? reluFirst(id)
                   : name == "duplicate"          ? duplicate(id)
                                                  : unite(id);
        });
    }
    Graph finish() &&
    {
        m_editor.removeUnused();
        auto graph = std::move(m_editor).finish();
        if (!graph)
            qFatal("%s", graph.error().text().c_str());
        return *std::move(graph);
    }

private:
    const Node &node(NodeId id) const { return m_graph.node(id); }
    bool is(NodeId id, std::string_view op) const { return id.valid() && node(id).op == op; }
    bool isSingle(TensorId tensor) const { return m_graph.uses(tensor).size() == 1; }
    TensorId tensorLike(TensorId tensor)
    {
        Tensor copy = m_graph.tensor(tensor);
        copy.name += "." + std::to_string(m_editor.graph().tensorBound());
        return m_editor.addTensor(std::move(copy));
    }
    TensorId tensor(std::string name, const Extents &extents)
    {
        Tensor tensor;
        tensor.name = name + std::to_string(m_editor.graph().tensorBound());
        tensor.type = DataType::Float;
        tensor.shape = Shape(extents.begin(), extents.end());
        return m_editor.addTensor(std::move(tensor));
    }
    TensorId weight(const Extents &extents)
    {
        return m_editor.addTensor(
            Tensor::of("w" + std::to_string(m_editor.graph().tensorBound()),
                       test::splat(0.5f, TensorData::Extents(extents.begin(), extents.end()))));
    }
    NodeId add(std::string op, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
               Attributes attributes = {})
    {
        Node added;
        added.name = op + std::to_string(m_editor.graph().nodeBound());
        added.op = std::move(op);
        added.inputs = std::move(inputs);
        added.outputs = std::move(outputs);
        added.attributes = std::move(attributes);
        return m_editor.addNode(std::move(added));
    }
    bool isDense(NodeId id) const
    {
        return is(id, "Conv") && extentsOf(m_graph, node(id).inputs[1])[1] ==
                                     extentsOf(m_graph, node(id).inputs[0])[1];
    }

    bool merge(NodeId id)
    {
        if (!isDense(id))
            return false;
        const Node &a = node(id);
        for (const Use &use : m_graph.uses(a.inputs[0])) {
            const Node &b = node(use.node);
            if (use.node == id || !isDense(use.node) || a.attributes.hash() != b.attributes.hash())
                continue;
            Extents wa = extentsOf(m_graph, a.inputs[1]);
            const Extents wb = extentsOf(m_graph, b.inputs[1]);
            if (wa[2] != wb[2])
                continue;
            Extents both = extentsOf(m_graph, a.outputs[0]);
            const std::int64_t first = wa[0];
            both[1] = wa[0] += wb[0];
            const TensorId joined = tensor("both", both);
            const std::vector<TensorId> inputs{a.inputs[0], weight(wa)};
            const std::vector<TensorId> outputs{a.outputs[0], b.outputs[0]};
            const Attributes attributes = a.attributes;
            m_editor.removeNode(id);
            m_editor.removeNode(use.node);
            add("Conv", inputs, {joined}, attributes);
            const TensorId sizes = m_editor.addTensor(
                Tensor::of("sizes" + std::to_string(m_editor.graph().tensorBound()),
                           TensorData::fromInt64s({first, wb[0]})));
            add("Split", {joined, sizes}, outputs, Attributes({integer("axis", 1)}));
            return true;
        }
        return false;
    }
    bool split(NodeId id)
    {
        if (!is(id, "Split") || !isDense(m_graph.producer(node(id).inputs[0])) ||
            !isSingle(node(id).inputs[0]))
            return false;
        const NodeId from = m_graph.producer(node(id).inputs[0]);
        const Node conv = node(from);
        const std::vector<TensorId> outputs = node(id).outputs;
        m_editor.removeNode(id);
        m_editor.removeNode(from);
        for (const TensorId output : outputs) {
            Extents extents = extentsOf(m_graph, conv.inputs[1]);
            extents[0] = extentsOf(m_graph, output)[1];
            add("Conv", {conv.inputs[0], weight(extents)}, {output}, conv.attributes);
        }
        return true;
    }
    /// (a + b) + c becomes (a + c) + b.
    bool swapAdds(NodeId id)
    {
        if (!is(id, "Add"))
            return false;
        for (const std::size_t side : {0u, 1u}) {
            const TensorId sum = node(id).inputs[side], c = node(id).inputs[1 - side];
            const NodeId inner = m_graph.producer(sum);
            if (!is(inner, "Add") || !isSingle(sum) || sum == c)
                continue;
            const std::size_t kept = below(m_random, 2);
            const TensorId a = node(inner).inputs[kept], b = node(inner).inputs[1 - kept];
            const TensorId other = tensorLike(sum);
            const TensorId result = node(id).outputs[0];
            m_editor.removeNode(id);
            add("Add", {a, c}, {other});
            add("Add", {other, b}, {result});
            return true;
        }
        return false;
    }
    bool reluFirst(NodeId id)
    {
        if (!is(id, "Relu") || !is(m_graph.producer(node(id).inputs[0]), "Concat"))
            return false;
        const Node concat = node(m_graph.producer(node(id).inputs[0]));
        const TensorId result = node(id).outputs[0];
        m_editor.removeNode(id);
        std::vector<TensorId> parts;
        for (const TensorId input : concat.inputs) {
            parts.push_back(tensorLike(input));
            add("Relu", {input}, {parts.back()});
        }
        add("Concat", parts, {result}, concat.attributes);
        return true;
    }
    bool duplicate(NodeId id)
    {
        if (is(id, "Conv") || node(id).outputs.size() != 1 ||
            m_graph.uses(node(id).outputs[0]).size() < 2)
            return false;
        const TensorId from = node(id).outputs[0], copy = tensorLike(from);
        add(node(id).op, node(id).inputs, {copy}, node(id).attributes);
        const auto uses = m_graph.uses(from);
        const NodeId reader = uses[below(m_random, uses.size())].node;
        Node changed = node(reader);
        std::ranges::replace(changed.inputs, from, copy);
        m_editor.replaceNode(reader, std::move(changed));
        return true;
    }
    bool unite(NodeId id)
    {
        if (node(id).outputs.size() != 1)
            return false;
        for (const Use &use : m_graph.uses(node(id).inputs[0])) {
            const Node &other = node(use.node);
            if (use.node == id || other.op != node(id).op || other.inputs != node(id).inputs ||
                other.attributes.hash() != node(id).attributes.hash())
                continue;
            m_editor.replaceUses(other.outputs[0], node(id).outputs[0]);
            return true;
        }
        return false;
    }

    const Graph m_graph;
    GraphEditor m_editor;
    Random &m_random;
};

} // namespace

Graph cellNetwork(Random &random, int cells)
{
    return Cells(random).network(cells);
}

std::string substitute(Graph &graph, Random &random)
{
    std::vector<std::string> names{"merge convolutions", "split convolution", "swap additions",
                                   "Relu before Concat", "duplicate",         "unite"};
    std::shuffle(names.begin(), names.end(), random);
    for (std::string &name : names) {
        Substitution substitution(graph, random);
        if (!substitution.apply(name))
            continue;
        graph = std::move(substitution).finish();
        return name;
    }
    return {};
}

} // namespace graphloom::test
