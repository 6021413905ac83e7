// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/pattern.h"

#include <algorithm>

namespace graphloom {

namespace {

template <class Change> Pattern changed(const Pattern &pattern, Change change)
{
    Pattern::Term term = *pattern;
    change(term);
    return Pattern(std::move(term));
}

Pattern leaf(Pattern::Kind kind, std::string name, double value = 0)
{
    Pattern::Term term;
    term.kind = kind;
    term.name = std::move(name);
    term.number = value;
    return Pattern(std::move(term));
}

} // namespace

Pattern Pattern::as(std::string name) const
{
    return changed(*this, [&](Term &term) { term.name = std::move(name); });
}

Pattern Pattern::with(std::string attribute, AttributeValue value) const
{
    return changed(*this, [&](Term &term) {
        term.attributes.push_back({std::move(attribute), std::move(value)});
    });
}

Pattern Pattern::output(std::uint32_t index) const
{
    return changed(*this, [&](Term &term) { term.output = index; });
}

Pattern Pattern::andMore() const
{
    return changed(*this, [](Term &term) { term.open = true; });
}

Pattern Pattern::once() const
{
    return changed(*this, [](Term &term) { term.once = true; });
}

int Pattern::depth() const
{
    int deepest = 0;
    for (const Pattern &input : m_term->inputs)
        deepest = std::max(deepest, input.depth());
    return m_term->kind == Kind::Call ? deepest + 1 : 0;
}

Pattern any(std::string name)
{
    return leaf(Pattern::Kind::Any, std::move(name));
}

Pattern constant(std::string name)
{
    return leaf(Pattern::Kind::Constant, std::move(name));
}

Pattern number(double value)
{
    return leaf(Pattern::Kind::Number, {}, value);
}

Pattern call(std::string op, std::vector<Pattern> inputs)
{
    return callOf({std::move(op)}, std::move(inputs));
}

Pattern callOf(std::vector<std::string> ops, std::vector<Pattern> inputs)
{
    Pattern::Term term;
    term.kind = Pattern::Kind::Call;
    term.ops = std::move(ops);
    term.inputs = std::move(inputs);
    return Pattern(std::move(term));
}

Pattern anyCall(std::vector<Pattern> inputs)
{
    return callOf({}, std::move(inputs));
}

} // namespace graphloom
