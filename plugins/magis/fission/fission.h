// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/dimension_graph.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace graphloom::magis {

/// How an input or output takes part in a split; those behind the list are not cut.
inline const SplitTensor &cutOf(const std::vector<SplitTensor> &cuts, std::size_t index)
{
    static const SplitTensor whole;
    return index < cuts.size() ? cuts[index] : whole;
}

/// Into what a fission cuts: so many parts. With a size, each but the last has so many units, and
/// the last one has the rest; without, no two differ by more than one unit.
struct Cutting {
    int number = 1;
    int size = 0; // units; size * (number - 1) is less than all, and size * number is not
    auto operator<=>(const Cutting &) const = default;

    bool fits(std::int64_t units) const
    {
        return number >= 1 && number <= units &&
               (size == 0 || (std::int64_t(size) * (number - 1) < units &&
                              std::int64_t(size) * number >= units));
    }
    /// Where a part begins; for `part` = number, the end.
    std::int64_t begin(std::int64_t units, int part) const
    {
        return size > 0 ? std::min(units, std::int64_t(size) * part) : units * part / number;
    }
    std::int64_t largest(std::int64_t units) const
    {
        return size > 0 ? std::min<std::int64_t>(units, size) : (units + number - 1) / number;
    }
    std::int64_t least(std::int64_t units) const
    {
        return size > 0 ? units - std::int64_t(size) * (number - 1) : units / number;
    }
};

/// How much of each node one fission number leaves to a part.
struct Parts {
    struct Share {
        double
            share; // of the node's work; more than 1/n where windows overlap or n does not divide
        int count; // parts with this share
    };
    /// Where a part begins and ends: steps of the node's split.
    struct Interval {
        std::int64_t begin, end;
    };
    /// What nodes take alike of a tensor that is there in a larger piece.
    struct Piece {
        TensorId tensor;
        int dim;
        double share; // of the tensor, at most
        std::vector<NodeId> readers;
    };
    /// Each part's share, equal ones together, largest first: of all nodes, or, where windows
    /// overlap, by place in Fission::nodes.
    std::vector<Share> common;
    std::vector<std::vector<Share>> shares;
    /// Equal for equal lists of shares.
    std::uint64_t commonKey = 0;
    std::vector<std::uint64_t> keys; // of `shares`
    /// Where windows overlap: of tensors from outside, and of those inside of which another node
    /// takes more.
    std::vector<Piece> pieces;

    const std::vector<Share> &of(std::size_t place) const
    {
        return shares.empty() ? common : shares[place];
    }
    std::uint64_t keyOf(std::size_t place) const
    {
        return shares.empty() ? commonKey : keys[place];
    }
    double largest(std::size_t place) const { return of(place).front().share; }
};

/// A fission transformation without its number: a sub-graph S and the dimension that it is split
/// along (MAGIS 4.2).
class Fission {
public:
    /// None unless S can be split: every tensor inside is cut the same way by those that write and
    /// read it, and S is convex and weakly connected (constraints 1 to 3). `reason` says what is
    /// wrong.
    static std::optional<Fission> of(const MemoryGraph &memory,
                                     std::shared_ptr<const GraphDimension> dimension,
                                     std::vector<NodeId> nodes, std::string *reason = nullptr);

    const GraphDimension &dimension() const { return *m_dimension; }
    const std::vector<NodeId> &nodes() const { return m_nodes; } // in the graph's order
    bool contains(NodeId node) const { return m_place[node.index] >= 0; }
    bool containsStep(int step) const { return m_steps[std::size_t(step)]; }
    int place(NodeId node) const { return m_place[node.index]; }
    const Split &splitOf(const MemoryGraph &memory, NodeId node) const
    {
        return memory.workOf(node).splits()[std::size_t(m_dimension->splitOf[node.index])];
    }
    /// Tensors from outside that its nodes read, and tensors that are read outside.
    const std::vector<TensorId> &inputs() const { return m_inputs; }
    const std::vector<TensorId> &outputs() const { return m_outputs; }
    /// Are there windows in it that overlap?
    bool hasWindows() const { return m_hasWindows; }
    /// How many parts are possible.
    std::int64_t units() const { return m_units; }
    /// Are so many parts possible, each with something to do?
    bool canBeIn(const MemoryGraph &memory, int number) const
    {
        return number >= 1 && number <= m_units && (number == 1 || hasWork(memory, number));
    }
    /// Numbers worth trying: with each, parts are smaller than with the one before.
    const std::vector<int> &numbers() const { return m_numbers; }
    /// Requires that the cutting fits units(), as the next.
    Parts parts(const MemoryGraph &memory, const Cutting &cutting) const;
    /// What each part computes of each node; by place in nodes() and by part.
    std::vector<std::vector<Parts::Interval>> intervals(const MemoryGraph &memory,
                                                        const Cutting &cutting) const;
    /// How many nodes both have.
    std::size_t overlap(const Fission &other) const;
    std::uint64_t hash() const { return m_hash; }
    /// Equal for the same fission of blocks that repeat in a model.
    std::uint64_t form() const { return m_form; }

private:
    /// Does every part compute something of every node, and read something of every tensor? At the
    /// border, windows may lie in the padding.
    bool hasWork(const MemoryGraph &memory, int number) const;
    bool isConvex(const Graph &graph) const;
    bool isConnected(const Graph &graph) const;
    void measure(const MemoryGraph &memory);
    std::vector<Parts::Piece> pieces(const MemoryGraph &memory,
                                     const std::vector<std::vector<Parts::Interval>> &all) const;

    std::shared_ptr<const GraphDimension> m_dimension;
    std::vector<NodeId> m_nodes;
    std::vector<int> m_place;          // by node id; -1: outside
    std::vector<std::uint64_t> m_bits; // by node id
    std::vector<bool> m_steps;         // by step
    std::vector<TensorId> m_inputs, m_outputs;
    bool m_hasWindows = false;
    std::int64_t m_units = 1;
    std::vector<int> m_numbers;
    std::uint64_t m_hash = 0, m_form = 0;
};

} // namespace graphloom::magis
