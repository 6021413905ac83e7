// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace graphloom::magis {

/// Reads a value of a checkpoint and knows its place, such as "variants[0].states[3].order". Throws
/// a Refusal if the value is not what is asked for. Must not outlive the field around it.
class CheckpointField {
public:
    struct Refusal {
        std::string reason; // begins with the place
    };

    explicit CheckpointField(const nlohmann::json &file) : m_value(file) {}

    CheckpointField operator[](const char *name) const;
    bool has(const char *name) const { return m_value.is_object() && m_value.contains(name); }
    bool isList() const { return m_value.is_array(); }
    /// Returns the number of elements of a list.
    std::size_t size() const;
    CheckpointField operator[](std::size_t index) const;

    /// Returns a whole number from `least` to `most`, both included.
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    bool flag() const;
    const std::string &text() const;
    [[noreturn]] void refuse(const std::string &reason) const;

private:
    CheckpointField(const nlohmann::json &value, const CheckpointField *around, const char *name,
                    std::size_t index)
        : m_value(value), m_around(around), m_name(name), m_index(index)
    {
    }
    std::string place() const;

    const nlohmann::json &m_value;
    const CheckpointField *m_around = nullptr; // null: it is the whole
    const char *m_name = nullptr;              // null: it is an element of a list
    std::size_t m_index = 0;
};

} // namespace graphloom::magis
