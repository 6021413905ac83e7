// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule.h"

#include <span>
#include <vector>

namespace graphloom {

/// Counts the operands that the schedule of a nest packs.
using PackedIndex = TypedIndex<struct PackedTag>;

/// Describes a constant in the order in which a nest's loops need it: it has a dimension for each
/// loop that it depends on, outermost first, padded with zeros to whole tiles.
struct PackedOperand {
    ReadIndex read;
    BlockTensorIndex tensor;
    struct Dimension {
        LoopIndex loop;
        AxisIndex axis;
        std::int64_t step = 1, count = 1;
    };
    std::vector<Dimension> dimensions;

    std::int64_t elements() const;
};

using PackedOperands = IndexedVector<PackedIndex, PackedOperand>;

/// Returns the operands that the schedule packs.
PackedOperands packedOperandsOf(const Nest &nest, const Schedule &schedule);
/// Returns the bytes of a packed operand, whose elements are those of its tensor.
std::int64_t bytesOf(const PackedOperand &operand, const BlockTensors &tensors);
/// Writes the elements of a packed operand, bytesOf() of them, in packed order.
void pack(const PackedOperand &operand, const Nest &nest, const TensorData &data,
          std::span<std::byte> to);

} // namespace graphloom
