// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/placement.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

namespace graphloom::layout {

namespace {

/// Marks the segments that give way to others.
using Conflicts = IndexedVector<SegmentIndex, bool>;

/// Ranks the segments at a vertex: first those to its own kind (node or piece of a chain), and
/// among them those that continue the longest path of that kind.
class Importance {
public:
    explicit Importance(const Layers &layers)
        : m_above(layers.segments().size(), 0), m_below(m_above),
          m_mostAbove(layers.vertices().size(), 0), m_mostBelow(m_mostAbove)
    {
        for (const RankIndex r : layers.ranks())
            for (const VertexIndex v : layers.layer(r))
                for (const SegmentIndex s : layers.below(v)) {
                    const VertexIndex w = layers.segments()[s].lower;
                    if (alike(layers, s))
                        m_above[s] = 1 + m_mostAbove[v];
                    m_mostAbove[w] = std::max(m_mostAbove[w], m_above[s]);
                }
        for (const RankIndex r : layers.ranks().reversed())
            for (const VertexIndex v : layers.layer(r))
                for (const SegmentIndex s : layers.above(v)) {
                    const VertexIndex w = layers.segments()[s].upper;
                    if (alike(layers, s))
                        m_below[s] = 1 + m_mostBelow[v];
                    m_mostBelow[w] = std::max(m_mostBelow[w], m_below[s]);
                }
    }

    /// Tells whether neither end of the segment has a more important one on the same side.
    bool isMutual(SegmentIndex segment, VertexIndex upper, VertexIndex lower) const
    {
        return m_above[segment] == m_mostAbove[lower] && m_below[segment] == m_mostBelow[upper];
    }

private:
    static bool alike(const Layers &layers, SegmentIndex segment)
    {
        const auto [upper, lower, a, b] = layers.segments()[segment];
        return layers.vertices()[upper].chain == layers.vertices()[lower].chain;
    }
    IndexedVector<SegmentIndex, std::uint32_t> m_above, m_below;
    IndexedVector<VertexIndex, std::uint32_t> m_mostAbove, m_mostBelow;
};

/// Implements one of the four runs: from above or below, from the left or mirrored.
class Run {
public:
    Run(const Layers &layers, const Gaps &gaps, const Importance &importance,
        const Conflicts &conflicts, bool down, bool mirrored)
        : m_layers(layers), m_gaps(gaps), m_importance(importance), m_conflicts(conflicts),
          m_down(down), m_mirrored(mirrored), m_root(layers.vertices().size()),
          m_shift(layers.vertices().size(), 0)
    {
        for (const VertexIndex v : m_root.indices())
            m_root[v] = v;
    }

    IndexedVector<VertexIndex, double> place()
    {
        align();
        IndexedVector<VertexIndex, double> x = compact();
        if (m_mirrored)
            for (double &value : x)
                value = -value;
        return x;
    }

private:
    struct Neighbour {
        VertexIndex vertex;
        SegmentIndex segment;
    };

    std::vector<VertexIndex> layer(RankIndex rank) const
    {
        auto result = m_layers.layer(rank);
        if (m_mirrored)
            std::reverse(result.begin(), result.end());
        return result;
    }
    std::int64_t position(VertexIndex v) const
    {
        const std::int64_t p = m_layers.position(v);
        return m_mirrored ? -p : p;
    }
    double leftOf(VertexIndex v) const
    {
        const auto &vertex = m_layers.vertices()[v];
        return m_mirrored ? vertex.right : vertex.left;
    }
    double rightOf(VertexIndex v) const
    {
        const auto &vertex = m_layers.vertices()[v];
        return m_mirrored ? vertex.left : vertex.right;
    }
    double gap(VertexIndex a, VertexIndex b) const
    {
        const auto &vertices = m_layers.vertices();
        return vertices[a].chain || vertices[b].chain ? m_gaps.edge : m_gaps.node;
    }

    /// Collects the neighbours on the side placed before, from left to right, whose segments are
    /// the most important ones at both ends.
    void neighbours(VertexIndex v, std::vector<Neighbour> &result) const
    {
        result.clear();
        for (const SegmentIndex s : m_down ? m_layers.above(v) : m_layers.below(v)) {
            const auto &segment = m_layers.segments()[s];
            if (m_importance.isMutual(s, segment.upper, segment.lower))
                result.push_back({m_down ? segment.upper : segment.lower, s});
        }
        if (result.size() < 2)
            return;
        std::sort(result.begin(), result.end(), [&](const Neighbour &a, const Neighbour &b) {
            return position(a.vertex) < position(b.vertex);
        });
    }

    void align()
    {
        const auto ranks = m_down ? m_layers.ranks() : m_layers.ranks().reversed();
        std::vector<Neighbour> found;
        for (const RankIndex rank : ranks) {
            if (rank == *ranks.begin())
                continue;
            std::int64_t reached = std::numeric_limits<std::int64_t>::min();
            for (const VertexIndex v : layer(rank)) {
                neighbours(v, found);
                if (found.empty())
                    continue;
                for (const std::size_t m : {(found.size() - 1) / 2, found.size() / 2}) {
                    const auto [w, s] = found[m];
                    if (m_root[v] != v || m_conflicts[s] || position(w) <= reached)
                        continue;
                    const auto &segment = m_layers.segments()[s];
                    double offset = m_down ? segment.upperPort - segment.lowerPort
                                           : segment.lowerPort - segment.upperPort;
                    if (m_mirrored)
                        offset = -offset;
                    m_root[v] = m_root[w];
                    m_shift[v] = m_shift[w] + offset;
                    reached = position(w);
                }
            }
        }
    }

    struct Separation {
        VertexIndex left, right; // roots
        double distance;
    };

