// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/dnnfusion/rules/algebra/making.h"

/// What rules about reductions are written with.
namespace graphloom::dnnfusion {

/// The patterns of a reduction of x: with its axes as an input and as an attribute.
std::vector<Pattern> reduction(const std::string &op, const Pattern &x,
                               const std::string &as = "reduce");

/// The axes that a matched reduction runs along, 0 to the rank - 1, ascending; none where they are
/// not known.
std::optional<std::vector<std::int64_t>> axesOf(const Match &match, const std::string &reduce);
bool keepsDimensions(const Match &match, const std::string &reduce);
/// A reduction along these axes, written as the operator set has it.
TensorId reduce(const Match &match, Builder &builder, const std::string &op, TensorId x,
                const std::vector<std::int64_t> &axes, bool keep);
/// The same along the axes of a matched reduction.
TensorId reduceAlike(const Match &match, Builder &builder, const std::string &op,
                     const std::string &like, TensorId x);

/// Whether what a matched reduction takes in can be reduced without operand `s` of an elementwise
/// call, and `s` be applied to the result: it is alike along the axes of the reduction.
bool isConstantAlongAxes(const Match &match, const std::string &reduce, const std::string &whole,
                         const std::string &x, const std::string &s);

/// Instances of variable "x" with reductions of the given names along its last and first axis.
std::vector<Instance> reductionInstances(const std::vector<std::string> &reductions);

} // namespace graphloom::dnnfusion
