// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_network.h"

#include "engine/ops/operator_table.h"
#include "engine/runtime/random.h"
#include "tests/support/attribute.h"

#include <QtGlobal>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

namespace graphloom::test {

namespace {

using Extents = std::vector<std::int64_t>;
using List = std::vector<Attribute>;

class Network {
public:
    Network(Random &random, std::int64_t opset) : m_random(random), m_opset(opset) {}

    Graph make(const RandomNetworkOptions &options)
    {
        for (int i = 0; i < 1 + pick(2); ++i)
            addInput();
        for (int made = 0, tries = 0; made < options.nodes && tries < 40 * options.nodes; ++tries)
            made += addNode(options.contractions);
        std::vector<TensorId> outputs;
        for (const Known &known : m_known)
            if ((m_editor.graph().producer(known.id).valid() &&
                 m_editor.graph().uses(known.id).empty()) ||
                oneIn(8))
                outputs.push_back(known.id);
        if (outputs.empty())
            outputs.push_back(m_known.back().id);
        m_editor.setInputs(m_inputs);
        m_editor.setOutputs(outputs);
        auto graph = std::move(m_editor).finish();
        if (!graph)
            qFatal("%s", graph.error().text().c_str());
        return *std::move(graph);
    }

private:
    struct Known {
        TensorId id;
        Extents extents;
        bool exact = false; // equals the interpreter's to the last bit
    };

    int pick(int bound) { return int(below(m_random, std::uint64_t(bound))); }
    bool oneIn(int bound) { return pick(bound) == 0; }
    std::int64_t small(std::int64_t most) { return 1 + pick(int(most)); }

    void addInput()
    {
        static const std::vector<Extents> shapes{
            {1, 3, 9, 11},   {2, 8, 7, 7},  {1, 16, 5, 6}, {1, 33, 4, 4}, {3, 5}, {2, 6, 20},
            {1, 4, 5, 6, 7}, {17, 40},      {2, 3, 4, 10}, {1, 1, 13, 1}, {7},    {},
            {2, 24, 6, 1},   {1, 32, 8, 8}, {5, 1, 19}};
        Extents extents = shapes[std::size_t(pick(int(shapes.size())))];
        if (oneIn(25) && !extents.empty())
            extents[std::size_t(pick(int(extents.size())))] = 0;
        Tensor tensor;
        tensor.name = "x" + std::to_string(m_inputs.size());
        tensor.type = DataType::Float;
        tensor.shape = Shape(extents.begin(), extents.end());
        m_inputs.push_back(m_editor.addTensor(std::move(tensor)));
        m_known.push_back({m_inputs.back(), std::move(extents), true});
    }

    TensorId constant(TensorData data)
    {
        return m_editor.addTensor(Tensor::of("c" + std::to_string(m_names++), std::move(data)));
    }
    TensorId integers(Extents values)
    {
        return constant(TensorData::fromInt64s(std::move(values)));
    }
    /// Uniform between -scale and scale.
    TensorId weight(const Extents &extents, double scale = 1)
    {
        const auto uniform = *randomTensor(DataType::Float, extents, m_random());
        std::vector<float> values;
        for (std::int64_t i = 0; i < uniform.elements(); ++i)
            values.push_back(float(uniform.real(i) * scale));
        return constant(TensorData::fromValues<float>(DataType::Float, extents, values));
    }

    /// A node with one or more outputs; false when the table refuses the call.
    bool call(const char *op, std::vector<TensorId> inputs, List attributes = {},
              bool exact = false, int outputs = 1, bool keep = true)
    {
        Node node;
        node.op = op;
        node.name = op + std::to_string(m_names++);
        node.inputs = std::move(inputs);
        node.attributes = Attributes(std::move(attributes));
        for (int k = 0; k < outputs; ++k) {
            Tensor tensor;
            tensor.name = node.name + "." + std::to_string(k);
            node.outputs.push_back(m_editor.addTensor(std::move(tensor)));
        }
        const std::vector<TensorId> results(node.outputs.begin(), node.outputs.end());
        const NodeId id = m_editor.addNode(std::move(node));
        const auto description =
            describe(m_editor.graph(), id, [this](std::string_view) { return m_opset; });
        const auto refuse = [&] {
            m_editor.removeNode(id);
            return false;
        };
        if (!description || description->isOpaque())
            return refuse();
        std::vector<Known> known;
        for (std::size_t k = 0; k < results.size(); ++k) {
            const Value &value = description->values[k];
            if (!value.shape || !isStatic(*value.shape) || *staticElements(*value.shape) > 60000)
                return refuse();
            Extents extents;
            for (const Dim &dim : *value.shape)
                extents.push_back(dim.value());
            known.push_back({results[k], std::move(extents), exact});
            Tensor tensor = m_editor.graph().tensor(results[k]);
            tensor.type = value.type;
            tensor.shape = value.shape;
            m_editor.setTensor(results[k], std::move(tensor));
        }
        m_last = results.front();
        if (keep)
            m_known.insert(m_known.end(), known.begin(), known.end());
        return true;
    }

