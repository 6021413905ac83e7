// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// Writes numbers and texts one after the other in the form of archives: little endian, integers in
/// as many groups of seven bits as they need.
class ByteWriter {
public:
    void number(std::uint64_t value);
    /// Writes a signed integer; small absolute values take few bytes.
    void integer(std::int64_t value);
    void real(double value);
    void real(float value);
    void text(std::string_view value);
    void raw(std::span<const std::byte> bytes);

    std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads what a ByteWriter wrote, from untrusted bytes: after the first error it gives zeros and
/// empty texts, and failed() returns true. It never reads beyond the end, and counts are bounded by
/// the bytes that are left.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : m_left(bytes) {}

    std::uint64_t number();
    std::int64_t integer();
    double real();
    float realFloat();
    std::string text();
    std::string_view raw(std::size_t bytes);
    /// Reads the number of items that follow, each of which takes at least one byte.
    std::size_t count();

    void refuse(std::string problem);
    bool failed() const { return !m_problem.empty(); }
    const std::string &problem() const { return m_problem; }
    bool atEnd() const { return m_left.empty(); }
    std::size_t left() const { return m_left.size(); }

private:
    std::string_view m_left;
    std::string m_problem;
};

} // namespace graphloom
