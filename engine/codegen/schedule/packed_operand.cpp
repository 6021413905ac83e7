// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/packed_operand.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/index/index_map.h"

#include <algorithm>
#include <cstring>

namespace graphloom {

std::int64_t PackedOperand::elements() const
{
    std::int64_t elements = 1;
    for (const Dimension &dimension : dimensions)
        elements *= dimension.count;
    return elements;
}

PackedOperands packedOperandsOf(const Nest &nest, const Schedule &schedule)
{
    PackedOperands operands;
    for (const ReadIndex number : schedule.packed()) {
        const NestRead &read = nest.reads[number];
        PackedOperand operand{number, read.tensor, {}};
        const Loops &loops = schedule.loops();
        for (const LoopIndex at : loops.indices())
            if (const Loop &loop = loops[at]; dependsOn(read.map, loop.axis))
                operand.dimensions.push_back(
                    {at, loop.axis, loop.step, ceilDiv(spanOf(loops, at, nest), loop.step)});
        operands.push_back(std::move(operand));
    }
    return operands;
}

std::int64_t bytesOf(const PackedOperand &operand, const BlockTensors &tensors)
{
    return std::int64_t(bytesOf(tensors[operand.tensor].type, std::uint64_t(operand.elements())));
}

void pack(const PackedOperand &operand, const Nest &nest, const TensorData &data,
          std::span<std::byte> to)
{
    const std::size_t size = bytesOf(data.type(), 1);
    const std::byte *from = data.bytes().data();
    const NestRead &read = nest.reads[operand.read];
    const IndexForm offset = offsetOf(read.map, Storage::rowMajor(data.extents()));
    IndexedVector<AxisIndex, std::int64_t> at(nest.axes.size(), 0), steps(nest.axes.size(), 0);
    const AxisExtents extents = nest.extents();
    const bool affine = offset.isAffine();
    if (affine)
        for (const AxisIndex axis : steps.indices())
            steps[axis] = *offset.stepOf(axis);
    std::byte *next = to.data();
    const std::function<void(std::size_t, std::int64_t)> fill = [&](std::size_t d,
                                                                    std::int64_t place) {
        if (d == operand.dimensions.size()) {
            const bool inside = std::ranges::all_of(
                at.indices(), [&](AxisIndex axis) { return at[axis] < extents[axis]; });
            if (inside && !affine)
                place = offset
                            .substituted(
                                [&](AxisIndex axis) -> std::optional<IndexForm> {
                                    return IndexForm(at[axis]);
                                },
                                extents)
                            .offset();
            if (inside)
                std::memcpy(next, from + (data.isSplat() ? 0 : std::size_t(place) * size), size);
            else
                std::memset(next, 0, size);
            next += size;
            return;
        }
        const PackedOperand::Dimension &dimension = operand.dimensions[d];
        const AxisIndex axis = dimension.axis;
        const std::int64_t before = at[axis];
        for (std::int64_t i = 0; i < dimension.count; ++i) {
            at[axis] = before + i * dimension.step;
            fill(d + 1, place + i * dimension.step * steps[axis]);
        }
        at[axis] = before;
    };
    fill(0, offset.offset());
}

} // namespace graphloom