    Known any()
    {
        const std::size_t near = std::min<std::size_t>(m_known.size(), 3);
        return oneIn(4) ? m_known[below(m_random, m_known.size())]
                        : m_known[m_known.size() - 1 - below(m_random, near)];
    }

    bool addNode(bool contractions)
    {
        const Known x = any();
        switch (pick(contractions ? 22 : 12)) {
        case 0:
        case 1:
            return unary(x);
        case 2:
        case 3:
            return binary(x);
        case 4:
            return compared(x);
        case 5:
        case 6:
            return rearranged(x);
        case 7:
            return joined(x);
        case 8:
            return padded(x);
        case 9:
            return picked(x);
        case 10:
            return pooled(x, true);
        case 11:
            return reduced(x, true);
        case 12:
        case 13:
        case 14:
        case 15:
            return convolved(x);
        case 16:
        case 17:
            return multiplied(x);
        case 18:
            return pooled(x, false);
        case 19:
            return reduced(x, false);
        case 20:
            return normalized(x);
        default:
            return resized(x);
        }
    }

    bool unary(const Known &x)
    {
        static const std::vector<const char *> smooth{
            "Sigmoid",  "Tanh", "Erf", "HardSwish", "HardSigmoid", "Elu",  "Softplus",
            "Softsign", "Mish", "Sin", "Cos",       "Selu",        "Celu", "Gelu"};
        static const std::vector<const char *> exact{"Relu", "Neg", "Abs", "Identity", "LeakyRelu"};
        static const std::vector<const char *> steps{"Floor", "Ceil", "Round", "Sign"};
        if (x.exact && oneIn(5))
            return call(steps[std::size_t(pick(4))], {x.id}, {}, true);
        if (oneIn(2))
            return call(exact[std::size_t(pick(5))], {x.id}, {}, x.exact);
        return call(smooth[std::size_t(pick(int(smooth.size())))], {x.id});
    }

    /// Of a shape that is broadcast to the given one.
    TensorId broadcastConstant(const Extents &extents)
    {
        Extents shape = extents;
        for (std::int64_t &extent : shape)
            if (oneIn(2))
                extent = 1;
        while (!shape.empty() && oneIn(3))
            shape.erase(shape.begin());
        return weight(shape);
    }

    bool binary(const Known &x)
    {
        static const std::vector<const char *> names{"Add", "Sub", "Mul", "Max", "Min", "PRelu"};
        const char *name = names[std::size_t(pick(int(names.size())))];
        const bool exact = x.exact && (name == names[3] || name == names[4]);
        if (oneIn(2))
            return call(name, {x.id, broadcastConstant(x.extents)}, {}, exact);
        const Known y = any();
        return oneIn(2) ? call(name, {x.id, y.id}) : call(name, {y.id, x.id});
    }

    bool compared(const Known &x)
    {
        if (!x.exact) // else the least error makes another choice
            return false;
        static const std::vector<const char *> names{"Less", "Greater", "LessOrEqual", "Equal"};
        if (!call(names[std::size_t(pick(4))], {x.id, broadcastConstant(x.extents)}, {}, true, 1,
                  false))
            return false;
        const TensorId condition = m_last;
        if (oneIn(4))
            return call("Cast", {condition}, {integer("to", 1)}, true);
        const Known y = any();
        return call("Where", {condition, x.id, oneIn(2) ? y.id : broadcastConstant(x.extents)});
    }

