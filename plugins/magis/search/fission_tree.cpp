// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/fission_tree.h"

#include <algorithm>
#include <random>

namespace graphloom::magis {

namespace {

/// The same numbers in the order in which they came first: those of fissions depend on threads.
std::vector<int> eachOnce(const std::vector<int> &numbers)
{
    std::vector<int> once;
    for (const int number : numbers)
        if (std::ranges::find(once, number) == once.end())
            once.push_back(number);
    return once;
}

} // namespace

std::vector<int> hotSpots(const Trace &trace, std::int64_t peak)
{
    std::vector<bool> hot(trace.runs.size(), false);
    for (std::size_t r = 0; r < trace.runs.size(); ++r)
        hot[r] = trace.runs[r].bytes >= peak;
    std::vector<int> buffers;
    for (const Trace::Life &life : trace.lives)
        if (life.bytes > 0 && std::find(hot.begin() + life.first, hot.begin() + life.last + 1,
                                        true) != hot.begin() + life.last + 1)
            buffers.push_back(life.buffer);
    std::ranges::sort(buffers);
    buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
    return buffers;
}

/// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm. Places are topological, so that one
/// pass suffices.
std::vector<int> dominators(const Graph &graph, const GraphDimension &dimension)
{
    std::vector<int> place(graph.nodeBound(), -1);
    std::vector<int> immediate(dimension.nodes.size(), -1), depth(dimension.nodes.size(), 1);
    for (std::size_t p = 0; p < dimension.nodes.size(); ++p) {
        const NodeId id = dimension.nodes[p];
        place[id.index] = int(p);
        bool first = true;
        int common = -1;
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = graph.producer(tensor);
            if (!producer.valid() || place[producer.index] < 0)
                return;
            int other = place[producer.index];
            if (first) {
                common = other;
                first = false;
                return;
            }
            while (common != other && common >= 0 && other >= 0) {
                if (depth[std::size_t(common)] >= depth[std::size_t(other)])
                    common = immediate[std::size_t(common)];
                else
                    other = immediate[std::size_t(other)];
            }
            if (common != other)
                common = -1;
        });
        immediate[p] = common;
        depth[p] = common < 0 ? 1 : depth[std::size_t(common)] + 1;
    }
    return immediate;
}

namespace {

/// Places below each place, itself included, as ranges of a pre-order of the tree.
struct TreeRanges {
    std::vector<int> order, first, count;

    explicit TreeRanges(std::span<const int> parents)
    {
        const std::size_t size = parents.size();
        count.assign(size, 1);
        for (std::size_t p = size; p-- > 0;)
            if (parents[p] >= 0)
                count[std::size_t(parents[p])] += count[p];
        first.assign(size, 0);
        std::vector<int> next(size, 0);
        int roots = 0;
        order.assign(size, 0);
        for (std::size_t p = 0; p < size; ++p) {
            int &from = parents[p] < 0 ? roots : next[std::size_t(parents[p])];
            first[p] = from;
            from += count[p];
            next[p] = first[p] + 1;
            order[std::size_t(first[p])] = int(p);
        }
    }
    /// Is a place the other one, or does it dominate it?
    bool contains(int place, int other) const
    {
        const int at = first[std::size_t(other)] - first[std::size_t(place)];
        return at >= 0 && at < count[std::size_t(place)];
    }
    /// Places that the place dominates, without itself.
    std::span<const int> below(int place) const
    {
        return std::span(order).subspan(std::size_t(first[std::size_t(place)]) + 1,
                                        std::size_t(count[std::size_t(place)]) - 1);
    }
};

/// Bytes of hot-spots that a node writes.
double ownHeat(const MemoryGraph &memory, NodeId id, const std::vector<bool> &hot)
{
    double bytes = 0;
    for (const TensorId output : memory.graph().node(id).outputs)
        if (output.valid()) {
            const auto b = std::size_t(memory.bufferOf(output));
            if (memory.buffers()[b].tensor == output && hot[b])
                bytes += double(memory.buffers()[b].bytes);
        }
    return bytes;
}

} // namespace

