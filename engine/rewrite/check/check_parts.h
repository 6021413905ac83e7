// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/graph_step.h"
#include "engine/rewrite/terms/instance.h"

#include <array>
#include <vector>

/// These helpers are shared by the checks of rules and of their twins.
namespace graphloom {

/// Opset versions for the checks; every operator and form is known in one of them.
inline constexpr std::array<std::int64_t, 2> versions{17, 22};

inline Opsets opsetsOf(std::int64_t version)
{
    return [version](std::string_view) { return version; };
}

inline std::vector<DataType> typesUnderTest(unsigned types)
{
    std::vector<DataType> result;
    for (const DataType type :
         {DataType::Double, DataType::Int32, DataType::Int8, DataType::Uint8, DataType::Bool})
        if (types & elementTypeOf(type))
            result.push_back(type);
    return result;
}

/// Replaces every symbol of the shape by an extent.
inline Shape concrete(const Shape &shape)
{
    Shape result;
    for (const Dim &dim : shape)
        result.push_back(dim.substitute([](const std::string &name) -> std::optional<std::int64_t> {
            return name == "m" ? 3 : 4;
        }));
    return result;
}
inline Instance concrete(Instance instance)
{
    for (Instance::Variable &variable : instance.variables)
        variable.shape = concrete(variable.shape);
    return instance;
}

/// Returns the first steps of the rule at the root of an instance.
inline std::vector<Step> stepsOf(const Rule &rule, const Pattern &pattern, const GraphTerms &terms,
                                 NodeId root, bool assumeDomain)
{
    std::vector<Step> steps;
    forEachMatch(pattern, terms, root, assumeDomain, [&](const Match &match) {
        if (auto step = stepOf(terms, rule, match))
            steps.push_back(*std::move(step));
        return steps.size() < 4;
    });
    return steps;
}

} // namespace graphloom
