// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/storage/packed_operand.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/index/constant_floats.h"
#include "engine/codegen/index/index_map.h"

namespace graphloom {

std::int64_t PackedOperand::elements() const
{
    std::int64_t elements = 1;
    for (const Dimension &dimension : dimensions)
        elements *= dimension.count;
    return elements;
}

std::vector<PackedOperand> packedOperandsOf(const Nest &nest, const Schedule &schedule)
{
    std::vector<PackedOperand> operands;
    for (const int number : schedule.packed()) {
        const NestRead &read = nest.reads[std::size_t(number)];
        PackedOperand operand{number, read.tensor, {}};
        const std::vector<Loop> &loops = schedule.loops();
        for (std::size_t i = 0; i < loops.size(); ++i)
            if (dependsOn(read.map, loops[i].axis))
                operand.dimensions.push_back({int(i), loops[i].axis, loops[i].step,
                                              ceilDiv(spanOf(loops, i, nest), loops[i].step)});
        operands.push_back(std::move(operand));
    }
    return operands;
}

void pack(const PackedOperand &operand, const Nest &nest, const TensorData &data,
          std::span<float> elements)
{
    const NestRead &read = nest.reads[std::size_t(operand.read)];
    const IndexForm offset = offsetOf(read.map, Storage::rowMajor(data.extents()));
    std::vector<std::int64_t> axes(nest.axes.size(), 0);
    const std::vector<std::int64_t> extents = nest.extents();
    const bool affine = offset.isAffine();
    std::vector<std::int64_t> steps(nest.axes.size(), 0);
    if (affine)
        for (std::size_t a = 0; a < axes.size(); ++a)
            steps[a] = *offset.stepOf(int(a));
    std::size_t next = 0;
    const std::function<void(std::size_t, std::int64_t)> fill = [&](std::size_t d,
                                                                    std::int64_t at) {
        if (d == operand.dimensions.size()) {
            bool inside = true;
            for (std::size_t a = 0; a < axes.size(); ++a)
                inside = inside && axes[a] < extents[a];
            if (inside && !affine)
                at = offset
                         .substituted(
                             [&](int axis) -> std::optional<IndexForm> {
                                 return IndexForm(axes[std::size_t(axis)]);
                             },
                             extents)
                         .offset();
            elements[next++] = inside ? floatAt(data, at) : 0;
            return;
        }
        const PackedOperand::Dimension &dimension = operand.dimensions[d];
        const auto axis = std::size_t(dimension.axis);
        const std::int64_t before = axes[axis];
        for (std::int64_t i = 0; i < dimension.count; ++i) {
            axes[axis] = before + i * dimension.step;
            fill(d + 1, at + i * dimension.step * steps[axis]);
        }
        axes[axis] = before;
    };
    fill(0, offset.offset());
}

} // namespace graphloom
