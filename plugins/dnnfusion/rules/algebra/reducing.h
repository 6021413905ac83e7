// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/dnnfusion/rules/algebra/making.h"

/// Helpers that rules about reductions are written with.
namespace graphloom::dnnfusion {

/// Returns the patterns of a reduction of x: one with its axes as an attribute, one with them as an
/// input.
std::vector<Pattern> reduction(const std::string &op, const Pattern &x,
                               const std::string &as = "reduce");

/// Returns the reduction axes of a matched reduction, from 0 to the rank - 1, ascending. Returns
/// nothing if they are not known.
std::optional<std::vector<std::int64_t>> axesOf(const Match &match, const std::string &reduce);
bool keepsDimensions(const Match &match, const std::string &reduce);
/// Makes a reduction along these axes, in the form that the operator set has.
TensorId reduce(const Match &match, Builder &builder, const std::string &op, TensorId x,
                const std::vector<std::int64_t> &axes, bool keep);
/// Makes a reduction along the axes of a matched reduction.
TensorId reduceAlike(const Match &match, Builder &builder, const std::string &op,
                     const std::string &like, TensorId x);

/// Tells whether operand `s` of an elementwise call, whose result `whole` a matched reduction
/// reads, can be applied to the result of the reduction instead, so that only `x` is reduced: `s`
/// must be constant along the reduction axes.
bool isConstantAlongAxes(const Match &match, const std::string &reduce, const std::string &whole,
                         const std::string &x, const std::string &s);

/// Returns instances of variable "x" with reductions of the given names along its last and its
/// first axis.
std::vector<Instance> reductionInstances(const std::vector<std::string> &reductions);

} // namespace graphloom::dnnfusion
