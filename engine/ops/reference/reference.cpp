// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/reference/reference.h"

#include "engine/ops/describe/stage.h"
#include "engine/ops/gradient/adjoint.h"
#include "engine/ops/reference/example.h"
#include "engine/ops/upgrade/upgrade.h"

namespace graphloom {

namespace {

std::vector<std::string> numbered(const char *letter, std::size_t count, std::size_t outputs)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names.push_back(i < outputs ? letter + std::to_string(i)
                                    : "t" + std::to_string(i - outputs));
    return names;
}

/// Is there a gradient by any input, given the gradients of all floating-point outputs?
bool hasGradient(const Call &call, const Description &description)
{
    std::vector<bool> given;
    for (int output = 0; output < description.outputs; ++output)
        given.push_back(isFloatingPoint(description.values[std::size_t(output)].type));
    for (int input = 0; input < int(call.inputCount()); ++input)
        if (call.has(std::size_t(input)) && call.input(std::size_t(input)).shape &&
            adjoint(call, description, input, given))
            return true;
    return false;
}

OperatorFacts factsOf(const Operator &entry)
{
    OperatorFacts facts;
    facts.entry = &entry;
    facts.readsOlder = entry.domain.empty() && hasOlderForms(entry.name, entry.since);
    facts.hasKernel = entry.kernel || entry.valueKernel;
    const auto example = ExampleCall::of(entry);
    if (!example) {
        facts.opaque = example.error().text();
        return facts;
    }
    const auto description = describe(example->call());
    if (!description) {
        facts.opaque = description.error().text();
        return facts;
    }
    facts.mapping = mappingType(*description, example->constants());
    facts.operatorClass = classOf(*description, example->constants());
    facts.opaque = description->opaque;
    facts.hasGradient = hasGradient(example->call(), *description);
    if (description->isOpaque())
        return facts;
    facts.hasKernel = true;
    const auto inputs = example->inputs().size();
    const auto outputs = std::size_t(description->outputs);
    for (const Stage &stage : description->stages)
        facts.formulas.push_back(formulaOf(stage, numbered("x", inputs, inputs),
                                           numbered("y", description->values.size(), outputs)));
    return facts;
}

std::vector<OperatorFacts> derived()
{
    std::vector<OperatorFacts> facts;
    for (const Operator &entry : operatorTable()) {
        if (!facts.empty() && qualifiedName(*facts.back().entry) == qualifiedName(entry))
            facts.back().until = entry.since - 1;
        facts.push_back(factsOf(entry));
    }
    return facts;
}

} // namespace

std::span<const OperatorFacts> operatorFacts()
{
    static const std::vector<OperatorFacts> facts = derived();
    return facts;
}

std::string operatorSetsOf(const OperatorFacts &facts)
{
    const std::int64_t since = facts.entry->since;
    const std::int64_t until =
        facts.until > 0 || !facts.entry->domain.empty() ? facts.until : newestOpset;
    if (until < since) // no end is known, or it is beyond the newest operator set
        return "from " + std::to_string(since);
    if (facts.readsOlder)
        return "up to " + std::to_string(until);
    return std::to_string(since) + " to " + std::to_string(until);
}

std::string qualifiedName(const Operator &entry)
{
    return (entry.domain.empty() ? "" : std::string(entry.domain) + ".") + std::string(entry.name);
}

} // namespace graphloom
