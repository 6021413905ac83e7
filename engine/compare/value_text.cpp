// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/value_text.h"

#include <cmath>
#include <cstdio>

namespace graphloom {

namespace {

std::string shortNumberText(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

template <class Values, class Print> std::string listedValues(const Values &values, Print print)
{
    constexpr std::size_t most = 12;
    std::string text = "[";
    std::size_t count = 0;
    for (const auto &value : values) {
        if (count == most) {
            text += ", \u2026";
            break;
        }
        text += (count++ ? ", " : "") + print(value);
    }
    return text + "]";
}

std::string extentsText(const std::optional<Shape> &shape)
{
    return shape ? listedValues(*shape, [](const Dim &dim) { return dim.text(); }) : "unknown";
}

std::string elementsText(const TensorData &data)
{
    if (data.elements() == 1 && data.type() != DataType::String)
        return shortNumberText(data.real(0));
    return std::string(nameOf(data.type())) + " tensor " +
           listedValues(data.extents(), [](std::int64_t extent) { return std::to_string(extent); });
}

} // namespace

std::string valueText(const AttributeValue &value)
{
    const auto inQuotes = [](const std::string &text) {
        constexpr std::size_t most = 60;
        std::string quote(1, '"');
        quote.append(text, 0, most);
        if (text.size() > most)
            quote.append("\u2026");
        quote.push_back('"');
        return quote;
    };
    const auto print = [&](const auto &held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::int64_t>)
            return std::to_string(held);
        else if constexpr (std::is_same_v<T, float>)
            return shortNumberText(held);
        else if constexpr (std::is_same_v<T, std::string>)
            return inQuotes(held);
        else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
            return listedValues(held, [](std::int64_t x) { return std::to_string(x); });
        else if constexpr (std::is_same_v<T, std::vector<float>>)
            return listedValues(held, [](float x) { return shortNumberText(x); });
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
            return listedValues(held, inQuotes);
        else if constexpr (std::is_same_v<T, TensorData>)
            return elementsText(held);
        else if constexpr (std::is_same_v<T, std::vector<TensorData>>)
            return listedValues(held, elementsText);
        else if constexpr (std::is_same_v<T, GraphPointer>)
            return "a graph of " + std::to_string(held->nodeCount()) + " nodes";
        else if constexpr (std::is_same_v<T, std::vector<GraphPointer>>)
            return std::to_string(held.size()) + " graphs";
        else
            return std::to_string(held.bytes.size()) + " bytes";
    };
    return std::visit(print, value);
}

bool sameValue(const AttributeValue &a, const AttributeValue &b)
{
    return Attributes({{"value", a}}).hash() == Attributes({{"value", b}}).hash();
}

std::vector<std::string> tensorChanges(const Tensor &before, const Tensor &now)
{
    std::vector<std::string> changes;
    if (before.type != now.type)
        changes.push_back("type is " + std::string(nameOf(now.type)) + ", was " +
                          std::string(nameOf(before.type)));
    if (before.otherType != now.otherType)
        changes.push_back("has a different type");
    if (before.shape != now.shape)
        changes.push_back("shape is " + extentsText(now.shape) + ", was " +
                          extentsText(before.shape));
    return changes;
}

std::string valueChange(const TensorData &before, const TensorData &now)
{
    if (before.elements() == 1 && now.elements() == 1 && before.type() != DataType::String &&
        now.type() != DataType::String)
        return "value is " + shortNumberText(now.real(0)) + ", was " +
               shortNumberText(before.real(0));
    constexpr std::int64_t most = 1 << 16; // more might have to be read from files
    const std::int64_t count = before.elements();
    if (before.type() == DataType::String || count > most || count != now.elements())
        return "elements differ";
    double largest = 0;
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double a = before.real(before.isSplat() ? 0 : i), b = now.real(now.isSplat() ? 0 : i);
        if (a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        ++different;
        largest = std::max(largest, std::abs(a - b));
    }
    return std::to_string(different) + " of " + std::to_string(count) +
           " elements differ, by up to " + shortNumberText(largest);
}

} // namespace graphloom
