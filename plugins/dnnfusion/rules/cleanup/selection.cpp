// SPDX-License-Identifier: Apache-2.0
// Choices, repetitions and conversions that are not needed.
#include "engine/ops/derive/passing.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

Rule equalChoices()
{
    return {.name = "drop-choice-between-equals",
            .category = Rule::Category::Cleanup,
            .formula = "Where(c, x, x) = x",
            .flops = "n -> 0",
            .patterns = {call("Where", {any("c"), any("x"), any("x")})},
            .build = [](const Match &m, Builder &) { return Replacement(m.tensor("x")); }};
}

/// Takes a choice by a known condition of several elements; passing.cpp handles single numbers.
Rule knownChoice()
{
    return {.name = "take-known-choice",
            .category = Rule::Category::Cleanup,
            .formula = "Where(all true, x, y) = x",
            .flops = "n -> 0",
            .patterns = {call("Where", {constant("c"), any("x"), any("y")})},
            .when = [](const Match &m) { return m.constant("c")->isSplat(); },
            .build =
                [](const Match &m, Builder &) {
                    return Replacement(m.tensor(m.constant("c")->integer(0) != 0 ? "x" : "y"));
                }};
}

/// Returns the operand of an Expand, or the value itself if it is not an expansion.
TensorId unexpanded(const Terms &terms, TensorId value)
{
    for (std::size_t p = 0; value.valid() && p < terms.producerCount(value); ++p) {
        const Node &node = terms.node(terms.producer(value, p));
        const Call call = terms.call(node);
        if (const auto description = terms.describe(call);
            description && isExpansion(*description, call))
            return node.inputs[0];
    }
    return value;
}

/// Tells whether the call reads the elements of the input.
bool isRead(const Description &description, std::size_t input)
{
    return std::ranges::any_of(description.stages, [&](const Stage &stage) {
        return std::ranges::any_of(stage.reads, [&](const Read &read) {
            return read.operand == Operand{Operand::Kind::Input, int(input)};
        });
    });
}

/// Removes an Expand whose reader broadcasts by itself.
Rule broadcastByReader()
{
    const auto inputs = [](const Match &m) {
        std::vector<TensorId> given = m.rootNode().inputs;
        for (TensorId &input : given)
            input = unexpanded(m.terms(), input);
        return given;
    };
    return {
        .name = "broadcast-by-reader",
        .category = Rule::Category::Cleanup,
        .formula = "f(x, Expand(y)) = f(x, y), f elementwise",
        .flops = "f -> f, one call fewer",
        .patterns = {anyCall({}).andMore()},
        .when =
            [inputs](const Match &m) {
                Node node = m.rootNode();
                const auto reading = inputs(m);
                if (reading == node.inputs)
                    return false;
                for (const auto &given : {node.inputs, reading}) {
                    node.inputs = given;
                    const Call call = m.terms().call(node);
                    const auto description = m.terms().describe(call);
                    if (!description || !isBroadcast(*description, call))
                        return false;
                    // The extents of an input may matter even if it is not read, as in Shape.
                    for (std::size_t i = 0; i < given.size(); ++i)
                        if (given[i] != m.rootNode().inputs[i] && !isRead(*description, i))
                            return false;
                }
                return true;
            },
        .build = [inputs](const Match &m,
                          Builder &b) { return Replacement(b.again(m.rootNode(), inputs(m))); }};
}

/// Tells whether `to` can represent every value of `from`: then a second conversion has the same
/// result as a conversion of the original value.
bool holdsAll(DataType from, DataType to)
{
    if (from == to || from == DataType::Bool)
        return from == to || isFloatingPoint(to) || isIntegral(to);
    const int narrow = bitsOf(from), wide = bitsOf(to);
    if (isFloatingPoint(from))
        return (from == DataType::Float16 || from == DataType::BFloat16 ||
                from == DataType::Float) &&
               (to == DataType::Float || to == DataType::Double) && narrow < wide;
    if (isIntegral(from) && isIntegral(to) && to != DataType::Bool)
        return narrow < wide && (isSignedInteger(to) || !isSignedInteger(from));
    if (isIntegral(from))
        return (to == DataType::Float && narrow <= 16) || (to == DataType::Double && narrow <= 32);
    return false;
}

Rule mergeCasts()
{
    return {.name = "merge-conversions",
            .category = Rule::Category::Cleanup,
            .formula = "Cast(Cast(x, wide), t) = Cast(x, t)",
            .domain = "the first conversion is lossless",
            .flops = "0 -> 0, one call fewer",
            .patterns = {call("Cast", {call("Cast", {any("x")}).as("inner")})},
            .when = [](const Match &m) { return holdsAll(m.type("x"), m.type("inner")); },
            .build =
                [](const Match &m, Builder &b) {
                    const auto type = m.terms().tensor(m.rootNode().outputs[0]).type;
                    if (type == m.type("x"))
                        return m.tensor("x");
                    return b.again(m.rootNode(), {m.tensor("x")})[0];
                }};
}

} // namespace

std::vector<Rule> selectionRules()
{
    return {equalChoices(), knownChoice(), broadcastByReader(), mergeCasts()};
}

} // namespace graphloom::dnnfusion
