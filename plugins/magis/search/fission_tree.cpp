// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/fission_tree.h"

#include <algorithm>
#include <random>

namespace graphloom::magis {

namespace {

/// Removes duplicates without sorting: the order of indices depends on threads.
std::vector<FissionIndex> eachOnce(const std::vector<FissionIndex> &fissions)
{
    std::vector<FissionIndex> once;
    for (const FissionIndex fission : fissions)
        if (std::ranges::find(once, fission) == once.end())
            once.push_back(fission);
    return once;
}

} // namespace

std::vector<BufferIndex> hotSpots(const Trace &trace, std::int64_t peak)
{
    IndexedVector<RunIndex, bool> hot(trace.runs.size());
    for (const RunIndex r : hot.indices())
        hot[r] = trace.runs[r].bytes >= peak;
    std::vector<BufferIndex> buffers;
    for (const Trace::Life &life : trace.lives)
        if (life.bytes > 0 && std::ranges::any_of(IndexRange(life.first, life.last + 1),
                                                  [&](RunIndex run) { return hot[run]; }))
            buffers.push_back(life.buffer);
    std::ranges::sort(buffers);
    buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
    return buffers;
}

/// Implements Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm. Places are in
/// topological order, so that one pass suffices.
Dominators dominators(const Graph &graph, const GraphDimension &dimension)
{
    std::vector<DimensionPlace> placeOf(graph.nodeBound()); // by node id
    Dominators immediate(dimension.nodes.size());
    IndexedVector<DimensionPlace, int> depth(dimension.nodes.size(), 1);
    for (const DimensionPlace p : dimension.nodes.indices()) {
        const NodeId id = dimension.nodes[p];
        placeOf[id.index] = p;
        bool first = true;
        DimensionPlace common;
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = graph.producer(tensor);
            if (!producer.valid() || !placeOf[producer.index].isValid())
                return;
            DimensionPlace other = placeOf[producer.index];
            if (first) {
                common = other;
                first = false;
                return;
            }
            while (common != other && common.isValid() && other.isValid()) {
                if (depth[common] >= depth[other])
                    common = immediate[common];
                else
                    other = immediate[other];
            }
            if (common != other)
                common = {};
        });
        immediate[p] = common;
        depth[p] = common.isValid() ? depth[common] + 1 : 1;
    }
    return immediate;
}

namespace {

/// Holds the subtree of each place as a range of the tree's pre-order.
class TreeRanges {
public:
    explicit TreeRanges(const Dominators &parents)
        : m_order(parents.size()), m_first(parents.size()), m_count(parents.size(), 1)
    {
        for (const DimensionPlace p : parents.indices().reversed())
            if (parents[p].isValid())
                m_count[parents[p]] += m_count[p];
        IndexedVector<DimensionPlace, Rank> next(parents.size());
        Rank roots(0);
        for (const DimensionPlace p : parents.indices()) {
            Rank &from = parents[p].isValid() ? next[parents[p]] : roots;
            m_first[p] = from;
            from += m_count[p];
            next[p] = m_first[p] + 1;
            m_order[m_first[p]] = p;
        }
    }
    /// Tells whether a place is the other one or dominates it.
    bool contains(DimensionPlace place, DimensionPlace other) const
    {
        const int at = m_first[other] - m_first[place];
        return at >= 0 && at < m_count[place];
    }
    /// Returns the places that a place dominates, except itself.
    std::span<const DimensionPlace> below(DimensionPlace place) const
    {
        const auto first = m_order.begin() + m_first[place].number();
        return {first + 1, first + m_count[place]};
    }

private:
    /// Counts the places in the pre-order.
    using Rank = TypedIndex<struct PreOrderTag>;

    IndexedVector<Rank, DimensionPlace> m_order;
    IndexedVector<DimensionPlace, Rank> m_first;
    IndexedVector<DimensionPlace, int> m_count;
};

/// Flags the buffers that are hot-spots.
IndexedVector<BufferIndex, bool> flagsOf(const MemoryGraph &memory,
                                         std::span<const BufferIndex> hotSpots)
{
    IndexedVector<BufferIndex, bool> hot(memory.buffers().size(), false);
    for (const BufferIndex b : hotSpots)
        hot[b] = true;
    return hot;
}

/// Returns the bytes of hot-spots that a node writes.
double ownHeat(const MemoryGraph &memory, NodeId id, const IndexedVector<BufferIndex, bool> &hot)
{
    double bytes = 0;
    for (const TensorId output : memory.graph().node(id).outputs)
        if (output.valid()) {
            const BufferIndex b = memory.bufferOf(output);
            if (memory.buffers()[b].tensor == output && hot[b])
                bytes += double(memory.buffers()[b].bytes);
        }
    return bytes;
}

} // namespace

