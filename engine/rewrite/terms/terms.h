// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/algebra/range.h"
#include "engine/rewrite/terms/cost.h"
#include "engine/rewrite/terms/described_calls.h"

#include <memory>
#include <unordered_map>

namespace graphloom {

/// Represents operator calls and their values as rewrite rules see them: those of a graph, or of an
/// e-graph, where several calls give the same value. Ids of values are those of tensors or classes.
class Terms {
public:
    virtual ~Terms() = default;

    virtual const Tensor &tensor(TensorId value) const = 0;
    /// Returns a call; its inputs are values of these terms.
    virtual const Node &node(NodeId call) const = 0;
    /// Returns the number of calls that give a value: 0 for inputs and constants.
    virtual std::size_t producerCount(TensorId value) const = 0;
    virtual NodeId producer(TensorId value, std::size_t i) const = 0;
    /// Returns how many inputs of calls, and outputs of the graph, are this value. In an e-graph,
    /// where a term is kept next to its replacement, returns 1 unless it is a constant, which may
    /// be large.
    virtual std::size_t uses(TensorId value) const = 0;
    /// Returns the call with the same operator, attributes and inputs; invalid if there is none.
    virtual NodeId find(const Node &call) const = 0;
    /// Ids from these bounds on are free.
    virtual std::uint32_t tensorBound() const = 0;
    virtual std::uint32_t nodeBound() const = 0;
    /// Returns the range that elements of a value can be in, as far as operators upstream tell.
    virtual Range range(TensorId value) const = 0;
    virtual const CallFacts &facts(NodeId call) const = 0;
    virtual const Opsets &opsets() const = 0;

    /// Returns the call with what is known of its inputs. Valid as long as the node is.
    Call call(const Node &node) const;
    /// Returns what the operator table says of a call, which need not be one of these terms. Valid
    /// as long as the terms and their copies.
    const DescribedCall &described(const Call &call) const { return (*m_described)[call]; }
    /// Returns its description; null if the table refuses the call.
    std::shared_ptr<const Description> describe(const Call &call) const
    {
        return described(call).description;
    }
    /// Tells whether two values are certainly equal: one value, or two constants of equal elements,
    /// if they are single numbers or lists of integers. Weights must be the same tensor: those of
    /// models that are shipped without weights are all alike.
    bool same(TensorId a, TensorId b) const;

protected:
    explicit Terms(std::shared_ptr<DescribedCalls> described = std::make_shared<DescribedCalls>())
        : m_described(std::move(described))
    {
    }

private:
    std::shared_ptr<DescribedCalls> m_described; // shared by copies, and by terms made of others
};

/// Represents the terms of a graph. Facts are derived on demand, and cached.
class GraphTerms final : public Terms {
public:
    GraphTerms(Graph graph, Opsets opsets) : m_graph(std::move(graph)), m_opsets(std::move(opsets))
    {
    }

    /// Takes a graph that a step made from another one: facts about values and calls of that one
    /// are looked up there. `before` must live as long.
    GraphTerms(Graph graph, const GraphTerms &before)
        : Terms(before), m_graph(std::move(graph)), m_opsets(before.m_opsets), m_before(&before)
    {
    }

    const Graph &graph() const { return m_graph; }
    /// Replaces the graph by another form of it, in which ids keep their meaning. Facts about
    /// `changed` nodes are discarded.
    void setGraph(Graph graph, std::span<const NodeId> changed);
    /// Discards all facts about values and calls, so that they are derived anew.
    void forgetFacts();

    const Tensor &tensor(TensorId value) const override { return m_graph.tensor(value); }
    const Node &node(NodeId call) const override { return m_graph.node(call); }
    std::size_t producerCount(TensorId value) const override
    {
        return m_graph.producer(value).valid() ? 1 : 0;
    }
    NodeId producer(TensorId value, std::size_t) const override { return m_graph.producer(value); }
    std::size_t uses(TensorId value) const override;
    NodeId find(const Node &call) const override;
    std::uint32_t tensorBound() const override { return m_graph.tensorBound(); }
    std::uint32_t nodeBound() const override { return m_graph.nodeBound(); }
    Range range(TensorId value) const override { return range(value, 0); }
    const CallFacts &facts(NodeId call) const override;
    const Opsets &opsets() const override { return m_opsets; }

private:
    Range range(TensorId value, int depth) const;

    Graph m_graph;
    Opsets m_opsets;
    const GraphTerms *m_before = nullptr;
    mutable std::unordered_map<NodeId, CallFacts> m_facts;
    mutable std::unordered_map<TensorId, Range> m_ranges;
};

/// Returns the cost of all calls of a graph together.
Cost costOf(const GraphTerms &terms);
/// Returns the range of a constant's elements; for a constant too large to be scanned, that of its
/// type.
Range rangeOf(const TensorData &data);
/// Returns the value of a tensor that is a single number: a constant of one element.
std::optional<double> numberOf(const Tensor &tensor);

} // namespace graphloom
