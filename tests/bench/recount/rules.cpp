// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <algorithm>
#include <set>

namespace recount {

namespace {

/// A gradient node has the name and the attributes of its forward node.
constexpr char gradientDomain[] = "graphloom.gradient";

// They hand on what they are given, whatever the shapes.
const std::set<std::string> reshaping = {"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze"};

// They do where the result has as many elements as the input: then there is nothing to move, to
// repeat or to sum up.
const std::set<std::string> idle = {"Slice",      "Expand",     "Tile",      "Concat",
                                    "ReduceSum",  "ReduceMean", "ReduceMax", "ReduceMin",
                                    "ReduceProd", "Split",      "Dropout",   "Sum"};

const std::set<std::string> elementwise = {"Abs",
                                           "Acos",
                                           "Acosh",
                                           "Add",
                                           "And",
                                           "Asin",
                                           "Asinh",
                                           "Atan",
                                           "Atanh",
                                           "Cast",
                                           "CastLike",
                                           "Ceil",
                                           "Celu",
                                           "Clip",
                                           "Cos",
                                           "Cosh",
                                           "Div",
                                           "Dropout",
                                           "Elu",
                                           "Equal",
                                           "Erf",
                                           "Exp",
                                           "Floor",
                                           "Gelu",
                                           "Greater",
                                           "HardSigmoid",
                                           "HardSwish",
                                           "IsInf",
                                           "IsNaN",
                                           "LeakyRelu",
                                           "Less",
                                           "Log",
                                           "Max",
                                           "Mean",
                                           "Min",
                                           "Mish",
                                           "Mod",
                                           "Mul",
                                           "Neg",
                                           "Not",
                                           "Or",
                                           "PRelu",
                                           "Pow",
                                           "Reciprocal",
                                           "Relu",
                                           "Round",
                                           "Selu",
                                           "Sigmoid",
                                           "Sign",
                                           "Sin",
                                           "Sinh",
                                           "Softplus",
                                           "Softsign",
                                           "Sqrt",
                                           "Sub",
                                           "Sum",
                                           "Swish",
                                           "Tan",
                                           "Tanh",
                                           "ThresholdedRelu",
                                           "Where",
                                           "Xor",
                                           "FastGelu",
                                           "QuickGelu",
                                           "GreaterOrEqual",
                                           "LessOrEqual",
                                           "QuantizeLinear",
                                           "DequantizeLinear",
                                           "BatchNormalization"};

// Their gradients are of elements in what was summed up.
const std::set<std::string> summing = {"ReduceSumSquare", "ReduceL1"};

// Optimizers: element by element in weights, gradients and states, not in rates and counts.
const std::set<std::string> optimizers = {"SGDOptimizer", "Adam", "Adagrad", "Momentum"};

const Tensor &tensorOf(const Program &program, int id)
{
    return program.tensors[std::size_t(id)];
}

std::int64_t elementsOf(const Tensor &tensor)
{
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.shape)
        elements *= extent;
    return elements;
}

std::vector<std::int64_t> integersOf(const Node &node, const char *name)
{
    const auto at = node.attributes.find(name);
    if (at == node.attributes.end())
        return {};
    return {at->second.ints().begin(), at->second.ints().end()};
}

/// A transposition that leaves extents above 1 in their order moves nothing.
bool keepsOrder(const Node &node, const Tensor &from, bool backwards)
{
    std::vector<std::int64_t> perm = integersOf(node, "perm");
    const std::size_t rank = from.shape.size();
    if (perm.empty())
        for (std::size_t d = 0; d < rank; ++d)
            perm.push_back(std::int64_t(rank - 1 - d));
    if (perm.size() != rank)
        return false;
    if (backwards) {
        std::vector<std::int64_t> inverse(rank);
        for (std::size_t d = 0; d < rank; ++d)
            inverse[std::size_t(perm[d])] = std::int64_t(d);
        perm = inverse;
    }
    std::int64_t last = -1;
    for (const std::int64_t d : perm)
        if (from.shape[std::size_t(d)] != 1) {
            if (d < last)
                return false;
            last = d;
        }
    return true;
}

} // namespace

