// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tensor_files.h"

#include "engine/ir/dim.h"
#include "engine/onnx/tensor_file.h"

#include <algorithm>
#include <cmath>

namespace graphloom::test {

namespace {

std::string describe(const TensorData &data)
{
    return std::string(nameOf(data.type())) + " " +
           text(Shape(data.extents().begin(), data.extents().end()));
}

std::string at(std::int64_t i, const std::string &actual, const std::string &expected)
{
    return "element " + std::to_string(i) + " is " + actual + " instead of " + expected;
}

bool isClose(double actual, double expected, const Tolerance &tolerance)
{
    if (std::isnan(actual) || std::isnan(expected))
        return std::isnan(actual) && std::isnan(expected);
    if (std::isinf(actual) || std::isinf(expected))
        return actual == expected;
    return std::fabs(actual - expected) <=
           tolerance.absolute + tolerance.relative * std::fabs(expected);
}

} // namespace

Result<std::vector<TensorData>> readTensorFiles(const std::filesystem::path &folder,
                                                const std::string &prefix)
{
    std::vector<TensorData> tensors;
    while (true) {
        const auto file = folder / (prefix + "_" + std::to_string(tensors.size()) + ".pb");
        if (!std::filesystem::exists(file))
            return tensors;
        auto tensor = readTensorFile(file);
        if (!tensor)
            return tl::unexpected(tensor.error());
        tensors.push_back(std::move(*tensor));
    }
}

std::optional<std::string> differenceOfForm(const TensorData &actual, const TensorData &expected)
{
    if (actual.type() != expected.type() || actual.extents() != expected.extents())
        return "is " + describe(actual) + " instead of " + describe(expected);
    return std::nullopt;
}

std::optional<std::string> differenceOf(const TensorData &actual, const TensorData &expected,
                                        const Tolerance &tolerance)
{
    if (auto difference = differenceOfForm(actual, expected))
        return difference;
    // The tests cut off what does not fit into bfloat16 instead of rounding it.
    Tolerance allowed = tolerance;
    if (expected.type() == DataType::BFloat16)
        allowed.relative = std::max(allowed.relative, 0x1p-7);
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        if (expected.type() == DataType::String) {
            const auto n = std::size_t(i);
            if (actual.strings()[n] != expected.strings()[n])
                return at(i, "\"" + actual.strings()[n] + "\"",
                          "\"" + expected.strings()[n] + "\"");
        } else if (isIntegral(expected.type())) {
            if (actual.integer(i) != expected.integer(i))
                return at(i, std::to_string(actual.integer(i)),
                          std::to_string(expected.integer(i)));
        } else if (isFloatingPoint(expected.type())) {
            if (!isClose(actual.real(i), expected.real(i), allowed))
                return at(i, std::to_string(actual.real(i)), std::to_string(expected.real(i)));
        } else if (!(actual == expected)) {
            return "its elements differ";
        }
    }
    return std::nullopt;
}

} // namespace graphloom::test
