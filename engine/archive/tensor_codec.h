// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/byte_stream.h"
#include "engine/ir/tensor_data.h"

#include <functional>

namespace graphloom {

/// Describes elements that are stored outside the tensor's own record.
struct StoredElements {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    bool mapped = false;                   // its pages may be released
    std::optional<std::uint64_t> identity; // see TensorData::fromMapped()
};

/// Writes type and extents of a tensor, and its elements if they are few, strings or all equal; in
/// other cases `place` writes where the elements are.
void writeTensor(ByteWriter &out, const TensorData &data,
                 const std::function<void(ByteWriter &)> &place);

/// Reads a tensor. `find` receives the expected number of bytes and reads what `place` has written.
/// If the bytes are no tensor, returns nothing and the reader refuses.
std::optional<TensorData>
readTensor(ByteReader &in, const std::function<StoredElements(ByteReader &, std::uint64_t)> &find);

} // namespace graphloom