    bool rearranged(const Known &x)
    {
        const auto rank = int(x.extents.size());
        if (rank == 0)
            return call("Unsqueeze", {x.id, integers({0})}, {}, true);
        const int axis = pick(rank);
        switch (pick(7)) {
        case 0:
        case 1: {
            Extents order(std::size_t(rank), 0);
            std::iota(order.begin(), order.end(), 0);
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[below(m_random, i)]);
            return call("Transpose", {x.id}, {ints("perm", order)}, x.exact);
        }
        case 2:
        case 3: {
            // Divided anew: neighbours come together, one comes apart.
            Extents shape = x.extents;
            if (rank > 1 && oneIn(2)) {
                const int at = pick(rank - 1);
                shape[std::size_t(at)] *= shape[std::size_t(at) + 1];
                shape.erase(shape.begin() + at + 1);
            }
            const auto at = std::size_t(pick(int(shape.size())));
            for (const std::int64_t factor : {2, 3, 4, 5})
                if (shape[at] > factor && shape[at] % factor == 0) {
                    shape[at] /= factor;
                    shape.insert(shape.begin() + std::ptrdiff_t(at) + pick(2), factor);
                    break;
                }
            return call("Reshape", {x.id, integers(shape)}, {integer("allowzero", 1)}, x.exact);
        }
        case 4:
            return call("Flatten", {x.id}, {integer("axis", axis)}, x.exact);
        case 5:
            return call("DepthToSpace", {x.id},
                        {integer("blocksize", 2), word("mode", oneIn(2) ? "DCR" : "CRD")}, x.exact);
        default:
            return call("SpaceToDepth", {x.id}, {integer("blocksize", 2)}, x.exact);
        }
    }

    bool joined(const Known &x)
    {
        const auto rank = int(x.extents.size());
        if (rank == 0)
            return false;
        const int axis = pick(rank);
        if (oneIn(2)) {
            std::vector<TensorId> parts{x.id};
            for (const Known &other : std::vector<Known>{any(), any()})
                if (other.extents.size() == x.extents.size() && oneIn(2))
                    parts.insert(parts.begin() + pick(2), other.id);
            if (parts.size() == 1)
                parts.push_back(x.id);
            return call("Concat", parts, {integer("axis", axis)}, false);
        }
        const std::int64_t extent = x.extents[std::size_t(axis)];
        if (extent < 2)
            return false;
        const std::int64_t first = small(extent - 1);
        return call("Split", {x.id, integers({first, extent - first})}, {integer("axis", axis)},
                    x.exact, 2);
    }

    bool padded(const Known &x)
    {
        const auto rank = x.extents.size();
        if (rank == 0)
            return false;
        if (oneIn(4)) {
            Extents repeats(rank, 1);
            repeats[below(m_random, rank)] = small(3);
            return call("Tile", {x.id, integers(repeats)}, {}, x.exact);
        }
        if (oneIn(4)) {
            Extents shape = x.extents;
            for (std::int64_t &extent : shape)
                if (extent == 1 && oneIn(2))
                    extent = small(5);
            shape.insert(shape.begin(), small(2));
            return call("Expand", {x.id, integers(shape)}, {}, x.exact);
        }
        static const std::vector<const char *> modes{"constant", "reflect", "edge", "wrap"};
        const int mode = pick(4);
        Extents pads(2 * rank, 0);
        for (std::size_t i = 0; i < pads.size(); ++i)
            if (oneIn(3))
                pads[i] = pick(4) - (oneIn(4) ? 2 : 0);
        for (std::size_t d = 0; d < rank; ++d)
            if (x.extents[d] < 4)
                pads[d] = pads[d + rank] = mode == 0 ? pads[d] : 0;
        std::vector<TensorId> inputs{x.id, integers(pads)};
        if (mode == 0 && oneIn(2))
            inputs.push_back(weight({}));
        return call("Pad", inputs, {word("mode", modes[std::size_t(mode)])}, x.exact);
    }

    bool picked(const Known &x)
    {
        const auto rank = int(x.extents.size());
        if (rank == 0)
            return false;
        const int axis = pick(rank);
        const std::int64_t extent = x.extents[std::size_t(axis)];
        if (extent < 2)
            return false;
        if (oneIn(2)) {
            Extents indices;
            for (std::int64_t i = small(4); i > 0; --i)
                indices.push_back(pick(int(2 * extent)) - extent);
            return call("Gather", {x.id, integers(indices)}, {integer("axis", axis)}, x.exact);
        }
        const bool backwards = oneIn(3);
        const std::int64_t step = small(3) * (backwards ? -1 : 1);
        const std::int64_t from = backwards ? -1 - pick(2) : pick(2);
        return call("Slice",
                    {x.id, integers({from}), integers({backwards ? -extent - 1 : extent - pick(2)}),
                     integers({axis}), integers({step})},
                    {}, x.exact);
    }

