// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <string>
#include <vector>

namespace graphloom {

/// Returns the tensors as a serialized SequenceProto of ONNX, with raw data: what a runner
/// (tests/bench/peers) writes for `output FILE`.
inline std::string sequenceProto(const std::vector<TensorData> &tensors)
{
    const auto putNumber = [](std::string &to, std::uint64_t value) {
        for (; value > 127; value >>= 7)
            to += char((value & 127) | 128);
        to += char(value);
    };
    const auto putBytes = [&](std::string &to, int field, std::string_view bytes) {
        putNumber(to, std::uint64_t(field) << 3 | 2);
        putNumber(to, bytes.size());
        to += bytes;
    };
    std::string sequence;
    putNumber(sequence, 2 << 3); // elem_type: tensors
    putNumber(sequence, 1);
    for (const TensorData &tensor : tensors) {
        std::string proto, dims;
        for (const std::int64_t extent : tensor.extents())
            putNumber(dims, std::uint64_t(extent));
        putBytes(proto, 1, dims);
        putNumber(proto, 2 << 3);
        putNumber(proto, std::uint64_t(tensor.type()));
        const auto bytes = tensor.bytes();
        putBytes(proto, 9, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
        putBytes(sequence, 3, proto);
    }
    return sequence;
}

} // namespace graphloom
