// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/c_names.h"

#include "engine/runtime/scalar_math.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace graphloom {

namespace {

std::string call(const std::string &function, const std::vector<std::string> &arguments)
{
    std::string text = function + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i)
        text += (i > 0 ? ", " : "") + arguments[i];
    return text + ")";
}

/// Between its arguments; "" for functions that are not written so.
std::string_view infixOf(Fn fn)
{
    switch (fn) {
    case Fn::Add:
        return "+";
    case Fn::Sub:
        return "-";
    case Fn::Mul:
        return "*";
    case Fn::Div:
        return "/";
    case Fn::Equal:
        return "==";
    case Fn::Less:
        return "<";
    case Fn::LessOrEqual:
        return "<=";
    default:
        return "";
    }
}

std::string infix(Fn fn, const std::vector<std::string> &arguments)
{
    return "(" + arguments[0] + " " + std::string(infixOf(fn)) + " " + arguments[1] + ")";
}

/// What libm and the prelude call a function of one real; "" for others.
std::string_view realName(Fn fn)
{
    switch (fn) {
    case Fn::Abs:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Sqrt:
    case Fn::Exp:
    case Fn::Log:
    case Fn::Sin:
    case Fn::Cos:
    case Fn::Tan:
    case Fn::Asin:
    case Fn::Acos:
    case Fn::Atan:
    case Fn::Sinh:
    case Fn::Cosh:
    case Fn::Tanh:
    case Fn::Asinh:
    case Fn::Acosh:
    case Fn::Atanh:
    case Fn::Erf:
        return nameOf(fn);
    case Fn::Pow:
        return "pow";
    case Fn::Min:
        return "min";
    case Fn::Max:
        return "max";
    default:
        return "";
    }
}

/// C's own names where they are not the prelude's.
std::string doubleName(Fn fn)
{
    switch (fn) {
    case Fn::Abs:
        return "__builtin_fabs";
    case Fn::Round:
        return "__builtin_nearbyint";
    case Fn::Min:
        return "gd_min";
    case Fn::Max:
        return "gd_max";
    default:
        return realName(fn).empty() ? "" : "__builtin_" + std::string(realName(fn));
    }
}

} // namespace

std::string cIdentifier(std::string_view name, const std::vector<std::string> &taken)
{
    static constexpr std::array<std::string_view, 8> reserved = {
        "first", "last", "task", "status", "scratch", "buffers", "do", "if"};
    std::string text;
    for (const char c : name)
        text += std::isalnum(static_cast<unsigned char>(c)) ? c : c == '\'' ? 'p' : '_';
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())))
        text.insert(0, "n");
    // t, b1, v1 and acc1 are what the emitter calls its own.
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
    case DataType::Float16: // as they are stored; values are floats
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

bool hasVectorFunction(Fn fn)
{
    switch (fn) {
    case Fn::Load:
    case Fn::Inside:
    case Fn::Real:
    case Fn::Integer:
    case Fn::Accumulator:
    case Fn::Cast:
    case Fn::Select:
    case Fn::Negate:
    case Fn::Not:
    case Fn::And:
    case Fn::Or:
    case Fn::Xor:
    case Fn::IsNan:
    case Fn::IsInf:
    case Fn::Sign:
        return true;
    default:
        return !infixOf(fn).empty() || !realName(fn).empty();
    }
}

std::string cVectorFunction(Fn fn, const std::vector<std::string> &a)
{
    if (!infixOf(fn).empty())
        return infix(fn, a);
    switch (fn) {
    case Fn::Negate:
        return "(-" + a[0] + ")";
    case Fn::Not:
        return "(~" + a[0] + ")";
    case Fn::And:
        return "(" + a[0] + " & " + a[1] + ")";
    case Fn::Or:
        return "(" + a[0] + " | " + a[1] + ")";
    case Fn::Xor:
        return "(" + a[0] + " ^ " + a[1] + ")";
    case Fn::IsNan:
        return "(" + a[0] + " != " + a[0] + ")";
    case Fn::IsInf:
        return "(gv_abs(" + a[0] + ") > gv_splat(3.4028234663852886e38f))";
    case Fn::Sign:
        return "gv_select(" + a[0] + " > 0, gv_splat(1.0f), gv_select(" + a[0] +
               " < 0, gv_splat(-1.0f), " + a[0] + "))";
    case Fn::Max:
    case Fn::Min:
        return call(fn == Fn::Max ? "gv_max" : "gv_min", a);
    default:
        return realName(fn).empty() ? "" : call("gv_" + std::string(realName(fn)), a);
    }
}

