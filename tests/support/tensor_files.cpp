// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tensor_files.h"

#include "engine/ir/dim.h"
#include "engine/onnx/files/tensor_file.h"

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

template <class Compare>
std::optional<std::string> differenceBy(const DataValue &actual, const DataValue &expected,
                                        const Compare &compare)
{
    if (actual.kind() != expected.kind() || actual.elements().size() != expected.elements().size())
        return "is a " + std::string(nameOf(actual.kind())) + " of " +
               std::to_string(actual.elements().size()) + " instead of a " +
               std::string(nameOf(expected.kind())) + " of " +
               std::to_string(expected.elements().size());
    if (actual.tensor())
        return compare(*actual.tensor(), *expected.tensor());
    for (std::size_t i = 0; i < actual.elements().size(); ++i)
        if (auto difference = differenceBy(actual.elements()[i], expected.elements()[i], compare))
            return "element " + std::to_string(i) + ": " + *difference;
    return std::nullopt;
}

} // namespace

Result<std::vector<DataValue>> readValueFiles(const std::filesystem::path &folder,
                                              const std::string &prefix, const Graph &graph,
                                              std::span<const TensorId> tensors)
{
    std::vector<DataValue> values;
    for (const TensorId id : tensors) {
        const auto file = folder / (prefix + "_" + std::to_string(values.size()) + ".pb");
        if (!std::filesystem::exists(file))
            break;
        auto value = readValueFile(file, graph.tensor(id));
        if (!value)
            return tl::unexpected(value.error());
        values.push_back(std::move(*value));
    }
    return values;
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
    // The tests truncate to bfloat16 instead of rounding.
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

std::optional<std::string> differenceOfForm(const DataValue &actual, const DataValue &expected)
{
    return differenceBy(actual, expected, [](const TensorData &a, const TensorData &b) {
        return differenceOfForm(a, b);
    });
}

std::optional<std::string> differenceOf(const DataValue &actual, const DataValue &expected)
{
    return differenceBy(actual, expected, [](const TensorData &a, const TensorData &b) {
        return differenceOf(a, b);
    });
}

} // namespace graphloom::test
