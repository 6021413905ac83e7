// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/tensor_data.h"
#include "engine/ops/describe/operator_table.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Elements that a stage reads or writes. 4-bit types take one byte per element here, so that
/// every element can be addressed, and written by another thread than its neighbour.
struct StageTensor {
    DataType type = DataType::Undefined;
    TensorData::Extents extents;
    std::vector<std::int64_t> strides; // in elements; all 0 when every element is the same
    const std::byte *data = nullptr;
    const std::vector<std::string> *strings = nullptr;

    std::int64_t elements() const;
};

/// The tensors of one operator call: its inputs, and the values that its stages write.
class StageValues {
public:
    /// Fails (Model) naming the node when a shape is not known or the values would not fit into
    /// `maxBytes`; and where it is stopped, since gigabytes are not filled with zeros in no time.
    static Result<StageValues> make(const Description &description, const Call &call,
                                    std::span<const TensorData *const> inputs,
                                    std::uint64_t maxBytes, const std::stop_token &stop = {});

    bool contains(const Operand &operand) const;
    /// An omitted input has no type.
    const StageTensor &operator[](const Operand &operand) const;
    const StageTensor &value(int index) const { return m_values[std::size_t(index)]; }
    /// The elements of a value, to write.
    std::byte *data(int value) { return m_buffers[std::size_t(value)]->data(); }
    std::vector<std::string> &strings(int value) { return *m_texts[std::size_t(value)]; }
    /// The first `count` values as tensors of their own; these values are gone afterwards.
    std::vector<TensorData> take(int count);

private:
    using Bytes = std::vector<std::byte>;
    void addInput(const TensorData *input);

    std::vector<StageTensor> m_inputs, m_values;
    std::vector<std::unique_ptr<Bytes>> m_unpacked, m_buffers; // of inputs, of values
    std::vector<std::unique_ptr<std::vector<std::string>>> m_texts;
};

/// Bytes of one element as stored in a StageTensor; 0 for strings.
int elementBytes(DataType type);
/// Bytes of memory that this machine has, the most that results may take by default.
std::uint64_t machineMemory();

} // namespace graphloom
