// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/contraction.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_map.h"
#include "engine/ops/describe/stage.h"

namespace graphloom {

std::optional<Contraction> contractionOf(const Nest &nest)
{
    if (nest.combine != Combine::Sum || nest.body->fn != Fn::Mul)
        return std::nullopt;
    const Expr left = nest.body.argument(0), right = nest.body.argument(1);
    if (left->fn != Fn::Load || right->fn != Fn::Load)
        return std::nullopt;
    Contraction contraction{readIn(*left), readIn(*right), {}, {}, {}};
    const NestRead &a = nest.reads[contraction.a], &b = nest.reads[contraction.b];
    if (a.tensor == b.tensor && a.map == b.map) // a square
        return std::nullopt;
    for (const AxisIndex axis : nest.spaceAxes()) {
        const bool inA = dependsOn(a.map, axis), inB = dependsOn(b.map, axis);
        (inA && inB ? contraction.both
         : inA      ? contraction.onlyA
                    : contraction.onlyB)
            .push_back(axis);
    }
    return contraction;
}

} // namespace graphloom