    struct Window {
        Extents kernel, strides, dilations, pads;
    };
    Window window(const Known &x, std::int64_t most)
    {
        Window w;
        const std::size_t dims = x.extents.size() - 2;
        const bool plain = oneIn(3); // 3 x 3 as most are
        for (std::size_t d = 0; d < dims; ++d) {
            w.kernel.push_back(plain ? 3 : small(most));
            w.strides.push_back(plain || oneIn(2) ? 1 : small(3));
            w.dilations.push_back(plain || oneIn(2) ? 1 : small(2));
        }
        for (std::size_t i = 0; i < 2 * dims; ++i)
            w.pads.push_back(plain ? 1 : oneIn(10) ? 6 : pick(3));
        return w;
    }

    bool convolved(const Known &x)
    {
        if (x.extents.size() < 3 || x.extents.size() > 5)
            return false;
        const std::int64_t channels = x.extents[1];
        if (channels == 0)
            return false;
        Extents divisors;
        for (std::int64_t g = 1; g <= channels; ++g)
            if (channels % g == 0)
                divisors.push_back(g);
        const std::int64_t groups = oneIn(3)   ? channels
                                    : oneIn(3) ? divisors[below(m_random, divisors.size())]
                                               : 1;
        const bool transposed = oneIn(5);
        const std::int64_t perGroup = groups == 1 ? small(20) : small(3);
        Window w = window(x, 4);
        Extents shape = transposed ? Extents{channels, perGroup}
                                   : Extents{groups * perGroup, channels / groups};
        shape.insert(shape.end(), w.kernel.begin(), w.kernel.end());
        double fan = double(channels / groups);
        for (const std::int64_t extent : w.kernel)
            fan *= double(extent);
        std::vector<TensorId> inputs{x.id, weight(shape, 1 / std::sqrt(fan))};
        if (oneIn(2))
            inputs.push_back(weight({groups * perGroup}));
        List attributes{integer("group", groups), ints("strides", w.strides),
                        ints("dilations", w.dilations), ints("pads", w.pads)};
        if (transposed && oneIn(2)) {
            Extents more;
            for (const std::int64_t stride : w.strides)
                more.push_back(pick(int(stride)));
            attributes.push_back(ints("output_padding", more));
        }
        return call(transposed ? "ConvTranspose" : "Conv", inputs, attributes);
    }

    bool pooled(const Known &x, bool most)
    {
        if (x.extents.size() < 3 || x.extents.size() > 5)
            return false;
        if (oneIn(5))
            return call(most ? "GlobalMaxPool" : "GlobalAveragePool", {x.id}, {}, most && x.exact);
        Window w = window(x, 3);
        for (std::size_t i = 0; i < w.pads.size(); ++i)
            w.pads[i] = std::min(w.pads[i], w.kernel[i % w.kernel.size()] - 1);
        List attributes{ints("kernel_shape", w.kernel), ints("strides", w.strides),
                        ints("dilations", w.dilations), ints("pads", w.pads),
                        integer("ceil_mode", pick(2))};
        if (!most)
            attributes.push_back(integer("count_include_pad", pick(2)));
        return call(most ? "MaxPool" : "AveragePool", {x.id}, attributes, most && x.exact);
    }

    bool multiplied(const Known &x)
    {
        const std::size_t rank = x.extents.size();
        if (rank == 0)
            return false;
        const std::int64_t inner = x.extents.back();
        if (rank == 2 && oneIn(2)) {
            const bool across = oneIn(2), turned = oneIn(2);
            const std::int64_t k = across ? x.extents[0] : inner, n = small(40);
            std::vector<TensorId> inputs{x.id, weight(turned ? Extents{n, k} : Extents{k, n}, 0.3)};
            if (oneIn(2))
                inputs.push_back(weight(oneIn(2) ? Extents{n} : Extents{1}));
            return call(
                "Gemm", inputs,
                {integer("transA", across), integer("transB", turned), real("alpha", 0.5f)});
        }
        if (oneIn(3)) { // of two results: attention's scores
            for (const Known &y : m_known)
                if (y.extents.size() >= 2 && rank >= 2 &&
                    y.extents[y.extents.size() - 2] == inner && oneIn(2))
                    return call("MatMul", {x.id, y.id});
            Extents order(rank, 0);
            std::iota(order.begin(), order.end(), 0);
            if (rank < 2)
                return false;
            std::swap(order[rank - 1], order[rank - 2]);
            return call("Transpose", {x.id}, {ints("perm", order)}, true, 1, false) &&
                   call("MatMul", {x.id, m_last});
        }
        Extents shape{inner, small(40)};
        if (rank > 2 && oneIn(4))
            shape.insert(shape.begin(), x.extents[rank - 3]);
        if (oneIn(8))
            shape = {inner};
        return call("MatMul", {x.id, weight(shape, 1 / std::sqrt(double(inner) + 1))});
    }

