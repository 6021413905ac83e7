// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/match.h"

#include <algorithm>
#include <cassert>

namespace graphloom {

namespace {

bool isNamed(const Node &node, std::string_view qualified)
{
    if (node.domain.empty())
        return node.op == qualified;
    return qualified.size() == node.domain.size() + 1 + node.op.size() &&
           qualified.starts_with(node.domain) && qualified.ends_with(node.op);
}

} // namespace

const Match::Binding &Match::binding(std::string_view name) const
{
    const auto found = std::ranges::find(m_bindings, name, &Binding::name);
    assert(found != m_bindings.end()); // rules ask for names of their own patterns
    return *found;
}

bool Match::has(std::string_view name) const
{
    return std::ranges::find(m_bindings, name, &Binding::name) != m_bindings.end();
}

TensorId Match::tensor(std::string_view name) const
{
    return binding(name).tensor;
}

NodeId Match::call(std::string_view name) const
{
    return binding(name).call;
}

const Shape &Match::shape(std::string_view name) const
{
    static const Shape unknown;
    const Tensor &tensor = value(name);
    return tensor.shape ? *tensor.shape : unknown;
}

std::optional<std::vector<std::int64_t>> Match::integers(std::string_view name) const
{
    static const Node nothing;
    return Call(nothing, {&value(name)}, 0).integers(0);
}

bool Match::lies(std::string_view name, const Range &within) const
{
    return m_assumeDomain || m_terms->range(tensor(name)).within(within);
}

bool Match::isNonZero(std::string_view name) const
{
    return m_assumeDomain || !m_terms->range(tensor(name)).contains(0);
}

bool Match::isPositive(std::string_view name) const
{
    return m_assumeDomain || m_terms->range(tensor(name)).least > 0;
}

bool Match::isFinite(std::string_view name) const
{
    return m_assumeDomain || m_terms->range(tensor(name)).isFinite();
}

/// Matches by backtracking: it processes a list of open parts and follows every alternative of a
/// choice to the end before it undoes it.
class Matcher {
public:
    Matcher(Match &match, const std::function<bool(const Match &)> &visit)
        : m_match(match), m_terms(match.terms()), m_visit(visit)
    {
    }

    bool matchRoot(const Pattern &pattern, NodeId root)
    {
        const Node &node = m_terms.node(root);
        if (!matchesCall(pattern, node) || pattern->output >= node.outputs.size())
            return true;
        return matchCall(pattern, node.outputs[pattern->output], root);
    }

private:
    struct Goal {
        const Pattern *pattern;
        TensorId value;
    };

    /// Returns false if the visitor stops the search.
    bool solve()
    {
        if (m_goals.empty())
            return m_visit(m_match);
        const Goal goal = m_goals.back();
        m_goals.pop_back();
        const bool more = solve(goal);
        m_goals.push_back(goal);
        return more;
    }

    bool solve(const Goal &goal)
    {
        const Pattern::Term &term = **goal.pattern;
        const Tensor &tensor = m_terms.tensor(goal.value);
        if (term.once && m_terms.uses(goal.value) > 1)
            return true;
        switch (term.kind) {
        case Pattern::Kind::Constant:
            return !tensor.constant || bind(term.name, goal.value, {}, [&] { return solve(); });
        case Pattern::Kind::Any:
            return bind(term.name, goal.value, {}, [&] { return solve(); });
        case Pattern::Kind::Number:
            return numberOf(tensor) != term.number || solve();
        case Pattern::Kind::Call:
            break;
        }
        for (std::size_t i = 0; i < m_terms.producerCount(goal.value); ++i) {
            const NodeId id = m_terms.producer(goal.value, i);
            const Node &node = m_terms.node(id);
            if (matchesCall(*goal.pattern, node) && term.output < node.outputs.size() &&
                node.outputs[term.output] == goal.value &&
                !matchCall(*goal.pattern, goal.value, id))
                return false;
        }
        return true;
    }

    bool matchCall(const Pattern &pattern, TensorId value, NodeId id)
    {
        const Pattern::Term &term = *pattern;
        const Node &node = m_terms.node(id);
        return bind(term.name, value, id, [&] {
            if (!matchInputs(term, node, false))
                return false;
            const bool swappable = term.inputs.size() >= 2 && node.inputs.size() >= 2 &&
                                   node.inputs[0] != node.inputs[1] &&
                                   m_terms.facts(id).commutative;
            return !swappable || matchInputs(term, node, true);
        });
    }

    bool matchInputs(const Pattern::Term &term, const Node &node, bool swapped)
    {
        const std::size_t before = m_goals.size();
        for (std::size_t i = term.inputs.size(); i-- > 0;) {
            const TensorId input = node.inputs[swapped && i < 2 ? 1 - i : i];
            if (!input.valid()) {
                m_goals.resize(before);
                return true;
            }
            m_goals.push_back({&term.inputs[i], input});
        }
        const bool more = solve();
        m_goals.resize(before);
        return more;
    }

    /// Continues with the name bound, unless it is already bound to something else.
    template <class Next> bool bind(std::string_view name, TensorId value, NodeId id, Next next)
    {
        if (name.empty())
            return next();
        for (const Match::Binding &binding : m_match.m_bindings)
            if (binding.name == name)
                return !m_terms.same(binding.tensor, value) || next();
        m_match.m_bindings.push_back({name, value, id});
        const bool more = next();
        m_match.m_bindings.pop_back();
        return more;
    }

    Match &m_match;
    const Terms &m_terms;
    const std::function<bool(const Match &)> &m_visit;
    std::vector<Goal> m_goals;
};

bool matchesCall(const Pattern &pattern, const Node &node)
{
    const Pattern::Term &term = *pattern;
    if (!term.ops.empty() &&
        std::ranges::none_of(term.ops, [&](const std::string &op) { return isNamed(node, op); }))
        return false;
    if (node.inputs.size() < term.inputs.size() ||
        (!term.open && node.inputs.size() > term.inputs.size()))
        return false;
    return std::ranges::all_of(term.attributes, [&](const Attribute &attribute) {
        const AttributeValue *value = node.attributes.find(attribute.name);
        return value && *value == attribute.value;
    });
}

void forEachMatch(const Pattern &pattern, const Terms &terms, NodeId root, bool assumeDomain,
                  const std::function<bool(const Match &)> &visit)
{
    Match match(terms, root, assumeDomain);
    Matcher(match, visit).matchRoot(pattern, root);
}

} // namespace graphloom
