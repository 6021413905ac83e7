// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphloom::kernels {

/// Puts the result of a reference kernel together, element by element, whatever its type is.
/// Positions are flat, in row-major order.
class Assembler {
public:
    /// All elements 0, false or "". Refuses (Model, naming the node) extents whose elements
    /// cannot be addressed, take more than Call::maxBytes() or do not fit into memory. Asks
    /// whether to stop, since gigabytes are not filled with zeros in no time.
    static Result<Assembler> make(const Call &call, DataType type, TensorData::Extents extents);

    std::int64_t elements() const { return m_elements; }
    const TensorData::Extents &extents() const { return m_extents; }

    /// Element `from` of `data`, which has the same type.
    void copy(std::int64_t to, const TensorData &data, std::int64_t from);
    /// `count` elements in a row.
    void copy(std::int64_t to, const TensorData &data, std::int64_t from, std::int64_t count);
    /// A number as the type has it: reals are rounded, integers take the low bits.
    void setReal(std::int64_t to, double value);
    void setInteger(std::int64_t to, std::int64_t value);

    TensorData finish() &&;

private:
    Assembler() = default;

    DataType m_type = DataType::Undefined;
    TensorData::Extents m_extents;
    std::int64_t m_elements = 0;
    std::vector<std::byte> m_bytes;
    std::vector<std::string> m_strings;
};

/// Distances in elements between neighbours along each dimension, row-major.
std::vector<std::int64_t> stridesOf(const TensorData::Extents &extents);

/// How a dimension cuts a tensor up: element [outer, i, inner] along it.
struct Cut {
    std::int64_t outer = 1, extent = 1, inner = 1;
    std::int64_t at(std::int64_t o, std::int64_t i, std::int64_t n) const
    {
        return (o * extent + i) * inner + n;
    }
};
Cut cutAlong(const TensorData::Extents &extents, int axis);

} // namespace graphloom::kernels
