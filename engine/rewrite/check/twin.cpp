// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/check/check.h"
#include "engine/rewrite/check/check_parts.h"

#include <algorithm>

namespace graphloom {

namespace {

using Random = PatternInstance::Random;

/// Does the pattern require the same value, not a constant, in two places?
bool hasRepeatedVariable(const Pattern &pattern, const Instance &instance)
{
    std::vector<std::string> names;
    for (const Instance::Variable &variable : instance.variables)
        if (variable.constant)
            names.push_back(variable.name);
    const std::size_t given = names.size();
    bool repeated = false;
    const auto visit = [&](const auto &self, const Pattern &part) -> void {
        if (part->kind == Pattern::Kind::Any && !part->name.empty()) {
            const auto found = std::ranges::find(names, part->name);
            repeated =
                repeated || (found != names.end() && std::size_t(found - names.begin()) >= given);
            names.push_back(part->name);
        }
        for (const Pattern &input : part->inputs)
            self(self, input);
    };
    visit(visit, pattern);
    return repeated;
}

bool hasKind(const Pattern &pattern, Pattern::Kind kind)
{
    return pattern->kind == kind || std::ranges::any_of(pattern->inputs, [&](const Pattern &input) {
               return hasKind(input, kind);
           });
}

} // namespace

TwinCheck checkTwin(const Rule &rule)
{
    const Pattern &pattern = rule.patterns.front();
    const DataType type = rule.types & Reals ? DataType::Float : typesUnderTest(rule.types).front();
    const bool byDomain = !rule.where.empty();
    // Returns nothing if no such graph could be created.
    const auto attempt = [&](std::string what, const Pattern &with, const Instance &instance,
                             auto prepare) -> std::optional<TwinCheck> {
        std::optional<TwinCheck> check;
        for (const std::int64_t version : versions) {
            const Opsets opsets = opsetsOf(version);
            PatternInstance maker(with, type, opsets);
            maker.use(concrete(instance));
            prepare(maker);
            Random random(1);
            const auto twin = maker.make({3, 4}, random);
            if (!twin)
                continue;
            if (!check)
                check = TwinCheck{what, true};
            const GraphTerms terms(twin->graph, opsets);
            for (const Pattern &each : rule.patterns)
                if (!stepsOf(rule, each, terms, twin->root, !byDomain).empty())
                    check->refused = false;
        }
        return check;
    };
    const auto nothing = [](PatternInstance &) {};
    for (const Instance &twin : rule.twins)
        if (const auto check = attempt("a violated condition", pattern, twin, nothing))
            return *check;
    std::vector<Instance> instances = rule.instances;
    if (instances.empty())
        instances.emplace_back();
    for (const Instance &instance : instances) {
        std::optional<TwinCheck> check;
        if (byDomain)
            check = attempt("unknown values", pattern, instance, nothing);
        if (!check && hasRepeatedVariable(pattern, instance))
            check = attempt("different values in place of one", pattern, instance,
                            [](PatternInstance &maker) { maker.separate(); });
        if (!check &&
            (hasKind(pattern, Pattern::Kind::Constant) || hasKind(pattern, Pattern::Kind::Number)))
            check = attempt("different numbers in place of constants", pattern, instance,
                            [](PatternInstance &maker) { maker.loosen(); });
        if (!check && pattern.depth() > 1)
            check = attempt("a value in place of a call", pattern, instance,
                            [](PatternInstance &maker) { maker.cut(); });
        if (!check) {
            Pattern::Term other = *pattern;
            for (const char *op : {"Less", "Equal", "IsNaN"}) {
                other.ops = {op};
                if (other.ops != pattern->ops && !check)
                    check = attempt("a different operator", Pattern(other), instance, nothing);
            }
        }
        if (check)
            return *check;
    }
    return {"no graph could be created", false};
}

} // namespace graphloom
