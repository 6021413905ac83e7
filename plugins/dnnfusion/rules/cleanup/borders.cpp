// SPDX-License-Identifier: Apache-2.0
// Moves padding into the window operator after it.
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

/// Returns the elements that a Pad adds by dimension: begins, then ends. Fails if they are unknown,
/// negative, not zeros, or in dimensions other than those that a window slides over.
std::optional<std::vector<std::int64_t>> spatialPads(const Match &m)
{
    const Node &pad = m["pad"];
    const Call call = m.terms().call(pad);
    if (call.attributes().text("mode", "constant") != "constant")
        return std::nullopt;
    if (call.has(2)) {
        const auto value = call.reals(2);
        if (!value || value->size() != 1 || value->front() != 0)
            return std::nullopt;
    }
    const auto given = call.integers(1);
    const std::size_t rank = call.rank(0);
    if (!given || call.has(3) || given->size() != 2 * rank || rank < 3)
        return std::nullopt;
    std::vector<std::int64_t> spatial;
    for (std::size_t i = 0; i < given->size(); ++i) {
        const std::size_t d = i % rank;
        if ((*given)[i] < 0 || (d < 2 && (*given)[i] != 0))
            return std::nullopt;
        if (d >= 2)
            spatial.push_back((*given)[i]);
    }
    return spatial;
}

bool slidesAsGiven(const Node &window)
{
    return window.attributes.text("auto_pad", "NOTSET") == "NOTSET";
}

bool padsItself(const Node &window)
{
    return std::ranges::any_of(window.attributes.integers("pads"),
                               [](std::int64_t pad) { return pad != 0; });
}

/// Tells whether a pool can take the pads: every window must have an element of the tensor.
bool isPool(const Match &m)
{
    const Node &pool = m.rootNode();
    const auto kernel = pool.attributes.integers("kernel_shape");
    const auto dilations = pool.attributes.integers("dilations");
    const auto pads = *spatialPads(m);
    if (pool.outputs.size() != 1 || pool.attributes.integer("ceil_mode", 0) != 0 ||
        pads.size() != 2 * kernel.size() ||
        std::ranges::any_of(dilations, [](std::int64_t dilation) { return dilation != 1; }))
        return false;
    for (std::size_t i = 0; i < pads.size(); ++i)
        if (pads[i] >= kernel[i % kernel.size()])
            return false;
    return !padsItself(pool);
}

/// Applies the window operator to the tensor before the padding.
Replacement padded(const Match &m, Builder &b)
{
    auto pads = *spatialPads(m);
    const Node &window = m.rootNode();
    const auto own = window.attributes.integers("pads", std::vector<std::int64_t>(pads.size()));
    for (std::size_t i = 0; i < pads.size() && own.size() == pads.size(); ++i)
        pads[i] += own[i];
    Node with = window;
    with.inputs[0] = m.tensor("x");
    with.attributes = window.attributes.with("pads", std::move(pads));
    if (with.op == "AveragePool") // the zeros were elements
        with.attributes = with.attributes.with("count_include_pad", std::int64_t{1});
    return b.again(with, with.inputs);
}

Rule intoWindow(std::string name, std::string op, std::vector<Requirement> where,
                std::function<bool(const Match &)> allows)
{
    return {.name = std::move(name),
            .category = Rule::Category::Cleanup,
            .formula = op + "(Pad(x)) = " + op + "(x) with pads",
            .flops = "f -> f, one call fewer",
            .where = std::move(where),
            .patterns = {call(op, {call("Pad", {any("x")}).andMore().as("pad")}).andMore()},
            .when =
                [allows](const Match &m) {
                    return slidesAsGiven(m.rootNode()) && spatialPads(m) && allows(m);
                },
            .build = padded};
}

} // namespace

std::vector<Rule> borderRules()
{
    // A maximum over zeros and nonnegative numbers is that of the latter.
    Rule maximum = intoWindow(
        "pad-in-max-pool", "MaxPool",
        {{.variable = "x", .kind = Requirement::Kind::Within, .range = Range::atLeast(0)}}, isPool);
    return {
        intoWindow("pad-in-convolution", "Conv", {}, [](const Match &) { return true; }),
        intoWindow("pad-in-average-pool", "AveragePool", {}, isPool),
        maximum,
    };
}

} // namespace graphloom::dnnfusion
