// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/check/check.h"

#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/analysis.h"
#include "engine/rewrite/check/check_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom {

namespace {

using Random = PatternInstance::Random;

/// Returns the requirement on a variable of the rule, if there is one.
const Requirement *requirementOf(const Rule &rule, const std::string &variable)
{
    const auto found = std::ranges::find(rule.where, variable, &Requirement::variable);
    return found != rule.where.end() ? &*found : nullptr;
}

double realIn(const Requirement *requirement, bool infinities, Random &random)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr double special[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, 1e-3, -1e-3};
    const auto uniform = [&](double least, double most) {
        return least + double(random() >> 11) * 0x1p-53 * (most - least);
    };
    for (;;) {
        const auto kind = random() % 8;
        double value = kind < 3 ? special[random() % std::size(special)] : uniform(-4, 4);
        if (infinities && kind == 7)
            value = random() % 2 ? infinity : -infinity;
        if (!requirement)
            return value;
        switch (requirement->kind) {
        case Requirement::Kind::NonZero:
            if (value != 0)
                return value;
            break;
        case Requirement::Kind::Positive:
            if (value > 0)
                return value;
            break;
        case Requirement::Kind::Finite:
            if (std::isfinite(value))
                return value;
            break;
        case Requirement::Kind::Within: {
            const auto [least, most] = requirement->range;
            if (value >= least && value <= most)
                return value;
            if (kind >= 3 && kind < 7)
                return uniform(std::max(least, -4.0), std::min(most, std::max(least, 0.0) + 4));
            break;
        }
        }
    }
}

TensorData dataOf(const Tensor &tensor, const Requirement *requirement, bool infinities,
                  Random &random)
{
    TensorData::Extents extents;
    std::int64_t count = 1;
    for (const Dim &dim : *tensor.shape) {
        extents.push_back(dim.value());
        count *= dim.value();
    }
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < count; ++i) {
        const bool isReal = isFloatingPoint(tensor.type);
        const double value = isReal ? realIn(requirement, infinities, random)
                             : tensor.type == DataType::Bool ? double(random() % 2)
                             : tensor.type == DataType::Int64
                                 ? double(random() % 2)
                                 : double(std::int64_t(random() % 256) - 128);
        const TensorData one = scalarData(value, tensor.type);
        bytes.insert(bytes.end(), one.bytes().begin(), one.bytes().end());
    }
    return TensorData::fromBytes(tensor.type, std::move(extents), std::move(bytes));
}

/// Describes the first difference between two results, or returns an empty text.
std::string difference(const TensorData &expected, const TensorData &actual, bool infinities)
{
    if (expected.type() != actual.type() || expected.extents() != actual.extents())
        return "the result has a different type or shape";
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        if (!isFloatingPoint(expected.type())) {
            if (expected.integer(i) != actual.integer(i))
                return std::to_string(actual.integer(i)) + " instead of " +
                       std::to_string(expected.integer(i));
            continue;
        }
        const double want = expected.real(i), have = actual.real(i);
        if (std::isnan(want) || (!infinities && std::isinf(want)))
            continue;
        const bool equal = std::isinf(want)
                               ? have == want
                               : std::fabs(want - have) <= 1e-7 * (1 + std::fabs(want));
        if (!equal)
            return std::to_string(have) + " instead of " + std::to_string(want);
    }
    return {};
}

Shape broadcastOf(const Shape &shape, Random &random)
{
    Shape result = shape;
    if (!result.empty() && random() % 4 == 0)
        result.erase(result.begin(),
                     result.begin() + std::ptrdiff_t(random() % (result.size() + 1)));
    for (Dim &dim : result)
        if (random() % 3 == 0)
            dim = 1;
    return result;
}

class Check {
public:
    Check(const Rule &rule, const CheckOptions &options)
        : m_rule(rule), m_options(options), m_random(options.seed)
    {
        m_result.rule = rule.name;
    }

    RuleCheck run()
    {
        std::vector<Instance> instances = m_rule.instances;
        if (instances.empty())
            instances.emplace_back();
        for (const Pattern &pattern : m_rule.patterns)
            for (const std::int64_t version : versions)
                for (const Instance &instance : instances)
                    for (const DataType type : typesUnderTest(m_rule.types))
                        for (int round = 0; round < m_options.rounds; ++round)
                            compareOnce(pattern, opsetsOf(version), instance, type, round);
        if (m_result.compared == 0 && m_result.failure.empty())
            m_result.failure = "no instance could be created to which the rule applies";
        return measured();
    }

