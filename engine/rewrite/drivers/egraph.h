// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/builder.h"

#include <unordered_map>
#include <vector>

namespace graphloom {

struct Rule;

/// Holds terms of which several may be known to give the same value: an e-graph. Values are classes
/// of equal terms; a call is held once for all equal inputs (hash-consing). merge() makes two
/// classes one; rebuild() then finds the calls that have become equal (congruence closure). Ids of
/// classes and calls stay valid; canonical() returns the class that a merged one has become.
class EGraph final : public Terms {
public:
    /// Creates an empty e-graph; ranges of values that come from a graph are looked up in its
    /// terms.
    explicit EGraph(const GraphTerms &graph) : m_graph(graph) {}

    /// Returns the class of a tensor of a graph, a new one if the tensor is unknown so far. Tensors
    /// of several graphs with the same id are the same value.
    TensorId classOf(TensorId tensor, const Tensor &known);
    bool holds(TensorId tensor) const { return m_classes.contains(tensor); }
    TensorId constant(const Tensor &tensor);
    /// Adds a call of classes, or finds it. `outputs` describes its outputs, `given` holds the
    /// classes that they must be in, if these exist already, and `rule` is the rule that made the
    /// call.
    NodeId add(Node call, const std::vector<Tensor> &outputs, const CallFacts &facts,
               const Rule *rule, std::vector<TensorId> given = {});
    /// Makes classes of what a builder has built when tensorBound() was `bound`; returns those of
    /// the values. Empty if a constant could not be computed.
    std::vector<TensorId> insert(const Builder &built, std::uint32_t bound,
                                 const std::vector<TensorId> &values, const Rule &rule);
    /// Merges two classes. Returns false if they are known to differ in type or shape, or are one
    /// already.
    bool merge(TensorId a, TensorId b);
    void rebuild();

    TensorId canonical(TensorId value) const;
    std::size_t callCount() const { return m_nodes.size(); }
    /// Tells whether the call was merged into an equal one.
    bool isGone(NodeId call) const { return m_nodes[call.index].gone; }
    const Rule *madeBy(NodeId call) const { return m_nodes[call.index].rule; }
    /// Tells whether the value need not be computed: a constant, or a value from outside.
    bool isGiven(TensorId value) const
    {
        const Class &c = at(value);
        return c.tensor.constant || c.given;
    }
    void markGiven(TensorId value) { m_values[canonical(value).index].given = true; }

    const Tensor &tensor(TensorId value) const override { return at(value).tensor; }
    const Node &node(NodeId call) const override { return m_nodes[call.index].node; }
    std::size_t producerCount(TensorId value) const override { return at(value).producers.size(); }
    NodeId producer(TensorId value, std::size_t i) const override { return at(value).producers[i]; }
    std::size_t uses(TensorId value) const override;
    NodeId find(const Node &call) const override;
    std::uint32_t tensorBound() const override { return std::uint32_t(m_values.size()); }
    std::uint32_t nodeBound() const override { return std::uint32_t(m_nodes.size()); }
    Range range(TensorId value) const override;
    const CallFacts &facts(NodeId call) const override { return m_nodes[call.index].facts; }
    const Opsets &opsets() const override { return m_graph.opsets(); }

private:
    struct Class {
        Tensor tensor;
        TensorId origin; // a tensor of the graph
        std::vector<NodeId> producers;
        bool given = false;
        std::optional<Range> range;
    };
    struct Call {
        Node node;
        CallFacts facts;
        const Rule *rule = nullptr;
        bool gone = false;
    };

    const Class &at(TensorId value) const { return m_values[canonical(value).index]; }
    TensorId addClass(Tensor tensor, TensorId origin);
    static std::uint64_t keyOf(const Node &call);
    NodeId lookUp(const Node &call, std::uint64_t key) const;

    const GraphTerms &m_graph;
    mutable std::vector<Class> m_values;
    mutable std::vector<std::uint32_t> m_parent; // union-find, by class
    std::vector<Call> m_nodes;
    std::unordered_map<TensorId, TensorId> m_classes; // by tensor of the graph
    std::unordered_multimap<std::uint64_t, NodeId> m_known;
    std::unordered_multimap<std::uint64_t, TensorId> m_constants; // by content
};

} // namespace graphloom
