// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dtype.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// Holds an immutable constant tensor: type, extents and elements in row-major order, little
/// endian, 4-bit types packed two to a byte (low nibble first), bool one byte each. The elements
/// are shared, never copied: on the heap, in a mapped file, or given as one value that all elements
/// have (a *splat*), which takes no memory however large the tensor is.
class TensorData {
public:
    using Extents = std::vector<std::int64_t>;

    /// Creates a tensor on the heap; `bytes` must hold exactly bytesOf(type, elements).
    static TensorData fromBytes(DataType type, Extents extents, std::vector<std::byte> bytes);
    /// Creates a tensor in memory kept alive by `owner`, such as a mapped file. `identity` stands
    /// for the content in hashes, so that mapped weights are not read for hashing; without it the
    /// content is hashed, as if it were on the heap.
    static TensorData fromMapped(DataType type, Extents extents, std::span<const std::byte> bytes,
                                 std::shared_ptr<const void> owner,
                                 std::optional<std::uint64_t> identity = std::nullopt);
    /// Creates a tensor on the heap that `owner` keeps alive.
    static TensorData fromShared(DataType type, Extents extents, std::span<const std::byte> bytes,
                                 std::shared_ptr<const void> owner);
    /// Creates a tensor whose elements all have the bytes of `element`.
    static TensorData splat(DataType type, Extents extents, std::vector<std::byte> element);
    static TensorData fromStrings(Extents extents, std::vector<std::string> strings);

    template <class T>
    static TensorData fromValues(DataType type, Extents extents, std::span<const T> values)
    {
        const auto bytes = std::as_bytes(values);
        return fromBytes(type, std::move(extents), {bytes.begin(), bytes.end()});
    }
    static TensorData fromInt64s(const std::vector<std::int64_t> &values) // rank 1
    {
        return fromValues<std::int64_t>(DataType::Int64, {std::int64_t(values.size())}, values);
    }
    static TensorData scalar(std::int64_t value)
    {
        return fromValues<std::int64_t>(DataType::Int64, {}, {&value, 1});
    }

    DataType type() const { return m_type; }
    const Extents &extents() const { return m_extents; }
    std::int64_t elements() const { return m_elements; }
    /// Returns the bytes that the elements take when stored in full.
    std::uint64_t storedBytes() const { return bytesOf(m_type, std::uint64_t(m_elements)); }
    bool isSplat() const { return m_splat; }
    bool isMapped() const { return m_mapped; }
    /// Lets the system reclaim the memory that reading a mapped tensor took; it is read from the
    /// file again when needed.
    void release() const;
    /// Returns all elements; for a splat, the bytes of its one element.
    std::span<const std::byte> bytes() const { return m_bytes; }
    const std::vector<std::string> &strings() const { return *m_strings; }

    /// Returns element i as a number (bool as 0 and 1; complex: real part). Not for strings.
    double real(std::int64_t i) const;
    /// Returns element i as an integer, with fractions cut off; uint64 keeps its bits. Not for
    /// strings.
    std::int64_t integer(std::int64_t i) const;
    /// Returns all elements as integers: for the small tensors that describe shapes and axes.
    std::vector<std::int64_t> integers() const;

    /// Returns a tensor of other extents that shares the elements.
    TensorData reshaped(Extents extents) const;
    std::uint64_t hash() const { return m_hash; }
    friend bool operator==(const TensorData &a, const TensorData &b);

private:
    TensorData() = default;

    DataType m_type = DataType::Undefined;
    bool m_splat = false, m_mapped = false;
    Extents m_extents;
    std::int64_t m_elements = 0;
    std::span<const std::byte> m_bytes;
    std::shared_ptr<const void> m_owner;
    std::shared_ptr<const std::vector<std::string>> m_strings;
    std::uint64_t m_contentHash = 0, m_hash = 0; // without and with type and extents
};

/// Converts one element's stored bits of a floating-point type to double.
double decodeReal(DataType type, const std::byte *at);
/// Converts a double to the stored bits (round to nearest even). Numbers too large for a float8
/// type become its largest; so does infinity if the type has none.
void encodeReal(DataType type, double value, std::byte *at);

} // namespace graphloom
