// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphloom::kernels {

/// Assembles the result of a reference kernel element by element, for any element type. Positions
/// are flat, in row-major order.
class Assembler {
public:
    /// Returns an assembler whose elements are all 0, false or "". Fails (Model, naming the node)
    /// if the elements cannot be addressed, take more than Call::maxBytes() or do not fit into
    /// memory. Asks whether to stop, since filling gigabytes with zeros takes time.
    static Result<Assembler> make(const Call &call, DataType type, TensorData::Extents extents);

    std::int64_t elements() const { return m_elements; }
    const TensorData::Extents &extents() const { return m_extents; }

    /// Copies element `from` of `data`, which has the same type, to element `to`.
    void copy(std::int64_t to, const TensorData &data, std::int64_t from);
    /// Copies `count` consecutive elements.
    void copy(std::int64_t to, const TensorData &data, std::int64_t from, std::int64_t count);
    /// Sets an element to a number, converted to the element type: reals are rounded, integers keep
    /// the low bits.
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

/// Returns the distance in elements between neighbours along each dimension, in row-major order.
std::vector<std::int64_t> stridesOf(const TensorData::Extents &extents);

/// Describes how a dimension cuts a tensor up: at() is the position of element [outer, i, inner].
struct Cut {
    std::int64_t outer = 1, extent = 1, inner = 1;
    std::int64_t at(std::int64_t o, std::int64_t i, std::int64_t n) const
    {
        return (o * extent + i) * inner + n;
    }
};
Cut cutAlong(const TensorData::Extents &extents, int axis);

} // namespace graphloom::kernels
