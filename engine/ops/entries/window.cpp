// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/entries/window.h"

namespace graphloom::build {

Result<std::vector<std::int64_t>> numbers(const Call &call, std::string_view attribute,
                                          std::size_t count, std::int64_t fallback,
                                          std::int64_t least)
{
    auto values = call.attributes().integers(attribute);
    if (values.empty())
        values.assign(count, fallback);
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (values.size() != count)
        return call.refuse("attribute \"" + std::string(attribute) + "\" has " +
                           std::to_string(values.size()) + " numbers; expected " +
                           std::to_string(count));
    for (const std::int64_t value : values)
        if (value < least || value > most)
            return call.refuse("attribute \"" + std::string(attribute) + "\" contains " +
                               std::to_string(value) + ", which is out of range");
    return values;
}

Result<std::vector<WindowDim>> windowOf(const Call &call, const Shape &kernel)
{
    const std::size_t count = kernel.size();
    if (call.rank(0) != count + 2)
        return call.refuse("its window has " + std::to_string(count) +
                           " dimensions, but its input of shape " + text(call.shape(0)) + " has " +
                           std::to_string(std::int64_t(call.rank(0)) - 2));
    const auto strides = numbers(call, "strides", count, 1, 1);
    const auto dilations = numbers(call, "dilations", count, 1, 1);
    const auto pads = numbers(call, "pads", 2 * count, 0, -(std::int64_t{1} << 31));
    for (const auto *list : {&strides, &dilations, &pads})
        if (!*list)
            return tl::unexpected(list->error());
    const std::string automatic = call.attributes().text("auto_pad", "NOTSET");
    const bool ceil = call.attributes().integer("ceil_mode", 0) != 0;
    if (automatic != "NOTSET" && automatic != "VALID" && automatic != "SAME_UPPER" &&
        automatic != "SAME_LOWER")
        return call.refuse("auto_pad \"" + automatic +
                           "\" is not one of NOTSET, VALID, SAME_UPPER, "
                           "SAME_LOWER");
    std::vector<WindowDim> dims;
    for (std::size_t d = 0; d < count; ++d) {
        WindowDim dim{call.shape(0)[d + 2], 0, kernel[d], (*strides)[d], (*dilations)[d], 0, 0};
        if (dim.kernel.isConstant() && dim.kernel.value() < 1)
            return call.refuse("its window has the invalid extent " + dim.kernel.text());
        const Dim span = (dim.kernel - Dim(1)) * Dim(dim.dilation) + Dim(1);
        if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
            dim.output = Dim::ceilDiv(dim.input, dim.stride);
            const Dim total =
                Dim::max(0, (dim.output - Dim(1)) * Dim(dim.stride) + span - dim.input);
            const Dim half = Dim::floorDiv(total, 2);
            dim.padBegin = automatic == "SAME_UPPER" ? half : total - half;
            dim.padEnd = total - dim.padBegin;
        } else {
            if (automatic == "NOTSET") {
                dim.padBegin = (*pads)[d];
                dim.padEnd = (*pads)[d + count];
            }
            const Dim room = dim.input + dim.padBegin + dim.padEnd - span;
            dim.output =
                (ceil ? Dim::ceilDiv(room, dim.stride) : Dim::floorDiv(room, dim.stride)) + Dim(1);
            // A last window that would start in the padding after the tensor is dropped.
            if (ceil && dim.output.isConstant() && dim.input.isConstant() &&
                (dim.output.value() - 1) * dim.stride >= dim.input.value() + dim.padBegin.value())
                dim.output = dim.output - Dim(1);
        }
        dims.push_back(std::move(dim));
    }
    return dims;
}

std::vector<std::string> positionNames(std::size_t dims)
{
    if (dims > 3) {
        std::vector<std::string> names;
        for (std::size_t d = 0; d < dims; ++d)
            names.push_back("x" + std::to_string(d));
        return names;
    }
    const std::vector<std::string> names{"d", "h", "w"};
    return {names.end() - std::ptrdiff_t(dims), names.end()};
}

std::vector<std::string> windowNames(std::size_t dims)
{
    if (dims > 3) {
        std::vector<std::string> names;
        for (std::size_t d = 0; d < dims; ++d)
            names.push_back("r" + std::to_string(d));
        return names;
    }
    const std::vector<std::string> names{"q", "r", "s"};
    return {names.end() - std::ptrdiff_t(dims), names.end()};
}

Index windowIndex(const WindowDim &dim, int position, int offset)
{
    Index index = Index::axis(position, dim.stride, Dim(0) - dim.padBegin);
    index.terms.push_back({offset, dim.dilation});
    return index;
}

bool mayLeave(const std::vector<WindowDim> &dims)
{
    for (const WindowDim &dim : dims) {
        const Dim last = (dim.output - Dim(1)) * Dim(dim.stride) +
                         (dim.kernel - Dim(1)) * Dim(dim.dilation) - dim.padBegin;
        const Dim beyond = last - dim.input;
        if (!(dim.padBegin == Dim(0)) || !beyond.isConstant() || beyond.value() >= 0)
            return true;
    }
    return false;
}

} // namespace graphloom::build