    IndexedVector<VertexIndex, double> compact() const
    {
        const std::size_t count = m_root.size();
        std::vector<Separation> separations;
        for (const RankIndex r : m_layers.ranks()) {
            const auto order = layer(r);
            for (std::size_t i = 1; i < order.size(); ++i) {
                const VertexIndex a = order[i - 1], b = order[i];
                separations.push_back(
                    {m_root[a], m_root[b],
                     m_shift[a] + rightOf(a) + gap(a, b) + leftOf(b) - m_shift[b]});
            }
        }
        const IndexedAdjacency<VertexIndex, std::uint32_t> after(count, separations,
                                                                 &Separation::left);
        IndexedVector<VertexIndex, std::uint32_t> missing(count, 0);
        std::vector<VertexIndex> order;
        for (const Separation &separation : separations)
            ++missing[separation.right];
        for (const VertexIndex v : missing.indices())
            if (missing[v] == 0)
                order.push_back(v);
        IndexedVector<VertexIndex, double> x(count, 0);
        for (std::size_t i = 0; i < order.size(); ++i)
            for (const std::uint32_t s : after.of(order[i])) {
                const Separation &separation = separations[s];
                x[separation.right] =
                    std::max(x[separation.right], x[order[i]] + separation.distance);
                if (--missing[separation.right] == 0)
                    order.push_back(separation.right);
            }
        assert(order.size() == count && "alignments must not cross");
        // Everything is as far left as possible; vertices with room to their right close up.
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            double room = std::numeric_limits<double>::infinity();
            for (const std::uint32_t s : after.of(*it))
                room = std::min(room, x[separations[s].right] - separations[s].distance);
            if (room < std::numeric_limits<double>::infinity())
                x[*it] = std::max(x[*it], room);
        }
        IndexedVector<VertexIndex, double> result(count);
        for (const VertexIndex v : result.indices())
            result[v] = x[m_root[v]] + m_shift[v];
        return result;
    }

    const Layers &m_layers;
    const Gaps &m_gaps;
    const Importance &m_importance;
    const Conflicts &m_conflicts;
    const bool m_down, m_mirrored;
    IndexedVector<VertexIndex, VertexIndex> m_root;
    IndexedVector<VertexIndex, double> m_shift; // from the root's axis to the vertex's
};

/// Marks segments that cross a piece of a chain (the paper's type 1 conflicts); they give way.
Conflicts conflictsOf(const Layers &layers)
{
    Conflicts conflicts(layers.segments().size(), false);
    const auto &vertices = layers.vertices();
    for (const RankIndex r : layers.ranks()) {
        if (r + 1 == *layers.ranks().end())
            break;
        const auto &lower = layers.layer(r + 1);
        std::size_t checked = 0;
        std::int64_t leftEnd = -1; // upper end of the last piece of a chain
        for (std::size_t i = 0; i < lower.size(); ++i) {
            std::int64_t rightEnd = std::int64_t(layers.layer(r).size());
            bool piece = false;
            for (const SegmentIndex s : layers.above(lower[i])) {
                const VertexIndex upper = layers.segments()[s].upper;
                if (vertices[lower[i]].chain && vertices[upper].chain) {
                    rightEnd = layers.position(upper);
                    piece = true;
                }
            }
            if (!piece && i + 1 < lower.size())
                continue;
            for (; checked <= i; ++checked)
                for (const SegmentIndex s : layers.above(lower[checked])) {
                    const VertexIndex upper = layers.segments()[s].upper;
                    const std::int64_t p = layers.position(upper);
                    const bool own = vertices[lower[checked]].chain && vertices[upper].chain;
                    if (!own && (p < leftEnd || p > rightEnd))
                        conflicts[s] = true;
                }
            leftEnd = rightEnd;
        }
    }
    return conflicts;
}

} // namespace

IndexedVector<VertexIndex, double> placeHorizontally(const Layers &layers, const Gaps &gaps)
{
    const std::size_t count = layers.vertices().size();
    if (count == 0)
        return {};
    const auto conflicts = conflictsOf(layers);
    const Importance importance(layers);
    struct Candidate {
        IndexedVector<VertexIndex, double> x;
        double least = 0, most = 0;
        bool mirrored = false;
    };
    std::array<Candidate, 4> candidates;
    for (std::size_t i = 0; i < 4; ++i) {
        Candidate &candidate = candidates[i];
        candidate.mirrored = i % 2 == 1;
        candidate.x = Run(layers, gaps, importance, conflicts, i < 2, candidate.mirrored).place();
        candidate.least = std::numeric_limits<double>::infinity();
        candidate.most = -candidate.least;
        for (const VertexIndex v : candidate.x.indices()) {
            const auto &vertex = layers.vertices()[v];
            candidate.least = std::min(candidate.least, candidate.x[v] - vertex.left);
            candidate.most = std::max(candidate.most, candidate.x[v] + vertex.right);
        }
    }
    // Align all four to the narrowest one; the mean of the middle two keeps every gap.
    const Candidate &narrowest =
        *std::min_element(candidates.begin(), candidates.end(), [](const auto &a, const auto &b) {
            return a.most - a.least < b.most - b.least;
        });
    const double least = narrowest.least, most = narrowest.most;
    for (Candidate &candidate : candidates) {
        const double move = candidate.mirrored ? most - candidate.most : least - candidate.least;
        for (double &x : candidate.x)
            x += move;
    }
    IndexedVector<VertexIndex, double> result(count);
    for (const VertexIndex v : result.indices()) {
        std::array<double, 4> x;
        for (std::size_t i = 0; i < 4; ++i)
            x[i] = candidates[i].x[v];
        std::sort(x.begin(), x.end());
        result[v] = (x[1] + x[2]) / 2;
    }
    return result;
}

} // namespace graphloom::layout