    /// Only measures what the rule saves.
    RuleCheck measured()
    {
        std::vector<Instance> instances = m_rule.instances;
        if (instances.empty())
            instances.emplace_back();
        measure(instances);
        return std::move(m_result);
    }

private:
    void compareOnce(const Pattern &pattern, const Opsets &opsets, const Instance &instance,
                     DataType type, int round)
    {
        PatternInstance maker(pattern, type, opsets);
        Shape shape;
        for (std::size_t d = 0; d < (round == 0 ? 2 : m_random() % 5); ++d)
            shape.push_back(Dim(std::int64_t(1 + m_random() % 4)));
        const bool infinities = round % 3 == 2;
        for (const std::string &variable : variablesOf(pattern)) {
            if (round > 0)
                maker.setShape(variable, broadcastOf(shape, m_random));
            else
                maker.setShape(variable, shape);
        }
        maker.use(concrete(instance));
        setConstants(maker, pattern, instance, shape, type);
        const auto made = maker.make(shape, m_random);
        if (!made)
            return;
        const GraphTerms terms(made->graph, opsets);
        std::vector<TensorData> inputs;
        for (const TensorId id : made->graph.inputs()) {
            const Tensor &tensor = made->graph.tensor(id);
            inputs.push_back(
                dataOf(tensor, requirementOf(m_rule, tensor.name), infinities, m_random));
        }
        std::optional<std::vector<TensorData>> expected;
        for (const Step &step : stepsOf(m_rule, pattern, terms, made->root, true)) {
            const auto after = done(terms, step);
            if (!after)
                return fail(after.error().text());
            if (!expected) {
                auto result = interpret(made->graph, opsets, inputs);
                if (!result)
                    return; // such as an index that leaves its tensor
                expected = *std::move(result);
            }
            const auto actual = interpret(after->graph, opsets, inputs);
            if (!actual)
                return fail(actual.error().text());
            compare((*expected)[0], (*actual)[0], infinities);
        }
    }

    /// Sets random values for constants without a further condition.
    void setConstants(PatternInstance &maker, const Pattern &pattern, const Instance &instance,
                      const Shape &shape, DataType type)
    {
        if (pattern->kind == Pattern::Kind::Constant) {
            const bool given = std::ranges::any_of(
                instance.variables, [&](const auto &v) { return v.name == pattern->name; });
            if (!given) {
                Tensor tensor;
                tensor.type = type;
                tensor.shape = m_random() % 2 ? Shape{} : broadcastOf(shape, m_random);
                maker.setConstant(
                    pattern->name,
                    dataOf(tensor, requirementOf(m_rule, pattern->name), false, m_random));
            }
        }
        for (const Pattern &input : pattern->inputs)
            setConstants(maker, input, instance, shape, type);
    }

    void compare(const TensorData &expected, const TensorData &actual, bool infinities)
    {
        if (m_rule.exact)
            if (const std::string differs = difference(expected, actual, false);
                !differs.empty() && !infinities)
                return fail(differs);
        if (infinities && !difference(expected, actual, true).empty())
            m_result.holdsForInfinity = false;
        ++m_result.compared;
    }

    void fail(const std::string &reason)
    {
        if (m_result.failure.empty())
            m_result.failure = reason;
    }

    /// Measures an instance that becomes cheaper, over symbolic extents if possible.
    void measure(const std::vector<Instance> &instances)
    {
        const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
        for (const bool needsLess : {true, false})
            for (const Pattern &pattern : m_rule.patterns) {
                const auto variables = variablesOf(pattern);
                for (const std::int64_t version : versions)
                    for (const Instance &instance : instances)
                        for (std::size_t small = 0; small < std::size_t{1} << variables.size();
                             ++small)
                            for (const Shape &less : {Shape{m, 1}, Shape{}}) {
                                PatternInstance maker(pattern, typicalType(), opsetsOf(version));
                                for (std::size_t v = 0; v < variables.size(); ++v)
                                    if (small >> v & 1)
                                        maker.setShape(variables[v], less);
                                maker.use(instance);
                                if (measureOne(pattern, maker, {m, n}, opsetsOf(version),
                                               needsLess))
                                    return;
                            }
            }
    }

    DataType typicalType() const
    {
        return m_rule.types & Reals ? DataType::Float : typesUnderTest(m_rule.types).front();
    }

    bool measureOne(const Pattern &pattern, PatternInstance &maker, const Shape &shape,
                    const Opsets &opsets, bool needsLess)
    {
        const auto made = maker.make(shape, m_random);
        if (!made)
            return false;
        const GraphTerms terms(made->graph, opsets);
        const auto steps = stepsOf(m_rule, pattern, terms, made->root, true);
        const auto best = std::ranges::min_element(
            steps, [](const Step &a, const Step &b) { return a.change < b.change; });
        if (best == steps.end() || (needsLess && !(best->change < Cost{})))
            return false;
        const auto after = done(terms, *best);
        if (!after)
            return false;
        m_result.reduces = best->change < Cost{};
        m_result.flops = flopsOf(made->graph, opsets) + " -> " + flopsOf(after->graph, opsets);
        return true;
    }

    static std::string flopsOf(const Graph &graph, const Opsets &opsets)
    {
        Dim sum = 0;
        for (const NodeId id : graph.order())
            if (const auto description = describe(graph, id, opsets))
                sum += graphloom::flopsOf(*description);
        return sum.text();
    }

    const Rule &m_rule;
    CheckOptions m_options;
    Random m_random;
    RuleCheck m_result;
};

} // namespace

RuleCheck checkRule(const Rule &rule, const CheckOptions &options)
{
    return Check(rule, options).run();
}

std::vector<RuleFacts> factsOf(std::span<const Rule> rules)
{
    std::vector<RuleFacts> facts;
    for (const Rule &rule : rules) {
        RuleFacts fact;
        fact.name = rule.name;
        fact.category = nameOf(rule.category);
        fact.formula = rule.formula;
        fact.domain = domainOf(rule);
        fact.flops = rule.flops.empty() ? Check(rule, {}).measured().flops : rule.flops;
        fact.exact = rule.exact;
        fact.initial = rule.exact;
        facts.push_back(std::move(fact));
    }
    return facts;
}

} // namespace graphloom
