// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/affine.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

constexpr int whole = ParameterDimension::whole;

/// Tells whether the parameter is small or read by one call only. Others are not copied.
bool isOwn(const Terms &terms, TensorId parameter)
{
    constexpr std::int64_t small = 4096;
    const auto &data = terms.tensor(parameter).constant;
    return data && isFloatingPoint(data->type()) &&
           (terms.uses(parameter) == 1 || data->elements() <= small);
}

/// Returns the call with a bias in its third input, if it adds that input to its result.
std::optional<Node> withBias(const Terms &terms, Builder &b, const Node &node, int along,
                             TensorId bias)
{
    Node biased = node;
    if (biased.inputs.size() != 2)
        return std::nullopt;
    biased.inputs.push_back(bias);
    std::vector<const Tensor *> inputs;
    for (const TensorId input : biased.inputs)
        inputs.push_back(&b.tensor(input));
    const Call call(biased, std::move(inputs), terms.opsets()(node.domain));
    const auto description = terms.describe(call);
    const bool adds = description && addedAlong(*description, 2, along) == 0;
    return adds ? std::optional(std::move(biased)) : std::nullopt;
}

} // namespace

TensorId placed(Builder &b, TensorId constants, int dimension, std::size_t rank)
{
    if (b.tensor(constants).constant && b.tensor(constants).constant->elements() == 1)
        return b.call("Reshape", {constants, b.integers({})});
    std::vector<std::int64_t> extents(rank, 1);
    extents[std::size_t(dimension)] = -1;
    return b.call("Reshape", {constants, b.integers(extents)});
}

std::optional<TensorId> absorbed(const Terms &terms, Builder &b, NodeId linear,
                                 const Affine &affine)
{
    Node node = terms.node(linear);
    const Call call = terms.call(node);
    const auto description = terms.describe(call);
    if (!description || node.inputs.size() < 2 || !node.inputs[1].valid())
        return std::nullopt;
    for (const TensorId constants : {affine.scale, affine.shift})
        if (constants.valid() && b.tensor(constants).type != terms.tensor(node.inputs[1]).type)
            return std::nullopt; // a normalization may have parameters of a wider type
    if (affine.scale.valid()) {
        const auto scaled = scaledWith(*description, 1, affine.along);
        if (!scaled)
            return std::nullopt;
        for (const ParameterDimension &part : *scaled) {
            TensorId &input = node.inputs[std::size_t(part.input)];
            if (!isOwn(terms, input))
                return std::nullopt;
            input = b.call("Mul", {input, placed(b, affine.scale, part.dimension,
                                                 b.tensor(input).shape->size())});
        }
    }
    if (affine.shift.valid()) {
        if (affine.along == whole)
            return std::nullopt; // a bias has one dimension
        const TensorId shift = placed(b, affine.shift, 0, 1);
        if (node.inputs.size() > 2 && node.inputs[2].valid()) {
            if (!isOwn(terms, terms.node(linear).inputs[2]) ||
                addedAlong(*description, 2, affine.along) != 0)
                return std::nullopt;
            node.inputs[2] = b.call("Add", {node.inputs[2], shift});
        } else if (const auto biased = withBias(terms, b, node, affine.along, shift)) {
            node = *biased;
        } else {
            return std::nullopt;
        }
    }
    return b.again(node, node.inputs)[0];
}

std::optional<TensorId> scaledUpstream(const Terms &terms, Builder &b, TensorId value,
                                       TensorId factor, int depth)
{
    if (depth == 0 || terms.producerCount(value) != 1 || terms.uses(value) != 1)
        return std::nullopt;
    const NodeId id = terms.producer(value, 0);
    const Node &node = terms.node(id);
    const auto description = terms.describe(terms.call(node));
    if (!description || description->isOpaque() || node.outputs.size() != 1 || node.inputs.empty())
        return std::nullopt;
    if (auto taken = absorbed(terms, b, id, Affine{factor, {}, whole}))
        return taken;
    for (int parameter = 0; parameter < int(std::min<std::size_t>(2, node.inputs.size()));
         ++parameter) {
        const auto together = scaledWith(*description, parameter, whole);
        if (!together)
            continue;
        std::vector<TensorId> inputs = node.inputs;
        int scaled = 0;
        bool all = true;
        for (const ParameterDimension &part : *together) {
            TensorId &input = inputs[std::size_t(part.input)];
            std::optional<TensorId> up;
            if (!terms.tensor(input).constant) {
                up = scaledUpstream(terms, b, input, factor, depth - 1);
                ++scaled;
            } else if (isOwn(terms, input)) {
                up = b.call("Mul", {input, factor});
            }
            all = all && up;
            input = up.value_or(input);
        }
        if (all && scaled == 1)
            return b.again(node, std::move(inputs))[0];
    }
    return std::nullopt;
}

} // namespace graphloom::dnnfusion
