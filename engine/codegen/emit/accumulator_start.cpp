// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/accumulator_start.h"

#include "engine/codegen/index/c_names.h"
#include "engine/codegen/index/expr_edit.h"

#include <algorithm>

namespace graphloom {

namespace {

bool isAccumulator(const Expr::Node *part)
{
    return part && part->fn == Fn::Accumulator;
}

} // namespace

ReadIndex addedToAccumulator(const Expr::Node &part)
{
    if (part.fn != Fn::Add)
        return {};
    for (const std::size_t at : {0U, 1U})
        if (isAccumulator(part.arguments[at].get()) && part.arguments[1 - at]->fn == Fn::Load)
            return readIn(*part.arguments[1 - at]);
    return {};
}

ReadIndex accumulatorStart(const Nest &nest, const BlockTensors &tensors)
{
    if (nest.combine != Combine::Sum || nest.initial != 0 || !isOfLanes(nest.accumulator))
        return {};
    ReadIndex start;
    bool isEverywhere = true;
    for (const NestStore &store : nest.stores) {
        isEverywhere = isEverywhere && store.value->fn != Fn::Accumulator;
        forEachPart(store.value, [&](const Expr::Node &part) {
            if (!std::ranges::any_of(part.arguments, isAccumulator,
                                     &std::shared_ptr<const Expr::Node>::get))
                return;
            const ReadIndex added = addedToAccumulator(part);
            isEverywhere = isEverywhere && added.isValid() && (!start.isValid() || added == start);
            start = added;
        });
    }
    if (!isEverywhere || !start.isValid())
        return {};
    const BlockTensor &tensor = tensors[nest.reads[start].tensor];
    return tensor.role == BlockTensor::Role::Constant && isOfLanes(tensor.type) ? start
                                                                                : ReadIndex();
}

} // namespace graphloom
