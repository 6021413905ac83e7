// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <array>

/// Operators of ONNX that cannot be computed. Models with them are read, shown, partitioned and
/// written; the entries give the known types and shapes of their results and why they do not run.
namespace graphloom::entries {

namespace {

/// Returns a Boolean for each string.
Result<Description> regexFullMatch(const Call &call)
{
    if (call.type(0) != DataType::String)
        return call.refuse("its inputs must be strings, not " + std::string(nameOf(call.type(0))));
    return build::opaque("it matches regular expressions, which is not supported",
                         {{DataType::Bool, call.shape(0), {}}});
}

/// Returns rows, columns and finally one or three channels of an image in a file format.
Result<Description> imageDecoder(const Call &call)
{
    if (call.type(0) != DataType::Uint8 || call.rank(0) != 1)
        return call.refuse("its input must be the bytes of an image file, not " +
                           std::string(nameOf(call.type(0))) + " of shape " + text(call.shape(0)));
    const bool isGray = call.attributes().text("pixel_format", "RGB") == "Grayscale";
    return build::opaque("it decodes image files, which is not supported",
                         {{DataType::Uint8,
                           Shape{build::unknownExtent(), build::unknownExtent(), isGray ? 1 : 3},
                           {}}});
}

/// Returns the derivatives by the inputs in attribute xs, which come first.
Result<Description> gradient(const Call &call)
{
    std::vector<Value> values;
    for (std::size_t k = 0; k < call.outputCount() && k < call.inputCount(); ++k)
        values.push_back({call.type(k), call.shape(k), {}});
    return build::opaque("it differentiates its parent graph, which is not supported",
                         std::move(values));
}

constexpr std::array unsupportedEntries{
    Operator{"", "ImageDecoder", 20, 1, 1, 1, imageDecoder}.like("uint8[512]"),
    Operator{"", "RegexFullMatch", 20, 1, 1, 1, regexFullMatch}.like("string[8]"),
    Operator{"ai.onnx.preview.training", "Gradient", 1, 1, -1, -1, gradient},
};

} // namespace

std::span<const Operator> unsupported()
{
    return unsupportedEntries;
}

} // namespace graphloom::entries
