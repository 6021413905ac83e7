// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/build.h"

/// Describes sliding windows, which convolution and pooling share.
namespace graphloom::build {

struct WindowDim {
    Dim input, output;
    Dim kernel;
    std::int64_t stride = 1, dilation = 1;
    Dim padBegin = 0, padEnd = 0;
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode of an operator that slides a window of
/// the given extents over the dimensions 2… of input 0. Fails (Model) if counts are wrong or values
/// are below 1.
Result<std::vector<WindowDim>> windowOf(const Call &call, const Shape &kernel);

/// Return the names of the loops over positions ("w"; "h","w"; "d","h","w") and over the window
/// ("s"; "r","s"; "q","r","s").
std::vector<std::string> positionNames(std::size_t dims);
std::vector<std::string> windowNames(std::size_t dims);

/// Returns position * stride + offset * dilation - padBegin.
Index windowIndex(const WindowDim &dim, int position, int offset);
/// Tells whether the window ever leaves the tensor.
bool mayLeave(const std::vector<WindowDim> &dims);

/// Returns the attribute as a list of `count` numbers, each `fallback` if it is absent. Fails
/// (Model) if it has another count or values below `least`.
Result<std::vector<std::int64_t>> numbers(const Call &call, std::string_view attribute,
                                          std::size_t count, std::int64_t fallback,
                                          std::int64_t least);

} // namespace graphloom::build
