// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/kernels/kernels.h"

#include <array>

namespace graphloom::entries {

namespace {

Result<Description> determinant(const Call &call)
{
    const Shape &x = call.shape(0);
    if (x.size() < 2 || (x[x.size() - 1] - x[x.size() - 2]).constant().value_or(0) != 0 ||
        !isFloatingPoint(call.type(0)))
        return call.refuse("its input must be square floating-point matrices, but has shape " +
                           text(x));
    return build::opaque("it eliminates row by row",
                         {{call.type(0), Shape(x.begin(), x.end() - 2), {}}});
}

constexpr std::array matrixEntries{
    Operator{"", "Det", 11, 1, 1, 1, determinant, kernels::determinant}.like("[2,8,8]"),
};

} // namespace

std::span<const Operator> matrices()
{
    return matrixEntries;
}

} // namespace graphloom::entries
