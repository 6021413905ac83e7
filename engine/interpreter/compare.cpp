// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace graphloom {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::string textOf(double value)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.9g", value);
    return text.data();
}

std::string textOf(const TensorData &tensor)
{
    std::string text = std::string(nameOf(tensor.type())) + "[";
    for (const std::int64_t extent : tensor.extents())
        text += (text.back() == '[' ? "" : ",") + std::to_string(extent);
    return text + "]";
}

/// Describes the type and size of a value, but not its elements.
std::string formOf(const DataValue &value)
{
    if (value.tensor())
        return textOf(*value.tensor());
    return std::string(nameOf(value.kind())) + " of " + std::to_string(value.elements().size());
}

Comparison different(std::string how)
{
    Comparison result;
    result.maxAbsError = result.maxRelError = infinite;
    result.withinBackendTolerance = false;
    result.worst = std::move(how);
    return result;
}

bool isComplex(DataType type)
{
    return type == DataType::Complex64 || type == DataType::Complex128;
}

/// Returns the count of numbers in a tensor; a complex element has two.
std::int64_t numbersOf(const TensorData &tensor)
{
    return tensor.elements() * (isComplex(tensor.type()) ? 2 : 1);
}

double numberOf(const TensorData &tensor, std::int64_t i)
{
    if (!isComplex(tensor.type()))
        return tensor.real(i);
    const auto bytes = tensor.bytes();
    if (tensor.isSplat())
        i %= 2;
    if (tensor.type() == DataType::Complex64) {
        float part = 0;
        std::memcpy(&part, bytes.data() + std::size_t(i) * sizeof part, sizeof part);
        return part;
    }
    double part = 0;
    std::memcpy(&part, bytes.data() + std::size_t(i) * sizeof part, sizeof part);
    return part;
}

double errorOf(double expected, double actual)
{
    if (expected == actual || (std::isnan(expected) && std::isnan(actual)))
        return 0;
    const double error = std::abs(expected - actual);
    return std::isnan(error) ? infinite : error;
}

/// Compares elements that are either equal or not; `textOf` returns the text of an element of one
/// of the tensors.
template <class Equal, class Text>
Comparison compareExactly(const TensorData &expected, const TensorData &actual, Equal equal,
                          Text textOf)
{
    Comparison result;
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        if (!equal(i) && ++result.different == 1) {
            result.maxAbsError = result.maxRelError = infinite;
            result.withinBackendTolerance = false;
            result.worst = "element " + std::to_string(i) + " is " + textOf(actual, i) +
                           ", expected " + textOf(expected, i);
        }
    result.finite = expected.elements();
    return result;
}

Comparison compareStrings(const TensorData &expected, const TensorData &actual)
{
    return compareExactly(
        expected, actual,
        [&](std::int64_t i) {
            return expected.strings()[std::size_t(i)] == actual.strings()[std::size_t(i)];
        },
        [](const TensorData &tensor, std::int64_t i) {
            return '"' + tensor.strings()[std::size_t(i)] + '"';
        });
}

Comparison compareIntegers(const TensorData &expected, const TensorData &actual)
{
    Comparison result = compareExactly(
        expected, actual, [&](std::int64_t i) { return expected.integer(i) == actual.integer(i); },
        [](const TensorData &tensor, std::int64_t i) {
            const std::int64_t value = tensor.integer(i);
            return tensor.type() == DataType::Uint64 ? std::to_string(std::uint64_t(value))
                                                     : std::to_string(value);
        });
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const double wanted = expected.real(i), got = actual.real(i);
        result.signal += wanted * wanted;
        result.noise += (got - wanted) * (got - wanted);
    }
    return result;
}

} // namespace

Comparison compare(const TensorData &expected, const TensorData &actual)
{
    if (expected.type() != actual.type() || expected.extents() != actual.extents())
        return different("expected " + textOf(expected) + ", got " + textOf(actual));
    if (expected.type() == DataType::String)
        return compareStrings(expected, actual);
    if (isIntegral(expected.type()))
        return compareIntegers(expected, actual);

    Comparison result;
    const double relative = expected.type() == DataType::BFloat16 ? 0x1p-7 : 1e-3;
    double scale = Comparison::leastScale;
    std::int64_t worst = 0;
    for (std::int64_t i = 0; i < numbersOf(expected); ++i) {
        const double wanted = numberOf(expected, i);
        const double error = errorOf(wanted, numberOf(actual, i));
        if (std::isfinite(wanted)) {
            ++result.finite;
            scale = std::max(scale, std::abs(wanted));
            result.signal += wanted * wanted;
        }
        result.different += error > 0;
        result.noise += error * error;
        // An infinite expected value would make the bound infinite, too: the error is only
        // compared with a finite bound.
        if (error > 0 && (!std::isfinite(wanted) || !(error <= 1e-7 + relative * std::abs(wanted))))
            result.withinBackendTolerance = false;
        if (error > result.maxAbsError) {
            result.maxAbsError = error;
            worst = i;
        }
    }
    result.maxRelError = result.maxAbsError / scale;
    if (result.maxAbsError > 0)
        result.worst = "element " + std::to_string(worst) + " is " +
                       textOf(numberOf(actual, worst)) + ", expected " +
                       textOf(numberOf(expected, worst)) + ", at a scale of " + textOf(scale);
    return result;
}

Comparison compare(const DataValue &expected, const DataValue &actual)
{
    if (expected.tensor() && actual.tensor())
        return compare(*expected.tensor(), *actual.tensor());
    if (const std::string form = formOf(expected); form != formOf(actual))
        return different("expected " + form + ", got " + formOf(actual));
    Comparison result;
    for (std::size_t i = 0; i < expected.elements().size(); ++i) {
        const Comparison one = compare(expected.elements()[i], actual.elements()[i]);
        if (!one.worst.empty() && (result.worst.empty() || one.maxAbsError > result.maxAbsError))
            result.worst = "element " + std::to_string(i) + ": " + one.worst;
        result.maxAbsError = std::max(result.maxAbsError, one.maxAbsError);
        result.maxRelError = std::max(result.maxRelError, one.maxRelError);
        result.withinBackendTolerance &= one.withinBackendTolerance;
        result.finite += one.finite;
        result.different += one.different;
        result.signal += one.signal;
        result.noise += one.noise;
    }
    return result;
}

std::optional<double> signalToNoise(const Comparison &comparison)
{
    if (comparison.maxAbsError > 0 && comparison.noise == 0)
        return std::nullopt;
    if (comparison.noise == 0)
        return infinite;
    if (comparison.signal == 0 || std::isinf(comparison.noise))
        return -infinite;
    return 10 * std::log10(comparison.signal / comparison.noise);
}

std::string differenceOfForm(const DataValue &expected, const DataValue &actual)
{
    if (const std::string form = formOf(expected); form != formOf(actual))
        return "expected " + form + ", got " + formOf(actual);
    for (std::size_t i = 0; i < expected.elements().size(); ++i)
        if (const auto how = differenceOfForm(expected.elements()[i], actual.elements()[i]);
            !how.empty())
            return "element " + std::to_string(i) + ": " + how;
    return {};
}

} // namespace graphloom
