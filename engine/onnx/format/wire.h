// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// Describes one field of a protobuf message as it stands on the wire; offsets count from the start
/// of the bytes that the reader was given.
struct WireField {
    enum class Kind : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

    std::uint32_t number = 0;
    Kind kind = Kind::Varint;
    std::uint64_t value = 0;    // of a Varint
    std::uint64_t lengthAt = 0; // of Bytes: where their length is written
    std::uint64_t begin = 0;    // of the content
    std::uint64_t end = 0;

    std::uint64_t size() const { return end - begin; }
};

/// Walks the fields of one message without interpreting or allocating anything.
class WireReader {
public:
    WireReader(std::span<const std::byte> bytes, std::uint64_t begin, std::uint64_t end)
        : m_bytes(bytes), m_at(begin), m_end(end)
    {
    }
    explicit WireReader(std::span<const std::byte> bytes) : WireReader(bytes, 0, bytes.size()) {}

    bool atEnd() const { return m_at == m_end; }
    std::uint64_t position() const { return m_at; }
    void skipTo(std::uint64_t position) { m_at = position; }

    /// Returns the field at the position, which then moves past it. Returns nothing if the bytes
    /// are no field; defect() then says why.
    std::optional<WireField> next();
    std::string_view defect() const { return m_defect; }

    std::string_view text(const WireField &field) const
    {
        return {reinterpret_cast<const char *>(m_bytes.data()) + field.begin,
                std::size_t(field.size())};
    }

private:
    std::optional<std::uint64_t> varint();
    std::nullopt_t bad(std::string_view reason);

    std::span<const std::byte> m_bytes;
    std::uint64_t m_at, m_end;
    std::string_view m_defect;
};

/// These functions are the counterparts for writing.
std::size_t varintSize(std::uint64_t value);
void appendVarint(std::string &to, std::uint64_t value);
void appendTag(std::string &to, std::uint32_t number, WireField::Kind kind);
void appendBytes(std::string &to, std::uint32_t number, std::string_view content);

} // namespace graphloom
