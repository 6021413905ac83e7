// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/joined_axes.h"

#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/index/index_map.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

bool isUsedAsValue(const Nest &nest, AxisIndex axis)
{
    bool used = false;
    const auto look = [&](const Expr::Node &node) {
        used = used || (node.fn == Fn::Axis && axisIn(node) == axis);
    };
    forEachPart(nest.body, look);
    for (const NestStore &store : nest.stores)
        forEachPart(store.value, look);
    return used;
}

/// Tells whether one step of the outer axis equals all steps of the inner one in every access.
bool areWalkedAsOne(const Nest &nest, AxisIndex outer, AxisIndex inner, const BlockTensors &tensors,
                    const BlockStorages &storages)
{
    const auto isOne = [&](const std::vector<IndexForm> &map, BlockTensorIndex number,
                           bool guarded) {
        if (!dependsOn(map, outer) && !dependsOn(map, inner))
            return true;
        const BlockTensor &tensor = tensors[number];
        const Storage storage = tensor.role == BlockTensor::Role::Constant
                                    ? Storage::rowMajor(tensor.extents)
                                    : storages[number];
        const IndexForm offset = offsetOf(map, storage);
        const auto far = offset.stepOf(outer), near = offset.stepOf(inner);
        return !guarded && far && near && *far == *near * nest.axes[inner].extent;
    };
    for (const NestRead &read : nest.reads)
        if (!isOne(read.map, read.tensor, read.guarded))
            return false;
    for (const NestStore &store : nest.stores)
        if (!isOne(store.map, store.tensor, false))
            return false;
    return true;
}

/// Makes the inner axis run over both axes and leaves the outer one a single point.
void join(Nest &nest, AxisIndex outer, AxisIndex inner)
{
    NestAxis &a = nest.axes[outer], &b = nest.axes[inner];
    const std::int64_t extent = b.extent;
    b.extent *= a.extent;
    b.name = a.name + b.name;
    a.extent = 1;
    const AxisExtents extents = nest.extents();
    const auto replace = [&](std::vector<IndexForm> &map) {
        for (IndexForm &form : map)
            form = form.substituted(
                [&](AxisIndex axis) -> std::optional<IndexForm> {
                    const IndexForm both = IndexForm::variable(inner);
                    if (axis == outer)
                        return IndexForm::quotient(both, extent, extents);
                    if (axis == inner)
                        return IndexForm::remainder(both, extent, extents);
                    return std::nullopt;
                },
                extents);
    };
    for (NestRead &read : nest.reads)
        replace(read.map);
    for (NestStore &store : nest.stores)
        replace(store.map);
}

} // namespace

Nest withJoinedAxes(const Nest &nest, const BlockTensors &tensors, const BlockStorages &storages,
                    std::span<const AxisIndex> kept)
{
    Nest joined = nest;
    const auto isKept = [&](AxisIndex axis) { return std::ranges::count(kept, axis) > 0; };
    for (AxisIndex inner = nest.axes.lastIndex(); inner > AxisIndex(0); --inner) {
        const AxisIndex outer = inner - 1;
        const NestAxis &a = joined.axes[outer], &b = joined.axes[inner];
        if (a.reduces == b.reduces && a.ordered == b.ordered && a.extent > 1 && b.extent > 1 &&
            joined.combine < Combine::ArgMax && !isKept(outer) && !isKept(inner) &&
            !isUsedAsValue(joined, outer) && !isUsedAsValue(joined, inner) &&
            areWalkedAsOne(joined, outer, inner, tensors, storages))
            join(joined, outer, inner);
    }
    // Schedules identify loops by name.
    std::set<std::string> names;
    for (NestAxis &axis : joined.axes)
        while (axis.extent != 1 && !names.insert(axis.name).second)
            axis.name += "'";
    return joined;
}

} // namespace graphloom
