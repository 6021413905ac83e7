// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/half_arithmetic.h"

#include "engine/codegen/index/c_functions.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/nests/contraction.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Limits the terms of a sum: the error of a sum of n terms is about sqrt(n) 2^-12 of its largest
/// partial sum, here 1 %.
constexpr std::int64_t mostTerms = 2048;

/// Tells whether the function of vectors computes half precision, too. Infinity is told by the
/// largest number of single precision.
bool hasHalfForm(Fn fn)
{
    return hasVectorFunction(fn) && fn != Fn::IsInf;
}

bool isInHalf(const Expr &expr)
{
    bool fits = true;
    forEachPart(expr, [&](const Expr::Node &part) {
        const bool isTruth = part.type == DataType::Bool || isPredicate(part.fn);
        fits = fits && hasHalfForm(part.fn) &&
               (isTruth || part.type == DataType::Float16 ||
                (part.fn == Fn::Real && part.type == DataType::Undefined));
        if (part.fn == Fn::Real && std::isfinite(part.real) && part.real != 0) {
            constexpr double least = 6.104e-5, most = 65504; // of normal numbers
            fits = fits && std::abs(part.real) >= least && std::abs(part.real) <= most;
        }
    });
    return fits;
}

/// Tells whether all that the nest sums are products with a constant.
bool sumsWeighted(const Nest &nest, const BlockTensors &tensors)
{
    const auto isConstant = [&](ReadIndex read) {
        return tensors[nest.reads[read].tensor].role == BlockTensor::Role::Constant;
    };
    const auto contraction = contractionOf(nest);
    return contraction && (isConstant(contraction->a) || isConstant(contraction->b)) &&
           nest.points(true) <= mostTerms * nest.points(false);
}

} // namespace

bool computesInHalf(const Nest &nest, const BlockTensors &tensors)
{
    const auto fits = [&](BlockTensorIndex tensor) {
        return tensors[tensor].type == DataType::Float16 || tensors[tensor].type == DataType::Bool;
    };
    const bool isInHalves =
        std::ranges::all_of(nest.reads, fits, &NestRead::tensor) &&
        std::ranges::all_of(nest.stores, fits, &NestStore::tensor) &&
        std::ranges::any_of(nest.stores,
                            [&](const NestStore &store) {
                                return tensors[store.tensor].type == DataType::Float16;
                            }) &&
        std::ranges::all_of(nest.stores, isInHalf, &NestStore::value);
    if (!isInHalves || !nest.reduces())
        return isInHalves;
    const bool isSum = nest.combine == Combine::Sum;
    return nest.accumulator == DataType::Float16 && isInHalf(nest.body) &&
           (isSum ? sumsWeighted(nest, tensors)
                  : nest.combine == Combine::Max || nest.combine == Combine::Min);
}

ScheduleTarget targetOf(const Nest &nest, const BlockTensors &tensors, const ScheduleTarget &target)
{
    ScheduleTarget own = target;
    if (target.halves && computesInHalf(nest, tensors))
        own.lanes *= 2;
    return own;
}

} // namespace graphloom
