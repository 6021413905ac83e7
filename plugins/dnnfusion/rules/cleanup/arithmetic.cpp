// SPDX-License-Identifier: Apache-2.0
// Arithmetic with constants.
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <algorithm>
#include <cmath>

namespace graphloom::dnnfusion {

namespace {

/// Tells whether the merged constant takes little more memory than the separate ones.
bool staysSmall(const Match &m)
{
    constexpr std::int64_t few = 1024;
    const TensorData &a = *m.constant("a"), &b = *m.constant("b");
    std::int64_t rank = std::int64_t(std::max(a.extents().size(), b.extents().size()));
    std::int64_t elements = 1;
    const auto extent = [](const TensorData &data, std::int64_t fromEnd) {
        const auto count = std::int64_t(data.extents().size());
        return fromEnd < count ? data.extents()[std::size_t(count - 1 - fromEnd)] : 1;
    };
    for (std::int64_t d = 0; d < rank; ++d) // numpy's broadcasting; mismatches are refused later
        elements *= std::max(extent(a, d), extent(b, d));
    return elements <= std::max({few, a.elements(), b.elements()});
}

/// outer(inner(x, a), b) = result(x, merged(a, b)), for constants a and b.
Rule mergeConstants(std::string name, std::string formula, const char *outer, const char *inner,
                    const char *result, const char *merge, unsigned types = Numbers)
{
    return {
        .name = std::move(name),
        .category = Rule::Category::Cleanup,
        .formula = std::move(formula),
        .flops = "2*n -> n",
        .types = types,
        .patterns = {call(outer, {call(inner, {any("x"), constant("a")}), constant("b")})},
        .when = staysSmall,
        .build = [result, merge](const Match &m, Builder &b) {
            return b.call(result, {m.tensor("x"), b.call(merge, {m.tensor("a"), m.tensor("b")})});
        }};
}

Rule power(std::string name, double exponent, std::string formula, std::string domain,
           std::function<Replacement(const Match &, Builder &)> build)
{
    return {.name = std::move(name),
            .category = Rule::Category::Cleanup,
            .formula = std::move(formula),
            .domain = std::move(domain),
            .flops = "n -> n, faster operations",
            .types = Reals,
            .patterns = {call("Pow", {any("x"), number(exponent)})},
            .build = std::move(build)};
}

/// Tells whether all elements are powers of two, so that multiplying by the reciprocal is exact.
bool arePowersOfTwo(const TensorData &data)
{
    constexpr std::int64_t most = 1 << 16;
    const std::int64_t count = data.isSplat() ? 1 : data.elements();
    if (count == 0 || count > most)
        return false;
    for (std::int64_t i = 0; i < count; ++i) {
        int exponent = 0;
        const double value = std::abs(data.real(i));
        constexpr int widest = 14; // half precision is the smallest type: the reciprocal is normal
        if (std::frexp(value, &exponent) != 0.5 || std::abs(exponent) > widest)
            return false;
    }
    return true;
}

TensorId productWithReciprocal(const Match &m, Builder &b)
{
    return b.call("Mul", {m.tensor("x"), b.call("Reciprocal", {m.tensor("c")})});
}

Rule divideByPowerOfTwo()
{
    return {.name = "multiply-by-exact-reciprocal",
            .category = Rule::Category::Cleanup,
            .formula = "x / c = x * (1 / c)",
            .domain = "c is a power of 2",
            .flops = "n -> n, faster operations",
            .types = Reals,
            .patterns = {call("Div", {any("x"), constant("c")})},
            .when = [](const Match &m) { return arePowersOfTwo(*m.constant("c")); },
            .build = productWithReciprocal};
}

Rule divideByConstant()
{
    return {.name = "multiply-by-reciprocal",
            .category = Rule::Category::Cleanup,
            .formula = "x / c = x * (1 / c)",
            .domain = "the reciprocal is rounded",
            .flops = "n -> n, faster operations",
            .types = Reals,
            .exact = false,
            .patterns = {call("Div", {any("x"), constant("c")})},
            .when =
                [](const Match &m) {
                    const TensorData &c = *m.constant("c");
                    return c.elements() == 1 && c.real(0) != 0;
                },
            .build = productWithReciprocal};
}

} // namespace

std::vector<Rule> arithmeticRules()
{
    return {
        mergeConstants("add-constants-first", "(x + a) + b = x + (a + b)", "Add", "Add", "Add",
                       "Add"),
        mergeConstants("add-and-subtract-constants-first", "(x + a) - b = x + (a - b)", "Sub",
                       "Add", "Add", "Sub", Reals | SignedIntegers),
        mergeConstants("subtract-constants-first", "(x - a) - b = x - (a + b)", "Sub", "Sub", "Sub",
                       "Add"),
        mergeConstants("multiply-constants-first", "(x * a) * b = x * (a * b)", "Mul", "Mul", "Mul",
                       "Mul"),
        mergeConstants("divide-constants-first", "(x * a) / b = x * (a / b)", "Div", "Mul", "Mul",
                       "Div", Reals),
        mergeConstants("divide-once", "(x / a) / b = x / (a * b)", "Div", "Div", "Div", "Mul",
                       Reals),
        power("square-by-product", 2, "Pow(x, 2) = x * x", "",
              [](const Match &m, Builder &b) {
                  return b.call("Mul", {m.tensor("x"), m.tensor("x")});
              }),
        power("root-by-sqrt", 0.5, "Pow(x, 0.5) = Sqrt(x)", "all but minus infinity",
              [](const Match &m, Builder &b) { return b.call("Sqrt", {m.tensor("x")}); }),
        power("inverse-by-reciprocal", -1, "Pow(x, -1) = Reciprocal(x)", "",
              [](const Match &m, Builder &b) { return b.call("Reciprocal", {m.tensor("x")}); }),
        divideByPowerOfTwo(),
        divideByConstant(),
    };
}

} // namespace graphloom::dnnfusion
