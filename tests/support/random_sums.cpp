// SPDX-License-Identifier: Apache-2.0
#include "tests/support/attribute.h"
#include "tests/support/random_calls.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace graphloom::test {

namespace {

using Extents = NetworkBuilder::Extents;
using List = NetworkBuilder::List;

struct Window {
    Extents kernel, strides, dilations, pads;
};

Window window(NetworkBuilder &to, const Known &x, std::int64_t most)
{
    Window w;
    const std::size_t dims = x.extents.size() - 2;
    const bool plain = to.oneIn(3); // 3 x 3, the most common one
    for (std::size_t d = 0; d < dims; ++d) {
        w.kernel.push_back(plain ? 3 : to.small(most));
        w.strides.push_back(plain || to.oneIn(2) ? 1 : to.small(3));
        w.dilations.push_back(plain || to.oneIn(2) ? 1 : to.small(2));
    }
    for (std::size_t i = 0; i < 2 * dims; ++i)
        w.pads.push_back(plain ? 1 : to.oneIn(10) ? 6 : to.pick(3));
    return w;
}

} // namespace

bool convolved(NetworkBuilder &to, const Known &x)
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
    const std::int64_t groups = to.oneIn(3)   ? channels
                                : to.oneIn(3) ? divisors[below(to.random(), divisors.size())]
                                              : 1;
    const bool transposed = to.oneIn(5);
    const std::int64_t perGroup = groups == 1 ? to.small(20) : to.small(3);
    Window w = window(to, x, 4);
    Extents shape =
        transposed ? Extents{channels, perGroup} : Extents{groups * perGroup, channels / groups};
    shape.insert(shape.end(), w.kernel.begin(), w.kernel.end());
    double fan = double(channels / groups);
    for (const std::int64_t extent : w.kernel)
        fan *= double(extent);
    std::vector<TensorId> inputs{x.id, to.weight(shape, 1 / std::sqrt(fan))};
    if (to.oneIn(2))
        inputs.push_back(to.weight({groups * perGroup}));
    List attributes{integer("group", groups), ints("strides", w.strides),
                    ints("dilations", w.dilations), ints("pads", w.pads)};
    if (transposed && to.oneIn(2)) {
        Extents more;
        for (const std::int64_t stride : w.strides)
            more.push_back(to.pick(int(stride)));
        attributes.push_back(ints("output_padding", more));
    }
    return to.call(transposed ? "ConvTranspose" : "Conv", inputs, attributes);
}

bool pooled(NetworkBuilder &to, const Known &x, bool most)
{
    if (x.extents.size() < 3 || x.extents.size() > 5)
        return false;
    if (to.oneIn(5))
        return to.call(most ? "GlobalMaxPool" : "GlobalAveragePool", {x.id}, {}, most && x.exact);
    Window w = window(to, x, 3);
    for (std::size_t i = 0; i < w.pads.size(); ++i)
        w.pads[i] = std::min(w.pads[i], w.kernel[i % w.kernel.size()] - 1);
    List attributes{ints("kernel_shape", w.kernel), ints("strides", w.strides),
                    ints("dilations", w.dilations), ints("pads", w.pads),
                    integer("ceil_mode", to.pick(2))};
    if (!most)
        attributes.push_back(integer("count_include_pad", to.pick(2)));
    return to.call(most ? "MaxPool" : "AveragePool", {x.id}, attributes, most && x.exact);
}

