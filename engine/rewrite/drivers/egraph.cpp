// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/egraph.h"

#include "engine/base/hash.h"
#include "engine/rewrite/terms/rule.h"

#include <algorithm>

namespace graphloom {

TensorId EGraph::canonical(TensorId value) const
{
    if (!value.valid())
        return value;
    std::uint32_t i = value.index;
    while (m_parent[i] != i)
        i = m_parent[i] = m_parent[m_parent[i]];
    return {i};
}

TensorId EGraph::addClass(Tensor tensor, TensorId origin)
{
    const TensorId id{std::uint32_t(m_values.size())};
    Class value;
    value.tensor = std::move(tensor);
    value.origin = origin;
    m_values.push_back(std::move(value));
    m_parent.push_back(id.index);
    return id;
}

TensorId EGraph::classOf(TensorId tensor, const Tensor &known)
{
    const auto found = m_classes.find(tensor);
    if (found != m_classes.end())
        return canonical(found->second);
    const TensorId id = addClass(known, tensor);
    m_classes.emplace(tensor, id);
    return id;
}

std::size_t EGraph::uses(TensorId value) const
{
    const Class &known = at(value);
    const bool shared =
        known.tensor.constant && known.origin.valid() && m_graph.graph().contains(known.origin);
    return shared ? std::max<std::size_t>(1, m_graph.uses(known.origin)) : 1;
}

TensorId EGraph::constant(const Tensor &tensor)
{
    const std::uint64_t key = tensor.constant->hash();
    for (auto [at, end] = m_constants.equal_range(key); at != end; ++at)
        if (this->tensor(at->second).constant &&
            *this->tensor(at->second).constant == *tensor.constant)
            return canonical(at->second);
    const TensorId id = addClass(tensor, {});
    m_constants.emplace(key, id);
    return id;
}

std::uint64_t EGraph::keyOf(const Node &call)
{
    std::uint64_t key = combine(hashText(call.op, hashText(call.domain)), call.attributes.hash());
    for (const TensorId input : call.inputs)
        key = combine(key, input.index);
    return combine(key, call.outputs.size());
}

NodeId EGraph::lookUp(const Node &call, std::uint64_t key) const
{
    for (auto [at, end] = m_known.equal_range(key); at != end; ++at) {
        const Node &other = m_nodes[at->second.index].node;
        if (!m_nodes[at->second.index].gone && other.op == call.op && other.domain == call.domain &&
            other.inputs == call.inputs && other.outputs.size() == call.outputs.size() &&
            other.attributes.hash() == call.attributes.hash())
            return at->second;
    }
    return {};
}

NodeId EGraph::find(const Node &call) const
{
    Node wanted = call;
    for (TensorId &input : wanted.inputs) {
        if (input.valid() && input.index >= m_values.size())
            return {}; // a value that a builder has just created
        input = canonical(input);
    }
    return lookUp(wanted, keyOf(wanted));
}

NodeId EGraph::add(Node call, const std::vector<Tensor> &outputs, const CallFacts &facts,
                   const Rule *rule, std::vector<TensorId> given)
{
    for (TensorId &input : call.inputs)
        input = canonical(input);
    call.outputs.resize(outputs.size());
    const std::uint64_t key = keyOf(call);
    if (const NodeId known = lookUp(call, key); known.valid()) {
        for (std::size_t k = 0; k < given.size(); ++k)
            if (given[k].valid())
                merge(m_nodes[known.index].node.outputs[k], given[k]);
        return known;
    }
    const NodeId id{std::uint32_t(m_nodes.size())};
    given.resize(outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (!given[k].valid())
            given[k] = addClass(outputs[k], {});
        call.outputs[k] = canonical(given[k]);
        m_values[call.outputs[k].index].producers.push_back(id);
    }
    m_nodes.push_back({std::move(call), facts, rule});
    m_known.emplace(key, id);
    return id;
}

std::vector<TensorId> EGraph::insert(const Builder &built, std::uint32_t bound,
                                     const std::vector<TensorId> &values, const Rule &rule)
{
    constexpr std::uint64_t mostBytes = std::uint64_t{1} << 22;
    std::vector<TensorId> classes(built.tensors().size());
    const auto placed = [&](TensorId value) {
        if (!value.valid() || value.index < bound)
            return canonical(value);
        TensorId &id = classes[value.index - bound];
        if (!id.valid())
            id = constant(built.tensors()[value.index - bound]);
        return canonical(id);
    };
    // Add the calls that the values need in the order in which they were built.
    std::vector<TensorId> needed = values;
    std::vector<bool> live(built.calls().size(), false);
    for (std::size_t i = live.size(); i-- > 0;) {
        const Node &node = built.calls()[i].node;
        live[i] = std::ranges::any_of(node.outputs, [&](TensorId output) {
            return std::ranges::find(needed, output) != needed.end();
        });
        if (live[i])
            needed.insert(needed.end(), node.inputs.begin(), node.inputs.end());
    }
    for (std::size_t i = 0; i < live.size(); ++i) {
        const Builder::NewCall &made = built.calls()[i];
        if (!live[i])
            continue;
        Node node = made.node;
        for (TensorId &input : node.inputs)
            input = placed(input);
        if (made.folds) {
            const auto known = this->call(node);
            const auto description = describe(known);
            const auto results =
                description ? computed(known, *description, mostBytes) : std::nullopt;
            if (!results)
                return {};
            for (std::size_t k = 0; k < results->size(); ++k)
                classes[made.node.outputs[k].index - bound] =
                    constant(Tensor::of({}, (*results)[k]));
            continue;
        }
        std::vector<Tensor> outputs;
        for (const TensorId output : made.node.outputs)
            outputs.push_back(built.tensors()[output.index - bound]);
        const NodeId id = add(std::move(node), outputs, made.facts, &rule);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            classes[made.node.outputs[k].index - bound] = m_nodes[id.index].node.outputs[k];
    }
    std::vector<TensorId> results;
    for (const TensorId value : values)
        results.push_back(placed(value));
    return results;
}

bool EGraph::merge(TensorId a, TensorId b)
{
    a = canonical(a);
    b = canonical(b);
    const Tensor &left = m_values[a.index].tensor, &right = m_values[b.index].tensor;
    if (a == b || left.type != right.type || left.shape != right.shape ||
        left.otherType != right.otherType)
        return false;
    if (b < a) // keep the older one: values of the graph come first
        std::swap(a, b);
    Class &kept = m_values[a.index], &gone = m_values[b.index];
    if (!kept.tensor.constant)
        kept.tensor.constant = gone.tensor.constant;
    if (!kept.tensor.values)
        kept.tensor.values = gone.tensor.values;
    if (!kept.origin.valid())
        kept.origin = gone.origin;
    kept.given = kept.given || gone.given;
    kept.producers.insert(kept.producers.end(), gone.producers.begin(), gone.producers.end());
    gone.producers.clear();
    m_parent[b.index] = a.index;
    return true;
}

void EGraph::rebuild()
{
    for (bool merged = true; merged;) {
        merged = false;
        m_known.clear();
        for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
            Call &call = m_nodes[i];
            if (call.gone)
                continue;
            for (auto *list : {&call.node.inputs, &call.node.outputs})
                std::ranges::transform(*list, list->begin(),
                                       [&](TensorId id) { return canonical(id); });
            const std::uint64_t key = keyOf(call.node);
            const NodeId known = lookUp(call.node, key);
            if (!known.valid()) {
                m_known.emplace(key, NodeId{i});
                continue;
            }
            call.gone = true;
            const auto &outputs = m_nodes[known.index].node.outputs;
            for (std::size_t k = 0; k < outputs.size(); ++k)
                merged = merge(outputs[k], call.node.outputs[k]) || merged;
        }
    }
    for (Class &value : m_values)
        value.producers.clear();
    for (std::uint32_t i = 0; i < m_nodes.size(); ++i)
        if (!m_nodes[i].gone)
            for (TensorId &output : m_nodes[i].node.outputs) {
                output = canonical(output);
                m_values[output.index].producers.push_back({i});
            }
}

Range EGraph::range(TensorId id) const
{
    const TensorId at = canonical(id);
    Class &value = m_values[at.index];
    if (value.range)
        return *value.range;
    if (value.tensor.constant)
        return *(value.range = rangeOf(*value.tensor.constant));
    if (value.origin.valid() && m_graph.graph().contains(value.origin))
        return *(value.range = m_graph.range(value.origin));
    value.range = rangeOf(value.tensor.type); // preliminary, because there are cycles
    if (value.producers.empty())
        return *value.range;
    const Node &node = m_nodes[value.producers.front().index].node;
    Range range = *value.range;
    if (const auto description = describe(call(node))) {
        std::vector<Range> inputs;
        for (const TensorId input : node.inputs)
            inputs.push_back(input.valid() ? this->range(input) : Range());
        const auto output = std::ranges::find_if(
            node.outputs, [&](TensorId each) { return canonical(each) == at; });
        if (output != node.outputs.end())
            range = rangeOf(*description, int(output - node.outputs.begin()), inputs);
    }
    return *(m_values[at.index].range = range);
}

} // namespace graphloom