    bool reduced(const Known &x, bool most)
    {
        const auto rank = int(x.extents.size());
        Extents axes;
        for (int axis = 0; axis < rank; ++axis)
            if (oneIn(2) && (!most || x.extents[std::size_t(axis)] > 0))
                axes.push_back(axis);
        if (axes.empty())
            return false;
        const List attributes{integer("keepdims", pick(2))};
        if (most && x.exact && oneIn(3))
            return call(oneIn(2) ? "ArgMax" : "ArgMin", {x.id},
                        {integer("axis", axes[0]), integer("keepdims", pick(2)),
                         integer("select_last_index", pick(2))},
                        true, 1, false) &&
                   call("Cast", {m_last}, {integer("to", 1)}, true);
        static const std::vector<const char *> sums{"ReduceSum", "ReduceMean", "ReduceL1",
                                                    "ReduceSumSquare", "ReduceProd"};
        const char *name = most ? (oneIn(2) ? "ReduceMax" : "ReduceMin")
                                : sums[std::size_t(pick(int(sums.size())))];
        if (m_opset >= 18 || std::string_view(name) == "ReduceSum")
            return call(name, {x.id, integers(axes)}, attributes, most && x.exact);
        return call(name, {x.id}, {attributes[0], ints("axes", axes)}, most && x.exact);
    }

    bool normalized(const Known &x)
    {
        const auto rank = int(x.extents.size());
        if (rank == 0)
            return false;
        const int axis = pick(rank);
        const float epsilon = 0.1f; // rows of equal elements do not magnify errors
        const std::int64_t channels = rank > 1 ? x.extents[1] : 1;
        const Extents c{channels};
        switch (pick(6)) {
        case 0:
        case 1:
            return call("Softmax", {x.id}, {integer("axis", axis)});
        case 2:
            return call("LogSoftmax", {x.id}, {integer("axis", axis)});
        case 3: {
            const Extents rest(x.extents.begin() + axis, x.extents.end());
            return call("LayerNormalization", {x.id, weight(rest), weight(rest)},
                        {integer("axis", axis), real("epsilon", epsilon)});
        }
        case 4: {
            std::vector<float> variances(std::size_t(channels), 0.5f);
            return call("BatchNormalization",
                        {x.id, weight(c), weight(c), weight(c),
                         constant(TensorData::fromValues<float>(DataType::Float, c, variances))},
                        {});
        }
        default:
            return call("InstanceNormalization", {x.id, weight(c), weight(c)},
                        {real("epsilon", epsilon)});
        }
    }

    bool resized(const Known &x)
    {
        if (x.extents.size() != 4 || !x.exact)
            return false;
        static const std::vector<const char *> modes{"nearest", "linear", "cubic"};
        static const std::vector<const char *> places{"half_pixel", "asymmetric", "align_corners"};
        Extents sizes = x.extents;
        sizes[2] = small(12);
        sizes[3] = small(12);
        return call("Resize", {x.id, {}, {}, integers(sizes)},
                    {word("mode", modes[std::size_t(pick(3))]),
                     word("coordinate_transformation_mode", places[std::size_t(pick(3))])});
    }

    Random &m_random;
    std::int64_t m_opset;
    GraphEditor m_editor;
    std::vector<TensorId> m_inputs;
    std::vector<Known> m_known;
    TensorId m_last;
    int m_names = 0;
};

} // namespace

Graph randomNetwork(Random &random, std::int64_t opset, const RandomNetworkOptions &options)
{
    return Network(random, opset).make(options);
}

std::vector<std::vector<NodeId>> randomBlocks(const Graph &graph, Random &random, std::size_t most)
{
    std::vector<std::vector<NodeId>> blocks;
    std::size_t room = 0;
    for (const NodeId id : graph.order()) {
        if (room == 0) {
            room = 1 + below(random, most);
            blocks.emplace_back();
        }
        blocks.back().push_back(id);
        --room;
    }
    return blocks;
}

} // namespace graphloom::test