int viewed(const Program &program, const Node &node)
{
    if (node.outputs.size() != 1 || node.outputs[0] < 0)
        return -1;
    const Tensor &to = tensorOf(program, node.outputs[0]);
    const bool backwards = node.domain == gradientDomain;
    const auto holds = [&](int id, bool any) {
        if (id < 0)
            return false;
        const Tensor &from = tensorOf(program, id);
        return from.type == to.type && to.bytes >= 0 &&
               (any || from.bytes < 0 || elementsOf(from) == elementsOf(to));
    };
    if (node.inputs.empty() || (!node.domain.empty() && !backwards))
        return -1;
    const int first = node.inputs[0];
    if (reshaping.contains(node.op)) // of gradients, the one that flows in is the last input
        return holds(backwards ? node.inputs.back() : first, false)
                   ? (backwards ? node.inputs.back() : first)
                   : -1;
    if (node.op == "Transpose") {
        const int from = backwards ? node.inputs.back() : first;
        return holds(from, false) && keepsOrder(node, tensorOf(program, from), backwards) ? from
                                                                                          : -1;
    }
    if (idle.contains(node.op) && !backwards)
        return holds(first, false) ? first : -1;
    // Gradients of these hand on what flows in, where nothing was repeated.
    const bool passes = node.op == "Add" || node.op == "Expand" || node.op == "Concat" ||
                        node.op == "ReduceSum" || node.op == "Sum" || node.op == "Slice";
    if (backwards && passes && holds(node.inputs.back(), false))
        return node.inputs.back();
    return -1;
}

bool isElementwise(const Program &program, const Node &node, std::size_t input)
{
    if (input >= node.inputs.size() || node.inputs[input] < 0 || node.outputs.empty())
        return false;
    const Tensor &from = tensorOf(program, node.inputs[input]);
    if (optimizers.contains(node.op))
        return input >= (node.op == "SGDOptimizer" ? 0u : 2u) && from.bytes > 0;
    for (const int output : node.outputs)
        if (output >= 0 && tensorOf(program, output).shape != from.shape)
            return false;
    if (node.domain == gradientDomain && node.attributes.contains("gradient_adds"))
        return input + 1 == node.inputs.size();
    const bool known = node.domain.empty() || node.domain == gradientDomain ||
                       node.domain == "com.microsoft" || node.domain == "graphloom";
    return known && (elementwise.contains(node.op) ||
                     (node.domain == gradientDomain && summing.contains(node.op)));
}

std::int64_t sliceOffset(const Program &program, const Node &node)
{
    if (node.op != "Slice" || !node.domain.empty() || node.inputs.size() < 3 ||
        node.inputs[0] < 0 || node.outputs.size() != 1)
        return -1;
    const Tensor &from = tensorOf(program, node.inputs[0]),
                 &to = tensorOf(program, node.outputs[0]);
    const std::size_t rank = from.shape.size();
    const auto list = [&](std::size_t i) {
        return i < node.inputs.size() && node.inputs[i] >= 0
                   ? tensorOf(program, node.inputs[i]).integers
                   : std::vector<std::int64_t>();
    };
    std::vector<std::int64_t> starts = list(1), axes = list(3);
    const std::vector<std::int64_t> steps = list(4);
    if (axes.empty())
        for (std::size_t d = 0; d < starts.size(); ++d)
            axes.push_back(std::int64_t(d));
    if (starts.empty() || starts.size() != axes.size() || to.shape.size() != rank || rank == 0 ||
        std::ranges::any_of(steps, [](std::int64_t step) { return step != 1; }))
        return -1;
    std::size_t last = 0; // dimension that is cut
    std::int64_t elements = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const auto d = std::size_t(axes[k] < 0 ? axes[k] + std::int64_t(rank) : axes[k]);
        if (d >= rank)
            return -1;
        std::int64_t start = starts[k] < 0 ? starts[k] + from.shape[d] : starts[k];
        start = std::clamp<std::int64_t>(start, 0, from.shape[d]);
        for (std::size_t inner = d + 1; inner < rank; ++inner)
            start *= from.shape[inner];
        elements += start;
        if (to.shape[d] != from.shape[d])
            last = std::max(last, d);
    }
    for (std::size_t d = 0; d < last; ++d)
        if (to.shape[d] != 1)
            return -1;
    return elementsOf(to) > 0 ? elements * (to.bytes / elementsOf(to)) : -1;
}

bool isPieceAlong(const Tensor &part, std::size_t axis)
{
    return std::all_of(part.shape.begin(), part.shape.begin() + std::ptrdiff_t(axis),
                       [](std::int64_t extent) { return extent == 1; });
}

std::size_t concatAxis(const Program &program, const Node &node)
{
    const auto at = node.attributes.find("axis");
    const std::int64_t axis = at != node.attributes.end() ? at->second.i() : 0;
    const auto rank = std::int64_t(tensorOf(program, node.outputs[0]).shape.size());
    return std::size_t(std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
}

} // namespace recount
