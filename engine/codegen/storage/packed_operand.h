// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule.h"

#include <span>
#include <vector>

namespace graphloom {

/// Describes a constant in the order in which a nest's loops need it: it has a dimension for each
/// loop that it depends on, outermost first, padded with zeros to whole tiles.
struct PackedOperand {
    int read = 0;
    int tensor = 0;
    struct Dimension {
        int loop = 0, axis = 0;
        std::int64_t step = 1, count = 1;
    };
    std::vector<Dimension> dimensions;

    std::int64_t elements() const;
};

/// Returns the operands that the schedule packs.
std::vector<PackedOperand> packedOperandsOf(const Nest &nest, const Schedule &schedule);
/// Writes the elements of a packed operand, elements() of them, in packed order.
void pack(const PackedOperand &operand, const Nest &nest, const TensorData &data,
          std::span<float> elements);

} // namespace graphloom