std::vector<NodeScore> scoresOf(const MemoryGraph &memory, const GraphDimension &dimension,
                                std::span<const int> dominatorsOf, std::span<const int> hotSpots)
{
    const Graph &graph = memory.graph();
    const TreeRanges ranges(dominatorsOf);
    const auto count = dimension.nodes.size();
    std::vector<bool> hot(memory.buffers().size(), false);
    for (const int b : hotSpots)
        hot[std::size_t(b)] = true;
    std::vector<int> place(graph.nodeBound(), -1);
    for (std::size_t p = 0; p < count; ++p)
        place[dimension.nodes[p].index] = int(p);

    // Bytes of hot-spots that a node writes count for all that dominate it.
    std::vector<double> heat(count, 0), inputs(count, 0);
    /// A buffer that is read: by which node, and where the tensor of it that is read comes from.
    struct Read {
        int buffer, reader, producer;
    };
    std::vector<Read> reads;
    for (int p = 0; p < int(count); ++p) {
        const Node &node = graph.node(dimension.nodes[std::size_t(p)]);
        heat[std::size_t(p)] = ownHeat(memory, dimension.nodes[std::size_t(p)], hot);
        forEachRead(node, [&](TensorId tensor, std::uint32_t) {
            const int b = memory.bufferOf(tensor);
            if (b < 0 || memory.buffers()[std::size_t(b)].resident || hot[std::size_t(b)])
                return;
            const NodeId producer = graph.producer(tensor);
            reads.push_back({b, p, producer.valid() ? place[producer.index] : -1});
        });
    }
    for (auto p = count; p-- > 0;)
        if (const int parent = dominatorsOf[p]; parent >= 0)
            heat[std::size_t(parent)] += heat[p];
    // A read is an input of what dominates its reader, up to what dominates its producer, too; a
    // buffer is one once.
    std::ranges::stable_sort(reads, {}, &Read::buffer);
    std::vector<int> counted(count, -1); // by place: the last buffer that was
    for (const Read &read : reads)
        for (int p = dominatorsOf[std::size_t(read.reader)]; p >= 0;
             p = dominatorsOf[std::size_t(p)]) {
            if (read.producer >= 0 && read.producer != p && ranges.contains(p, read.producer))
                break;
            if (counted[std::size_t(p)] == read.buffer)
                continue;
            counted[std::size_t(p)] = read.buffer;
            inputs[std::size_t(p)] += double(memory.buffers()[std::size_t(read.buffer)].bytes);
        }
    std::vector<NodeScore> scores;
    for (std::size_t p = 0; p < count; ++p) {
        NodeScore score;
        score.heat = heat[p] - ownHeat(memory, dimension.nodes[p], hot);
        score.score = 0.5 * score.heat - inputs[p];
        scores.push_back(score);
    }
    return scores;
}

RegionScores::RegionScores(const MemoryGraph &memory, std::span<const int> hotSpots)
    : m_memory(memory), m_hot(memory.buffers().size(), false),
      m_mark(memory.graph().nodeBound(), 0), m_counted(memory.buffers().size(), 0)
{
    for (const int b : hotSpots)
        m_hot[std::size_t(b)] = true;
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
                const auto b = std::size_t(m_memory.bufferOf(output));
                if (m_memory.buffers()[b].tensor == output && m_hot[b])
                    score.heat += double(m_memory.buffers()[b].bytes);
            }
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = graph.producer(tensor);
            const int b = m_memory.bufferOf(tensor);
            if (b < 0 || m_memory.buffers()[std::size_t(b)].resident || m_hot[std::size_t(b)] ||
                m_counted[std::size_t(b)] == m_round ||
                (producer.valid() && m_mark[producer.index] == m_round))
                return;
            m_counted[std::size_t(b)] = m_round;
            inputs += double(m_memory.buffers()[std::size_t(b)].bytes);
        });
    }
    score.score = 0.5 * score.heat - inputs;
    return score;
}

namespace {

void addLevels(const SearchSpace &space, const std::shared_ptr<const GraphDimension> &dimension,
               std::span<const int> hotSpots, int levels, std::vector<int> &found)
{
    const MemoryGraph &memory = space.memory();
    const auto add = [&](std::vector<NodeId> nodes) {
        if (nodes.size() < 2)
            return;
        if (auto fission = Fission::of(memory, dimension, std::move(nodes)))
            found.push_back(space.fissions().add(std::move(*fission)));
    };
    add(dimension->nodes);
    const std::vector<int> parents = dominators(memory.graph(), *dimension);
    const std::vector<NodeScore> scores = scoresOf(memory, *dimension, parents, hotSpots);
    const double best = std::ranges::max(scores, {}, &NodeScore::score).score;
    if (best <= 0)
        return;
    const TreeRanges ranges(parents);
    for (int level = 1; level <= levels; ++level) {
        std::vector<bool> selected(scores.size(), false);
        for (std::size_t p = 0; p < scores.size(); ++p) {
            const double share = scores[p].score / best * levels;
            selected[p] = share >= level && (share < level + 1 || level == levels);
        }
        for (int p = 0; p < int(scores.size()); ++p) {
            if (!selected[std::size_t(p)])
                continue;
            const auto below = ranges.below(p);
            if (std::ranges::any_of(below, [&](int q) { return selected[std::size_t(q)]; }))
                continue;
            std::vector<NodeId> nodes;
            for (const int q : below)
                nodes.push_back(dimension->nodes[std::size_t(q)]);
            add(std::move(nodes));
        }
    }
}

} // namespace

