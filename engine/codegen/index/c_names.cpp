// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/c_names.h"

#include "engine/interpreter/stages/scalar_math.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace graphloom {

std::string cIdentifier(std::string_view name, const std::vector<std::string> &taken)
{
    static constexpr std::array<std::string_view, 15> reserved = {
        "first", "last", "task",  "item",   "status", "scratch", "buffers", "do",
        "if",    "half", "local", "global", "kernel", "private", "constant"};
    std::string text;
    for (const char c : name)
        text += std::isalnum(static_cast<unsigned char>(c)) ? c : c == '\'' ? 'p' : '_';
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())))
        text.insert(0, "n");
    // The emitter itself uses names such as t, b1, v1 and acc1.
    const bool isOwn = text == "t" || text.starts_with("acc") ||
                       (text.size() > 1 && (text[0] == 'b' || text[0] == 'v') &&
                        std::isdigit(static_cast<unsigned char>(text[1])));
    if (isOwn || std::ranges::count(reserved, text))
        text += "_";
    std::string unique = text;
    for (int i = 2; std::ranges::count(taken, unique); ++i)
        unique = text + "_" + std::to_string(i);
    return unique;
}

std::string cComment(std::string_view text)
{
    std::string line;
    for (const char c : text)
        line += std::isprint(static_cast<unsigned char>(c)) && c != '\\' ? c : '?';
    return line;
}

std::string cType(DataType type)
{
    switch (type) {
    case DataType::Float:
        return "float";
    case DataType::Double:
        return "double";
    case DataType::Bool:
    case DataType::Uint8:
        return "uint8_t";
    case DataType::Int8:
        return "int8_t";
    case DataType::Uint16:
    case DataType::Float16: // stored as bits; values are floats
    case DataType::BFloat16:
        return "uint16_t";
    case DataType::Int16:
        return "int16_t";
    case DataType::Uint32:
        return "uint32_t";
    case DataType::Int32:
        return "int32_t";
    case DataType::Uint64:
        return "uint64_t";
    case DataType::Int64:
        return "int64_t";
    default:
        return "";
    }
}

std::string cHalf(DataType type)
{
    return type == DataType::Float16 ? "f16" : type == DataType::BFloat16 ? "bf16" : "";
}

bool isOfLanes(DataType type)
{
    return type == DataType::Float || !cHalf(type).empty();
}

std::string cLiteral(double value, DataType type)
{
    if (isIntegral(type))
        return cLiteral(scalar::saturatedTo(type, value), type);
    const bool isDouble = type == DataType::Double;
    if (std::isnan(value))
        return isDouble ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")";
    const double rounded = isDouble ? value : double(float(value));
    if (std::isinf(rounded))
        return std::string(value < 0 ? "(-" : "(") +
               (isDouble ? "__builtin_inf())" : "__builtin_inff())");
    std::array<char, 64> text{};
    const auto end = isDouble ? std::to_chars(text.data(), text.data() + text.size(), value)
                              : std::to_chars(text.data(), text.data() + text.size(), float(value));
    std::string literal(text.data(), end.ptr);
    if (literal.find_first_of(".e") == std::string::npos)
        literal += ".0";
    if (!isDouble)
        literal += "f";
    return literal.starts_with('-') ? "(" + literal + ")" : literal;
}

std::string cLiteral(std::int64_t value, DataType type)
{
    if (type == DataType::Uint64)
        return std::to_string(std::uint64_t(value)) + "u";
    if (value == std::numeric_limits<std::int64_t>::min())
        return "(-9223372036854775807 - 1)";
    return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
}

} // namespace graphloom
