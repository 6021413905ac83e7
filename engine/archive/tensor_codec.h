// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/byte_stream.h"
#include "engine/ir/tensor_data.h"

#include <functional>

namespace graphloom {

/// Elements that are kept outside of the tensor's own record.
struct StoredElements {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    bool mapped = false;                   // its memory may be given back
    std::optional<std::uint64_t> identity; // see TensorData::fromMapped()
};

/// Writes type and extents, and the elements of those that are small, texts or all alike; for
/// others `place` writes where they are.
void writeTensor(ByteWriter &out, const TensorData &data,
                 const std::function<void(ByteWriter &)> &place);

/// The tensor; `find` gets how many bytes there must be, and reads what `place` has written. None,
/// and the reader refuses, where it is no tensor.
std::optional<TensorData>
readTensor(ByteReader &in, const std::function<StoredElements(ByteReader &, std::uint64_t)> &find);

} // namespace graphloom
