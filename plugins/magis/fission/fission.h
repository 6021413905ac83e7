// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/dimension_graph.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace graphloom::magis {

/// Counts the parts of a cutting, in the order in which they run.
using PartIndex = TypedIndex<struct CuttingPartTag>;
/// Counts the nodes of a fission, in the graph's order.
using NodePlace = TypedIndex<struct NodePlaceTag>;

/// Describes the parts that a fission cuts into. With a size, each part but the last has that many
/// units, and the last one has the rest; without, no two parts differ by more than one unit.
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
    IndexRange<PartIndex> parts() const { return firstIndices<PartIndex>(number); }
    /// Returns the unit at which a part begins; for the part after the last one, the end.
    std::int64_t begin(std::int64_t units, PartIndex part) const
    {
        return size > 0 ? std::min(units, std::int64_t(size) * part.number())
                        : units * part.number() / number;
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

/// Holds the shares of each node that the parts of one cutting get.
struct Parts {
    struct Share {
        double
            share; // of the node's work; more than 1/n where windows overlap or n does not divide
        int count; // parts with this share
    };
    /// An interval of a part, in steps of the node's split.
    struct Interval {
        std::int64_t begin, end;
    };
    using Intervals = IndexedVector<PartIndex, Interval>;
    /// A piece of a tensor that several nodes read alike, while a larger piece of the tensor is in
    /// memory.
    struct Piece {
        TensorId tensor;
        int dim;
        double share; // largest share of the tensor that a part reads
        std::vector<NodeId> readers;
    };
    /// Shares of the parts, equal ones together, largest first. Holds for all nodes, unless windows
    /// overlap.
    std::vector<Share> common;
    /// Holds the shares by node if windows overlap; empty otherwise.
    IndexedVector<NodePlace, std::vector<Share>> shares;
    /// Keys that are equal for equal lists of shares.
    std::uint64_t commonKey = 0;
    IndexedVector<NodePlace, std::uint64_t> keys; // of `shares`
    /// Pieces, if windows overlap, of tensors from outside and of tensors inside of which another
    /// node reads more.
    std::vector<Piece> pieces;

    const std::vector<Share> &of(NodePlace place) const
    {
        return shares.empty() ? common : shares[place];
    }
    std::uint64_t keyOf(NodePlace place) const { return shares.empty() ? commonKey : keys[place]; }
    double largest(NodePlace place) const { return of(place).front().share; }
};

/// Represents a fission transformation without its number: a subgraph S and the dimension that it
/// is split along (MAGIS 4.2).
class Fission {
public:
    /// Returns nothing unless S can be split: every tensor inside has to be cut the same way by the
    /// nodes that write and read it, and S has to be convex and weakly connected (constraints 1 to
    /// 3). `reason` then receives the reason.
    static std::optional<Fission> of(const MemoryGraph &memory,
                                     std::shared_ptr<const GraphDimension> dimension,
                                     std::vector<NodeId> nodes, std::string *reason = nullptr);

    const GraphDimension &dimension() const { return *m_dimension; }
    const IndexedVector<NodePlace, NodeId> &nodes() const { return m_nodes; }
    bool contains(NodeId node) const { return place(node).isValid(); }
    bool containsStep(StepIndex step) const { return m_steps[step]; }
    /// Returns the place of a node; invalid for nodes outside.
    NodePlace place(NodeId node) const { return m_place[node.index]; }
    const Split &splitOf(const MemoryGraph &memory, NodeId node) const
    {
        return memory.workOf(node).splits()[std::size_t(m_dimension->splitOf[node.index])];
    }
    /// Returns the tensors from outside that the nodes read.
    const std::vector<TensorId> &inputs() const { return m_inputs; }
    /// Returns the tensors of the nodes that are read outside.
    const std::vector<TensorId> &outputs() const { return m_outputs; }
    /// Tells whether any windows in the fission overlap.
    bool hasWindows() const { return m_hasWindows; }
    /// Returns how many parts are possible at most.
    std::int64_t units() const { return m_units; }
    /// Tells whether that many parts are possible, each with something to compute.
    bool canBeIn(const MemoryGraph &memory, int number) const
    {
        return number >= 1 && number <= m_units && (number == 1 || hasWork(memory, number));
    }
    /// Returns the numbers of parts worth trying, ascending; each gives smaller parts than the one
    /// before.
    const std::vector<int> &numbers() const { return m_numbers; }
    /// Returns the shares of the parts. The cutting must fit units(), as it must for intervals().
    Parts parts(const MemoryGraph &memory, const Cutting &cutting) const;
    /// Returns the steps of each node's split that each part computes.
    IndexedVector<NodePlace, Parts::Intervals> intervals(const MemoryGraph &memory,
                                                         const Cutting &cutting) const;
    /// Returns how many nodes both fissions have.
    std::size_t overlap(const Fission &other) const;
    std::uint64_t hash() const { return m_hash; }
    /// Returns a number that is equal for the same fission of blocks that repeat in a model.
    std::uint64_t form() const { return m_form; }

private:
    /// Tells whether every part computes something of every node and reads something of every
    /// tensor that is cut. At the border, windows may lie in the padding.
    bool hasWork(const MemoryGraph &memory, int number) const;
    bool isConvex(const Graph &graph) const;
    bool isConnected(const Graph &graph) const;
    void measure(const MemoryGraph &memory);
    std::vector<Parts::Piece> pieces(const MemoryGraph &memory,
                                     const IndexedVector<NodePlace, Parts::Intervals> &all) const;

    std::shared_ptr<const GraphDimension> m_dimension;
    IndexedVector<NodePlace, NodeId> m_nodes;
    std::vector<NodePlace> m_place;    // by node id
    std::vector<std::uint64_t> m_bits; // by node id
    IndexedVector<StepIndex, bool> m_steps;
    std::vector<TensorId> m_inputs, m_outputs;
    bool m_hasWindows = false;
    std::int64_t m_units = 1;
    std::vector<int> m_numbers;
    std::uint64_t m_hash = 0, m_form = 0;
};

} // namespace graphloom::magis
