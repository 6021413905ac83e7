// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/tensor_data.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Describes the elements that a stage reads or writes. 4-bit types take one byte per element here,
/// so that every element can be addressed, and neighbours can be written by different threads.
struct StageTensor {
    DataType type = DataType::Undefined;
    TensorData::Extents extents;
    std::vector<std::int64_t> strides; // in elements; all 0 if all elements are equal
    const std::byte *data = nullptr;
    const std::vector<std::string> *strings = nullptr;

    std::int64_t elements() const;
};

/// Holds the tensors of one operator call: its inputs, and the values that its stages write.
class StageValues {
public:
    /// Allocates the values. Fails (Model), naming the node, if a shape is unknown or the values
    /// would not fit into `maxBytes`. Also fails when stopped, since filling gigabytes with zeros
    /// takes time.
    static Result<StageValues> make(const Description &description, const Call &call,
                                    std::span<const TensorData *const> inputs,
                                    std::uint64_t maxBytes, const std::stop_token &stop = {});

    bool contains(const Operand &operand) const;
    /// Returns the tensor of an operand; an omitted input has no type.
    const StageTensor &operator[](const Operand &operand) const;
    const StageTensor &value(int index) const { return m_values[std::size_t(index)]; }
    /// Returns the elements of a value for writing.
    std::byte *data(int value) { return m_buffers[std::size_t(value)]->data(); }
    std::vector<std::string> &strings(int value) { return *m_texts[std::size_t(value)]; }
    /// Moves the first `count` values into tensors and returns them; these values are no longer
    /// available here.
    std::vector<TensorData> take(int count);

private:
    using Bytes = std::vector<std::byte>;
    void addInput(const TensorData *input);

    std::vector<StageTensor> m_inputs, m_values;
    std::vector<std::unique_ptr<Bytes>> m_unpacked, m_buffers; // of inputs, of values
    std::vector<std::unique_ptr<std::vector<std::string>>> m_texts;
};

/// Returns the bytes of one element as stored in a StageTensor; 0 for strings.
int elementBytes(DataType type);
/// Returns the bytes of memory of this machine, by default the limit for results.
std::uint64_t machineMemory();

} // namespace graphloom