IndexedVector<DimensionPlace, NodeScore> scoresOf(const MemoryGraph &memory,
                                                  const GraphDimension &dimension,
                                                  const Dominators &dominatorsOf,
                                                  std::span<const BufferIndex> hotSpots)
{
    const Graph &graph = memory.graph();
    const TreeRanges ranges(dominatorsOf);
    const auto places = dimension.nodes.indices();
    const auto count = dimension.nodes.size();
    const auto hot = flagsOf(memory, hotSpots);
    std::vector<DimensionPlace> placeOf(graph.nodeBound()); // by node id
    for (const DimensionPlace p : places)
        placeOf[dimension.nodes[p].index] = p;

    // Bytes of hot-spots that a node writes count for all its dominators.
    IndexedVector<DimensionPlace, double> heat(count, 0), inputs(count, 0);
    /// Describes a read of a buffer; `producer` computes the tensor that is read.
    struct Read {
        BufferIndex buffer;
        DimensionPlace reader, producer;
    };
    std::vector<Read> reads;
    for (const DimensionPlace p : places) {
        const Node &node = graph.node(dimension.nodes[p]);
        heat[p] = ownHeat(memory, dimension.nodes[p], hot);
        forEachRead(node, [&](TensorId tensor, std::uint32_t) {
            const BufferIndex b = memory.bufferOf(tensor);
            if (!b.isValid() || memory.buffers()[b].resident || hot[b])
                return;
            const NodeId producer = graph.producer(tensor);
            reads.push_back({b, p, producer.valid() ? placeOf[producer.index] : DimensionPlace()});
        });
    }
    for (const DimensionPlace p : places.reversed())
        if (const DimensionPlace parent = dominatorsOf[p]; parent.isValid())
            heat[parent] += heat[p];
    // A read is an input of the dominators of its reader, below those that also dominate its
    // producer; each buffer counts once.
    std::ranges::stable_sort(reads, {}, &Read::buffer);
    IndexedVector<DimensionPlace, BufferIndex> counted(count); // the last buffer counted
    for (const Read &read : reads)
        for (DimensionPlace p = dominatorsOf[read.reader]; p.isValid(); p = dominatorsOf[p]) {
            if (read.producer.isValid() && read.producer != p && ranges.contains(p, read.producer))
                break;
            if (counted[p] == read.buffer)
                continue;
            counted[p] = read.buffer;
            inputs[p] += double(memory.buffers()[read.buffer].bytes);
        }
    IndexedVector<DimensionPlace, NodeScore> scores;
    for (const DimensionPlace p : places) {
        NodeScore score;
        score.heat = heat[p] - ownHeat(memory, dimension.nodes[p], hot);
        score.score = 0.5 * score.heat - inputs[p];
        scores.push_back(score);
    }
    return scores;
}

RegionScores::RegionScores(const MemoryGraph &memory, std::span<const BufferIndex> hotSpots)
    : m_memory(memory), m_hot(flagsOf(memory, hotSpots)), m_mark(memory.graph().nodeBound(), 0),
      m_counted(memory.buffers().size(), 0)
{
}

NodeScore RegionScores::of(std::span<const NodeId> nodes)
{
    const Graph &graph = m_memory.graph();
    ++m_round;
    for (const NodeId id : nodes)
        m_mark[id.index] = m_round;
    NodeScore score;
    double inputs = 0;
    for (const NodeId id : nodes) {
        for (const TensorId output : graph.node(id).outputs)
            if (output.valid()) {
                const BufferIndex b = m_memory.bufferOf(output);
                if (m_memory.buffers()[b].tensor == output && m_hot[b])
                    score.heat += double(m_memory.buffers()[b].bytes);
            }
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = graph.producer(tensor);
            const BufferIndex b = m_memory.bufferOf(tensor);
            if (!b.isValid() || m_memory.buffers()[b].resident || m_hot[b] ||
                m_counted[b] == m_round || (producer.valid() && m_mark[producer.index] == m_round))
                return;
            m_counted[b] = m_round;
            inputs += double(m_memory.buffers()[b].bytes);
        });
    }
    score.score = 0.5 * score.heat - inputs;
    return score;
}

