// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/compare/alignment.h"
#include "engine/compare/node_labels.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace graphloom {

/// Holds pairs of nodes of two graphs, and ways to find more of them: the building blocks of
/// align().
class Matching {
public:
    using Labels = std::vector<std::uint64_t>; // by node id
    using Accept = std::function<bool(NodeId before, NodeId now)>;

    /// Represents one of the two graphs.
    struct Side {
        const Graph &graph;
        std::vector<NodeId> &other; // by node id: the counterpart in the other graph
        BorderLabels border = {};

        bool isFree(NodeId id) const { return graph.contains(id) && !other[id.index].valid(); }
    };

    /// Pairs inputs and outputs by name; the remaining ones in order, if types and ranks are the
    /// same.
    Matching(const Graph &before, const Graph &now, std::stop_token stop);
    Matching(const Matching &) = delete;
    Matching &operator=(const Matching &) = delete;

    /// Returns the pairs in the order in which they were found.
    const std::vector<std::pair<NodeId, NodeId>> &pairs() const { return m_pairs; }
    NodeId now(NodeId before) const { return m_result.nodeInNow[before.index]; }
    bool stopped() const { return m_stop.stop_requested(); }
    bool areFree(NodeId before, NodeId now) const
    {
        return m_before.isFree(before) && m_now.isFree(now);
    }
    bool sameOperator(NodeId before, NodeId now) const;
    /// Compares types and shapes of the first result.
    bool sameResults(NodeId before, NodeId now) const;

    /// Pairs two nodes, which must both be free.
    void match(NodeId before, NodeId now);
    /// Pairs free nodes with the same operator whose label is unique in both graphs. Returns the
    /// number of pairs.
    std::size_t matchUnique(const Labels &before, const Labels &now);
    /// Extends pairs to their neighbours in the same slots, as long as there is one on each side
    /// that is accepted: from all pairs, or from those that are new since the last call.
    enum class From { All, New };
    void spread(From from, const Accept &accept);
    /// Returns the labels, with those of paired nodes replaced by the number of their pair.
    Labels withAnchors(const Side &side, Labels labels) const;

    /// Returns the alignment, including the tensors of the pairs. The object must not be used
    /// afterwards.
    Alignment take();

private:
    Alignment m_result;

protected:
    Side m_before, m_now;

private:
    void matchBorder(std::span<const TensorId> before, std::span<const TensorId> now,
                     Labels BorderLabels::*labels);
    void spreadToReaders(TensorId before, TensorId now, const Accept &accept);
    void matchTensors();

    std::stop_token m_stop;
    std::vector<std::pair<TensorId, TensorId>> m_borders; // inputs, then outputs
    std::vector<std::pair<NodeId, NodeId>> m_pairs;
    std::size_t m_spread = 0; // number of pairs that have been spread from
};

} // namespace graphloom