bool multiplied(NetworkBuilder &to, const Known &x)
{
    const std::size_t rank = x.extents.size();
    if (rank == 0)
        return false;
    const std::int64_t inner = x.extents.back();
    if (rank == 2 && to.oneIn(2)) {
        const bool across = to.oneIn(2), turned = to.oneIn(2);
        const std::int64_t k = across ? x.extents[0] : inner, n = to.small(40);
        std::vector<TensorId> inputs{x.id, to.weight(turned ? Extents{n, k} : Extents{k, n}, 0.3)};
        if (to.oneIn(2))
            inputs.push_back(to.weight(to.oneIn(2) ? Extents{n} : Extents{1}));
        return to.call("Gemm", inputs,
                       {integer("transA", across), integer("transB", turned), real("alpha", 0.5f)});
    }
    if (to.oneIn(3)) { // a product of two results, like attention's scores
        for (const Known &y : to.known())
            if (y.extents.size() >= 2 && rank >= 2 && y.extents[y.extents.size() - 2] == inner &&
                to.oneIn(2))
                return to.call("MatMul", {x.id, y.id});
        Extents order(rank, 0);
        std::iota(order.begin(), order.end(), 0);
        if (rank < 2)
            return false;
        std::swap(order[rank - 1], order[rank - 2]);
        return to.call("Transpose", {x.id}, {ints("perm", order)}, true, 1, false) &&
               to.call("MatMul", {x.id, to.last()});
    }
    Extents shape{inner, to.small(40)};
    if (rank > 2 && to.oneIn(4))
        shape.insert(shape.begin(), x.extents[rank - 3]);
    if (to.oneIn(8))
        shape = {inner};
    return to.call("MatMul", {x.id, to.weight(shape, 1 / std::sqrt(double(inner) + 1))});
}

bool reduced(NetworkBuilder &to, const Known &x, bool most)
{
    const auto rank = int(x.extents.size());
    Extents axes;
    for (int axis = 0; axis < rank; ++axis)
        if (to.oneIn(2) && (!most || x.extents[std::size_t(axis)] > 0))
            axes.push_back(axis);
    if (axes.empty())
        return false;
    const List attributes{integer("keepdims", to.pick(2))};
    if (most && x.exact && to.oneIn(3))
        return to.call(to.oneIn(2) ? "ArgMax" : "ArgMin", {x.id},
                       {integer("axis", axes[0]), integer("keepdims", to.pick(2)),
                        integer("select_last_index", to.pick(2))},
                       true, 1, false) &&
               to.call("Cast", {to.last()}, {integer("to", 1)}, true);
    static const std::vector<const char *> sums{"ReduceSum", "ReduceMean", "ReduceL1",
                                                "ReduceSumSquare", "ReduceProd"};
    const char *name = most ? (to.oneIn(2) ? "ReduceMax" : "ReduceMin")
                            : sums[std::size_t(to.pick(int(sums.size())))];
    if (to.opset() >= 18 || std::string_view(name) == "ReduceSum")
        return to.call(name, {x.id, to.integers(axes)}, attributes, most && x.exact);
    return to.call(name, {x.id}, {attributes[0], ints("axes", axes)}, most && x.exact);
}

bool normalized(NetworkBuilder &to, const Known &x)
{
    const auto rank = int(x.extents.size());
    if (rank == 0)
        return false;
    const int axis = to.pick(rank);
    const float epsilon = 0.1f; // so that rows of equal elements do not magnify errors
    const std::int64_t channels = rank > 1 ? x.extents[1] : 1;
    const Extents c{channels};
    switch (to.pick(6)) {
    case 0:
    case 1:
        return to.call("Softmax", {x.id}, {integer("axis", axis)});
    case 2:
        return to.call("LogSoftmax", {x.id}, {integer("axis", axis)});
    case 3: {
        const Extents rest(x.extents.begin() + axis, x.extents.end());
        return to.call("LayerNormalization", {x.id, to.weight(rest), to.weight(rest)},
                       {integer("axis", axis), real("epsilon", epsilon)});
    }
    case 4: {
        std::vector<float> variances(std::size_t(channels), 0.5f);
        return to.call("BatchNormalization",
                       {x.id, to.weight(c), to.weight(c), to.weight(c),
                        to.constant(TensorData::fromValues<float>(DataType::Float, c, variances))},
                       {});
    }
    default:
        return to.call("InstanceNormalization", {x.id, to.weight(c), to.weight(c)},
                       {real("epsilon", epsilon)});
    }
}

} // namespace graphloom::test