namespace {

void addLevels(const SearchSpace &space, const std::shared_ptr<const GraphDimension> &dimension,
               std::span<const BufferIndex> hotSpots, int levels, std::vector<FissionIndex> &found)
{
    const MemoryGraph &memory = space.memory();
    const auto add = [&](std::vector<NodeId> nodes) {
        if (nodes.size() < 2)
            return;
        if (auto fission = Fission::of(memory, dimension, std::move(nodes)))
            found.push_back(space.fissions().add(std::move(*fission)));
    };
    add(dimension->nodes.elements());
    const Dominators parents = dominators(memory.graph(), *dimension);
    const auto scores = scoresOf(memory, *dimension, parents, hotSpots);
    const double best = std::ranges::max(scores, {}, &NodeScore::score).score;
    if (best <= 0)
        return;
    const TreeRanges ranges(parents);
    for (int level = 1; level <= levels; ++level) {
        IndexedVector<DimensionPlace, bool> selected(scores.size(), false);
        for (const DimensionPlace p : scores.indices()) {
            const double share = scores[p].score / best * levels;
            selected[p] = share >= level && (share < level + 1 || level == levels);
        }
        for (const DimensionPlace p : scores.indices()) {
            if (!selected[p])
                continue;
            const auto below = ranges.below(p);
            if (std::ranges::any_of(below, [&](DimensionPlace q) { return selected[q]; }))
                continue;
            std::vector<NodeId> nodes;
            for (const DimensionPlace q : below)
                nodes.push_back(dimension->nodes[q]);
            add(std::move(nodes));
        }
    }
}

} // namespace

std::vector<FissionIndex> buildFissionTree(const SearchSpace &space,
                                           std::span<const BufferIndex> hotSpots, int levels,
                                           const std::stop_token &stop)
{
    const MemoryGraph &memory = space.memory();
    std::vector<TensorId> tensors;
    for (const BufferIndex b : hotSpots) {
        const Buffer &buffer = memory.buffers()[b];
        if (!buffer.resident)
            tensors.insert(tensors.end(), buffer.views.begin(), buffer.views.end());
    }
    std::ranges::stable_sort(tensors, std::ranges::greater{}, [&](TensorId tensor) {
        return memory.buffers()[memory.bufferOf(tensor)].bytes;
    });
    std::vector<FissionIndex> found;
    for (const bool halos : {false, true}) {
        std::vector<std::shared_ptr<const GraphDimension>> known;
        for (const TensorId tensor : tensors)
            for (int d = 0; d < int(memory.graph().tensor(tensor).shape->size()); ++d) {
                if (std::ranges::any_of(known, [&](const auto &dimension) {
                        return dimension->dimOf[tensor.index] == d;
                    }))
                    continue;
                if (stop.stop_requested())
                    return eachOnce(found);
                auto dimension = space.dimension(tensor, d, halos);
                if (dimension->nodes.size() < 2)
                    continue;
                addLevels(space, dimension, hotSpots, levels, found);
                known.push_back(std::move(dimension));
            }
    }
    return eachOnce(found);
}

namespace {

/// Returns positions before or after the peak where a fission might well begin or end.
std::vector<Position> borders(const Trace &trace, Position peak, int direction)
{
    const auto bytesAt = [&](Position p) { return trace.runs[trace.runAt[p]].bytes; };
    std::vector<Position> positions{peak};
    std::int64_t least = bytesAt(peak);
    int reach = 1;
    for (Position p = peak + direction; trace.runAt.contains(p); p += direction) {
        const int distance = std::abs(p - peak);
        const bool doubled = distance >= 2 * reach;
        const bool last = !trace.runAt.contains(p + direction);
        if (bytesAt(p) < least || doubled || distance < 6 || last) {
            positions.push_back(p);
            least = std::min(least, bytesAt(p));
            if (doubled)
                reach *= 2;
        }
    }
    return positions;
}

/// Returns where a state comes near its peak: the first position of each such range.
std::vector<Position> peaks(const State &state, const Trace &trace)
{
    constexpr double nearly = 0.98;
    constexpr std::size_t most = 32;
    std::vector<Position> positions;
    bool above = false;
    for (const Trace::Run &run : trace.runs) {
        const bool high = double(run.bytes) >= nearly * double(state.outcome.peak);
        if (high && !above && positions.size() < most)
            positions.push_back(run.position);
        above = high;
    }
    return positions;
}

/// Adds the fission of the steps from begin to end that have the dimension, if it is possible.
bool addRange(const SearchSpace &space, const Arrangement &plan,
              const std::shared_ptr<const GraphDimension> &dimension, Position begin, Position end,
              std::vector<FissionIndex> &found)
{
    const MemoryGraph &memory = space.memory();
    const Graph &graph = memory.graph();
    std::vector<NodeId> nodes;
    std::vector<bool> in(graph.nodeBound(), false);
    for (const NodeId id : dimension->nodes) {
        const StepIndex step = memory.stepOf(id);
        if (step.isValid() && plan.position(step) >= begin && plan.position(step) <= end) {
            nodes.push_back(id);
            in[id.index] = true;
        }
    }
    if (nodes.size() < 2)
        return false;
    // Add the views between these nodes.
    for (const NodeId id : dimension->nodes) {
        if (memory.stepOf(id).isValid())
            continue;
        const TensorId output = graph.node(id).outputs[0];
        const auto viewed = std::ranges::find_if(graph.node(id).inputs, [&](TensorId input) {
            return input.valid() && memory.bufferOf(input) == memory.bufferOf(output);
        });
        const NodeId producer = graph.producer(*viewed);
        const auto uses = graph.uses(output);
        if (producer.valid() && in[producer.index] && !uses.empty() &&
            std::ranges::all_of(uses, [&](const Use &use) {
                return in[use.node.index] || !memory.stepOf(use.node).isValid();
            })) {
            nodes.push_back(id);
            in[id.index] = true;
        }
    }
    auto fission = Fission::of(memory, dimension, std::move(nodes));
    if (!fission)
        return false;
    found.push_back(space.fissions().add(std::move(*fission)));
    return true;
}

std::vector<std::shared_ptr<const GraphDimension>> dimensionsOf(const SearchSpace &space,
                                                                const Step &step)
{
    const MemoryGraph &memory = space.memory();
    std::vector<std::shared_ptr<const GraphDimension>> found;
    for (const auto *list : {&step.writes, &step.reads})
        for (const BufferIndex b : *list) {
            const Buffer &buffer = memory.buffers()[b];
            if (buffer.resident)
                continue;
            for (int d = 0; d < int(memory.graph().tensor(buffer.tensor).shape->size()); ++d)
                for (const bool halos : {false, true}) {
                    auto dimension = space.dimension(buffer.tensor, d, halos);
                    if (dimension->nodes.size() > 1 &&
                        std::ranges::find(found, dimension) == found.end())
                        found.push_back(std::move(dimension));
                }
        }
    return found;
}

} // namespace

