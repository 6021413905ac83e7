// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace graphloom {

/// Holds a value of a running graph: nearly always a tensor, but models also compute with sequences
/// of values and with optional ones. Immutable; copies share their content.
class DataValue {
public:
    enum class Kind { Tensor, Sequence, Optional };

    DataValue(TensorData tensor) : m_kind(Kind::Tensor), m_content(std::move(tensor)) {}
    static DataValue sequence(std::vector<DataValue> elements);
    static DataValue optional(std::optional<DataValue> element);

    Kind kind() const { return m_kind; }
    /// Returns the tensor; null if the value is of another kind.
    const TensorData *tensor() const { return std::get_if<TensorData>(&m_content); }
    /// Returns the elements of a sequence; those of an optional are none or one. A tensor has none.
    std::span<const DataValue> elements() const;
    /// Returns the bytes that all tensors in the value take in memory.
    std::uint64_t bytes() const;

private:
    using Elements = std::shared_ptr<const std::vector<DataValue>>;
    DataValue(Kind kind, Elements elements) : m_kind(kind), m_content(std::move(elements)) {}

    Kind m_kind;
    std::variant<TensorData, Elements> m_content;
};

/// Returns "tensor", "sequence" or "optional".
std::string_view nameOf(DataValue::Kind kind);

} // namespace graphloom
