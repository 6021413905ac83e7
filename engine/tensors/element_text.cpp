// SPDX-License-Identifier: Apache-2.0
#include "engine/tensors/element_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace graphloom {

namespace {

template <class T> std::string textOf(T value)
{
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value))
            return "NaN";
        if (std::isinf(value))
            return value < 0 ? "-Inf" : "Inf";
    }
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

template <class T> std::string complexText(const TensorData &data, std::int64_t element)
{
    std::array<T, 2> parts;
    const std::size_t at = data.isSplat() ? 0 : std::size_t(element) * sizeof parts;
    std::memcpy(parts.data(), data.bytes().data() + at, sizeof parts);
    const std::string imaginary = textOf(parts[1]);
    return textOf(parts[0]) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "i";
}

} // namespace

std::string elementText(const TensorData &data, std::int64_t element)
{
    switch (data.type()) {
    case DataType::String:
        return data.strings()[std::size_t(element)];
    case DataType::Bool:
        return data.integer(element) != 0 ? "true" : "false";
    case DataType::Complex64:
        return complexText<float>(data, element);
    case DataType::Complex128:
        return complexText<double>(data, element);
    case DataType::Double:
        return textOf(data.real(element));
    case DataType::Uint64:
        return textOf(std::uint64_t(data.integer(element)));
    default:
        return isFloatingPoint(data.type()) ? textOf(float(data.real(element)))
                                            : textOf(data.integer(element));
    }
}

} // namespace graphloom