std::vector<FissionIndex> fissionsAround(const SearchSpace &space, const State &state,
                                         const Trace &trace, std::size_t count, std::uint64_t seed)
{
    const MemoryGraph &memory = space.memory();
    const Arrangement &plan = *state.arrangement;
    std::mt19937_64 random(seed);
    std::vector<FissionIndex> found;
    const std::vector<Position> all = peaks(state, trace);
    const auto stepAt = [&](Position position) -> const Step & {
        return memory.steps()[plan.order()[position]];
    };
    const Position peak = all[random() % all.size()];
    const auto dimensions = dimensionsOf(space, stepAt(peak));
    if (dimensions.empty())
        return found;
    const auto begins = borders(trace, peak, -1), ends = borders(trace, peak, 1);
    for (std::size_t tries = 0; tries < count; ++tries) {
        const std::size_t which = random() % dimensions.size();
        const Position begin = begins[random() % begins.size()], end = ends[random() % ends.size()];
        if (!addRange(space, plan, dimensions[which], begin, end, found))
            continue;
        // Try the same range around other peaks of the same kind.
        for (const Position other : all) {
            const Position from = other + (begin - peak), to = other + (end - peak);
            if (other == peak || stepAt(other).kind != stepAt(peak).kind || !from.isValid() ||
                to > plan.order().lastIndex())
                continue;
            const auto there = dimensionsOf(space, stepAt(other));
            if (which < there.size())
                addRange(space, plan, there[which], from, to, found);
        }
    }
    return eachOnce(found);
}

std::vector<FissionIndex> fissionsAnywhere(const SearchSpace &space, std::size_t count,
                                           std::uint64_t seed)
{
    const MemoryGraph &memory = space.memory();
    const auto buffers = memory.buffers();
    std::mt19937_64 random(seed);
    std::vector<FissionIndex> found;
    // Many tensors have dimensions that cannot be cut.
    for (std::size_t tries = 0; tries < 32 * count && found.size() < count; ++tries) {
        const Buffer &buffer = buffers[BufferIndex(random() % buffers.size())];
        const auto &shape = memory.graph().tensor(buffer.tensor).shape;
        if (buffer.resident || !shape || shape->empty())
            continue;
        const auto dimension =
            space.dimension(buffer.tensor, int(random() % shape->size()), random() % 2 == 0);
        const std::vector<NodeId> &nodes = dimension->nodes.elements();
        if (nodes.size() < 2)
            continue;
        const std::size_t size = 2 + random() % (nodes.size() - 1);
        const std::size_t first = random() % (nodes.size() - size + 1);
        const auto begin = nodes.begin() + std::ptrdiff_t(first);
        if (auto fission = Fission::of(memory, dimension, {begin, begin + std::ptrdiff_t(size)}))
            found.push_back(space.fissions().add(std::move(*fission)));
    }
    return eachOnce(found);
}

} // namespace graphloom::magis
