// SPDX-License-Identifier: Apache-2.0
// Calls whose results already exist.
#include "engine/ops/derive/passing.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

/// Returns for each output the input that it equals, or an invalid id.
std::vector<TensorId> returnedInputs(const Terms &terms, const Node &node)
{
    std::vector<TensorId> returned(node.outputs.size());
    const Call call = terms.call(node);
    const auto description = terms.describe(call);
    if (!description || description->isOpaque())
        return returned;
    const auto known = std::min(node.outputs.size(), std::size_t(description->outputs));
    for (std::size_t k = 0; k < known; ++k)
        if (const auto input = inputReturned(*description, call, int(k)))
            returned[k] = node.inputs[std::size_t(*input)];
    return returned;
}

Rule dropPassing()
{
    return {
        .name = "drop-what-changes-nothing",
        .category = Rule::Category::Cleanup,
        .formula = "f(x) = x, known from the stages of f",
        .flops = "0..2*n -> 0",
        .patterns = {anyCall({}).andMore()},
        .when =
            [](const Match &m) {
                return std::ranges::any_of(returnedInputs(m.terms(), m.rootNode()),
                                           [](TensorId id) { return id.valid(); });
            },
        .build = [](const Match &m,
                    Builder &) { return Replacement(returnedInputs(m.terms(), m.rootNode())); }};
}

/// Merges only calls with stages: opaque calls may draw random numbers.
Rule mergeEqual()
{
    return {.name = "merge-equal-calls",
            .category = Rule::Category::Cleanup,
            .formula = "f(x), f(x) = one f(x)",
            .flops = "2*f -> f",
            .patterns = {anyCall({}).andMore()},
            .when =
                [](const Match &m) {
                    const NodeId first = m.terms().find(m.rootNode());
                    if (!first.valid() || first == m.root())
                        return false;
                    const auto description = m.terms().describe(m.terms().call(m.rootNode()));
                    return description && !description->isOpaque();
                },
            .build =
                [](const Match &m, Builder &) {
                    return Replacement(m.terms().node(m.terms().find(m.rootNode())).outputs);
                }};
}

} // namespace

std::vector<Rule> passingRules()
{
    return {dropPassing(), mergeEqual()};
}

} // namespace graphloom::dnnfusion
