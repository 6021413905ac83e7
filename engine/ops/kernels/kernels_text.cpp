// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/kernels/kernels.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace graphloom::kernels {

namespace {

/// Returns the shortest text that reads back as the same number of its type.
std::string textOf(const TensorData &data, std::int64_t i)
{
    char text[64];
    std::to_chars_result end{};
    if (data.type() == DataType::Uint64)
        end = std::to_chars(text, text + sizeof text, std::uint64_t(data.integer(i)));
    else if (isIntegral(data.type()))
        end = std::to_chars(text, text + sizeof text, data.integer(i));
    else if (std::isnan(data.real(i)))
        return "NaN";
    else if (std::isinf(data.real(i)))
        return data.real(i) > 0 ? "INF" : "-INF";
    else if (data.type() == DataType::Double)
        end = std::to_chars(text, text + sizeof text, data.real(i));
    else
        end = std::to_chars(text, text + sizeof text, float(data.real(i)));
    return std::string(text, end.ptr);
}

/// Parses the whole text as a number of type T; a leading plus is allowed.
template <class T> bool parse(std::string_view text, T &value)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

/// Stores the number in the text; returns false if it is not a number of the type.
bool store(DataType type, const std::string &text, std::byte *at)
{
    if (isFloatingPoint(type)) {
        double value = 0;
        if (!parse(text, value))
            return false;
        encodeReal(type, value, at);
        return true;
    }
    std::int64_t value = 0;
    std::uint64_t natural = 0;
    if (type == DataType::Uint64 && parse(text, natural)) {
        value = std::int64_t(natural);
    } else if (!parse(text, value)) {
        double real = 0; // "3.7" is truncated
        if (!parse(text, real) || !(std::fabs(real) < 9.2e18))
            return false;
        value = std::int64_t(real);
    }
    if (type == DataType::Bool)
        value = value != 0;
    std::memcpy(at, &value, std::size_t(bitsOf(type)) / 8); // little endian
    return true;
}

} // namespace

Result<Tensors> castText(const Call &call, Inputs inputs)
{
    const TensorData &x = *inputs[0];
    const DataType to = inputs.size() > 1 && inputs[1]
                            ? inputs[1]->type()
                            : dataTypeFromOnnx(int(call.attributes().integer("to", 0)))
                                  .value_or(DataType::Undefined);
    if (to == DataType::String && (isFloatingPoint(x.type()) || isIntegral(x.type()))) {
        std::vector<std::string> texts;
        for (std::int64_t i = 0; i < x.elements(); ++i) {
            texts.push_back(textOf(x, i));
            if (call.stopped(1))
                return stoppedError();
        }
        return Tensors{TensorData::fromStrings(x.extents(), std::move(texts))};
    }
    if (x.type() != DataType::String || bitsOf(to) < 8 || !(isFloatingPoint(to) || isIntegral(to)))
        return call.refuse("cannot cast " + std::string(nameOf(x.type())) + " to " +
                           std::string(nameOf(to)));
    const auto size = std::size_t(bitsOf(to)) / 8;
    std::vector<std::byte> bytes(size * std::size_t(x.elements()), std::byte{0});
    for (std::size_t i = 0; i < std::size_t(x.elements()); ++i) {
        if (!store(to, x.strings()[i], bytes.data() + i * size))
            return call.refuse("its text \"" + x.strings()[i] + "\" is not a valid " +
                               std::string(nameOf(to)));
        if (call.stopped(1))
            return stoppedError();
    }
    return Tensors{TensorData::fromBytes(to, x.extents(), std::move(bytes))};
}

} // namespace graphloom::kernels