std::string cRealFunction(Fn fn, bool inDouble, const std::vector<std::string> &a)
{
    if (!infixOf(fn).empty())
        return infix(fn, a);
    switch (fn) {
    case Fn::Negate:
        return "(-" + a[0] + ")";
    case Fn::IsNan:
        return "(" + a[0] + " != " + a[0] + ")";
    case Fn::IsInf:
        return "(__builtin_isinf(" + a[0] + ") != 0)";
    case Fn::Sign:
        return "(" + a[0] + " > 0 ? 1 : " + a[0] + " < 0 ? -1 : " + a[0] + ")";
    case Fn::Not:
        return "(" + a[0] + " == 0)";
    case Fn::FloorDiv:
        return std::string(inDouble ? "__builtin_floor(" : "gs_floor(") + a[0] + " / " + a[1] + ")";
    case Fn::Mod:
        return call("gd_mod", a);
    case Fn::Fmod:
        return call("__builtin_fmod", a);
    default:
        if (inDouble)
            return doubleName(fn).empty() ? "" : call(doubleName(fn), a);
        return realName(fn).empty() ? "" : call("gs_" + std::string(realName(fn)), a);
    }
}

std::string cIntegerFunction(Fn fn, bool isUnsigned, const std::vector<std::string> &a)
{
    const std::string prefix = isUnsigned ? "gu_" : "gi_";
    switch (fn) {
    case Fn::Add:
    case Fn::Sub:
    case Fn::Mul:
    case Fn::Equal:
    case Fn::Less:
    case Fn::LessOrEqual:
        return infix(fn, a);
    case Fn::Negate:
        return "(-" + a[0] + ")";
    case Fn::BitNot:
        return "(~" + a[0] + ")";
    case Fn::Not:
        return "(" + a[0] + " == 0)";
    case Fn::And:
        return "(" + a[0] + " != 0 && " + a[1] + " != 0)";
    case Fn::Or:
        return "(" + a[0] + " != 0 || " + a[1] + " != 0)";
    case Fn::Xor:
        return "((" + a[0] + " != 0) != (" + a[1] + " != 0))";
    case Fn::BitAnd:
        return "(" + a[0] + " & " + a[1] + ")";
    case Fn::BitOr:
        return "(" + a[0] + " | " + a[1] + ")";
    case Fn::BitXor:
        return "(" + a[0] + " ^ " + a[1] + ")";
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
        return a[0];
    case Fn::Abs:
        return call(prefix + "abs", a);
    case Fn::Sign:
        return call(prefix + "sign", a);
    case Fn::Div:
        return call(prefix + "div", a);
    case Fn::FloorDiv:
        return call(prefix + "floordiv", a);
    case Fn::Mod:
        return call(prefix + "mod", a);
    case Fn::Fmod:
        return call(prefix + "fmod", a);
    case Fn::Pow:
        return call(prefix + "pow", a);
    case Fn::Min:
        return call(prefix + "min", a);
    case Fn::Max:
        return call(prefix + "max", a);
    case Fn::ShiftLeft:
        return call(prefix + "shl", a);
    case Fn::ShiftRight:
        return call(prefix + "shr", a);
    default:
        return "";
    }
}

std::string cCombination(Combine combine, const std::string &accumulator, const std::string &value,
                         bool vector, bool inDouble, bool integer, bool isUnsigned)
{
    const Fn fn = combine == Combine::Sum       ? Fn::Add
                  : combine == Combine::Product ? Fn::Mul
                  : combine == Combine::Max     ? Fn::Max
                                                : Fn::Min;
    if (combine >= Combine::ArgMax || combine == Combine::None)
        return "";
    const std::vector<std::string> arguments{accumulator, value};
    if (fn == Fn::Add)
        return accumulator + " + " + value;
    return vector    ? cVectorFunction(fn, arguments)
           : integer ? cIntegerFunction(fn, isUnsigned, arguments)
                     : cRealFunction(fn, inDouble, arguments);
}

} // namespace graphloom
