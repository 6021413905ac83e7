// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/schedule/schedule.h"

namespace graphloom {

/// Counts the elements of a texel: what one access to an image loads.
inline constexpr int texelElements = 4;

/// Tells whether images have elements of the type, which they convert to single precision.
constexpr bool canBeImage(DataType type)
{
    return type == DataType::Float || type == DataType::Float16;
}

/// Returns the elements of the operand of a read, packed or stored as `storage` says.
std::int64_t operandElements(const Nest &nest, const Schedule &schedule, ReadIndex read,
                             const Storage &storage);

/// Tells whether a read is worth being one of an image: its operand (operandElements()) is no more
/// than so many texels, all of them whole; neighbours of a texel are lanes or
/// unrolled iterations; and all other loops move by whole texels.
bool readsTexels(const Nest &nest, const Schedule &schedule, ReadIndex read, const Storage &storage,
                 std::int64_t texels);

} // namespace graphloom