std::vector<int> buildFissionTree(const SearchSpace &space, std::span<const int> hotSpots,
                                  int levels, const std::stop_token &stop)
{
    const MemoryGraph &memory = space.memory();
    std::vector<TensorId> tensors;
    for (const int b : hotSpots) {
        const Buffer &buffer = memory.buffers()[std::size_t(b)];
        if (!buffer.resident)
            tensors.insert(tensors.end(), buffer.views.begin(), buffer.views.end());
    }
    std::ranges::stable_sort(tensors, std::ranges::greater{}, [&](TensorId tensor) {
        return memory.buffers()[std::size_t(memory.bufferOf(tensor))].bytes;
    });
    std::vector<int> found;
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

/// Places of the order, before and behind one of them, where a fission may well begin or end.
std::vector<int> borders(const Trace &trace, int peak, int direction, int last)
{
    std::vector<int> positions{peak};
    std::int64_t least = trace.runs[std::size_t(trace.runAt[std::size_t(peak)])].bytes;
    int distance = 1;
    for (int p = peak + direction; p >= 0 && p <= last; p += direction) {
        const std::int64_t bytes = trace.runs[std::size_t(trace.runAt[std::size_t(p)])].bytes;
        const bool doubled = std::abs(p - peak) >= 2 * distance;
        if (bytes < least || doubled || std::abs(p - peak) < 6 || p == 0 || p == last) {
            positions.push_back(p);
            least = std::min(least, bytes);
            if (doubled)
                distance *= 2;
        }
    }
    return positions;
}

/// Positions where a state needs most or nearly so, at a distance from each other.
std::vector<int> peaks(const State &state, const Trace &trace)
{
    constexpr double nearly = 0.98;
    constexpr std::size_t most = 32;
    std::vector<int> positions;
    bool above = false;
    for (const Trace::Run &run : trace.runs) {
        const bool high = double(run.bytes) >= nearly * double(state.outcome.peak);
        if (high && !above && positions.size() < most)
            positions.push_back(run.position);
        above = high;
    }
    return positions;
}

/// Adds the steps from begin to end that have the dimension, if they can be split along it.
bool addRange(const SearchSpace &space, const Arrangement &plan,
              const std::shared_ptr<const GraphDimension> &dimension, int begin, int end,
              std::vector<int> &found)
{
    const MemoryGraph &memory = space.memory();
    const Graph &graph = memory.graph();
    std::vector<NodeId> nodes;
    std::vector<bool> in(graph.nodeBound(), false);
    for (const NodeId id : dimension->nodes) {
        const int step = memory.stepOf(id);
        if (step >= 0 && plan.position(step) >= begin && plan.position(step) <= end) {
            nodes.push_back(id);
            in[id.index] = true;
        }
    }
    if (nodes.size() < 2)
        return false;
    // Views go with what is around them.
    for (const NodeId id : dimension->nodes) {
        if (memory.stepOf(id) >= 0)
            continue;
        const TensorId output = graph.node(id).outputs[0];
        const auto viewed = std::ranges::find_if(graph.node(id).inputs, [&](TensorId input) {
            return input.valid() && memory.bufferOf(input) == memory.bufferOf(output);
        });
        const NodeId producer = graph.producer(*viewed);
        const auto uses = graph.uses(output);
        if (producer.valid() && in[producer.index] && !uses.empty() &&
            std::ranges::all_of(uses, [&](const Use &use) {
                return in[use.node.index] || memory.stepOf(use.node) < 0;
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
        for (const int b : *list) {
            const Buffer &buffer = memory.buffers()[std::size_t(b)];
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

std::vector<int> fissionsAround(const SearchSpace &space, const State &state, const Trace &trace,
                                std::size_t count, std::uint64_t seed)
{
    const MemoryGraph &memory = space.memory();
    const Arrangement &plan = *state.arrangement;
    const int last = int(plan.order().size()) - 1;
    std::mt19937_64 random(seed);
    std::vector<int> found;
    const std::vector<int> all = peaks(state, trace);
    const auto kindAt = [&](int position) {
        return memory.steps()[std::size_t(plan.order()[std::size_t(position)])].kind;
    };
    const int peak = all[random() % all.size()];
    const Step &step = memory.steps()[std::size_t(plan.order()[std::size_t(peak)])];
    const auto dimensions = dimensionsOf(space, step);
    if (dimensions.empty())
        return found;
    const auto begins = borders(trace, peak, -1, last), ends = borders(trace, peak, 1, last);
    for (std::size_t tries = 0; tries < count; ++tries) {
        const std::size_t which = random() % dimensions.size();
        const int begin = begins[random() % begins.size()], end = ends[random() % ends.size()];
        if (!addRange(space, plan, dimensions[which], begin, end, found))
            continue;
        // The same at the other peaks, if all is alike there.
        for (const int other : all)
            if (other != peak && kindAt(other) == kindAt(peak) && other + begin - peak >= 0 &&
                other + end - peak <= last) {
                const auto there = dimensionsOf(
                    space, memory.steps()[std::size_t(plan.order()[std::size_t(other)])]);
                if (which < there.size())
                    addRange(space, plan, there[which], other + begin - peak, other + end - peak,
                             found);
            }
    }
    return eachOnce(found);
}

} // namespace graphloom::magis
