// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_search.h"

#include "engine/base/hash.h"
#include "engine/fusion/blocks/node_sets.h"

#include <algorithm>
#include <limits>

namespace graphloom {

namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();
/// Differences below this are due to rounding.
constexpr double noise = 1e-12;
/// Limits the successors of a state.
constexpr std::size_t mostSuccessors = 24;

std::uint64_t hashOf(std::span<const NodeId> nodes)
{
    std::uint64_t sum = 0;
    for (const NodeId id : nodes)
        sum += scramble(id.index + 1);
    return scramble(sum);
}

} // namespace

/// Describes a move across the border between two blocks; refers to data that the search keeps.
struct BlockSearch::Move {
    double gain;
    Block from, to;
    BorderMoves list;
    const Nodes *nodes; // empty: all of `from`
};

bool BlockSearch::isLocked(Block block) const
{
    const auto mark = m_marks.find(block);
    return mark != m_marks.end() && mark->second.locked;
}

double BlockSearch::secondsOf(const Nodes &nodes) const
{
    const std::uint64_t key = hashOf(nodes);
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_seconds.find(key); known != m_seconds.end())
            return known->second;
    }
    const BlockAnswer answer = m_merger.rules().check(nodes);
    const double seconds = answer.refusal ? impossible : m_merger.secondsOf(nodes, answer);
    const std::lock_guard lock(m_mutex);
    if (m_seconds.emplace(key, seconds).second && answer.refusal)
        noteRefusal(nodes, *answer.refusal);
    return seconds;
}

void BlockSearch::noteRefusal(const Nodes &nodes, const BlockAnswer::Refusal &refusal) const
{
    SearchRecord::Refusal &noted = m_refusals[refusal.cause];
    if (noted.count++ > 0)
        return;
    noted.reason = nameOf(refusal.cause);
    const Graph &graph = m_merger.rules().ecg().graph();
    noted.example = graph.node(nodes.front()).label() + " with " +
                    graph.node(nodes.back()).label() + ": " + refusal.edge.reason;
}

std::vector<SearchRecord::Refusal> BlockSearch::refusals() const
{
    std::vector<SearchRecord::Refusal> all;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &[cause, refusal] : m_refusals)
            all.push_back(refusal);
    }
    std::ranges::stable_sort(all, std::greater<>(), &SearchRecord::Refusal::count);
    return all;
}

BlockSearch::State BlockSearch::start(const BlockGraph &blocks) const
{
    State state;
    state.blocks = std::make_shared<const BlockGraph>(blocks);
    for (const Block block : blocks.names())
        if (!blocks.nodes(block).empty()) {
            state.hash += hashOf(blocks.nodes(block));
            state.seconds += secondsOf(blocks.nodes(block));
            state.fresh.insert(block);
        }
    return state;
}

BlockSearch::BorderMoves BlockSearch::movesAcross(const Graph &graph, const Nodes &own,
                                                  const Nodes &others, Steps &steps) const
{
    const std::uint64_t key = combine(hashOf(own), hashOf(others));
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_moves.find(key); known != m_moves.end())
            return known->second;
    }
    auto moves = std::make_shared<std::vector<BorderMove>>();
    const double before = secondsOf(own) + secondsOf(others);
    const auto place = [&](NodeId node) { return graph.position(node); };
    const auto joined = [&](const Nodes &a, const Nodes &b) {
        Nodes all;
        std::ranges::merge(a, b, std::back_inserter(all), {}, place, place);
        return all;
    };
    const auto add = [&](bool forwards, Nodes nodes, double after) {
        if (after < impossible)
            moves->push_back({before - after, forwards, std::move(nodes)});
    };
    // Move the end of this block into the next one, or the beginning of the next one into this.
    const Nodes both = joined(own, others);
    add(false, {}, secondsOf(both));
    const EdgesAmong edges(graph, both);
    using Part = EdgesAmong::Part;
    for (const bool forwards : {true, false}) {
        const Nodes &source = forwards ? own : others;
        Part from(both.size(), 0);
        for (const NodeId id : source)
            from[EdgesAmong::Place(std::ranges::lower_bound(both, place(id), {}, place) -
                                   both.begin())] = 1;
        std::set<std::vector<char>> seen;
        for (const EdgesAmong::Place i : from.indices()) {
            if (!from[i])
                continue;
            steps.add(4 * both.size());
            if (steps.stopped())
                return std::make_shared<std::vector<BorderMove>>(); // incomplete: not cached
            const Part part = edges.closureOf(from, i, forwards);
            if (part == from || !seen.insert(part.elements()).second)
                continue;
            Part rest(both.size()),
                whole(both.size()); // of the source; the enlarged target
            for (const EdgesAmong::Place j : from.indices()) {
                rest[j] = char(from[j] && !part[j]);
                whole[j] = char(!from[j] || part[j]);
            }
            if (!edges.isConnected(rest) || !edges.isConnected(whole))
                continue;
            const double left = secondsOf(edges.nodesOf(rest));
            if (left < impossible)
                add(forwards, edges.nodesOf(part), left + secondsOf(edges.nodesOf(whole)));
        }
    }
    const std::lock_guard lock(m_mutex);
    return m_moves.emplace(key, std::move(moves)).first->second;
}

/// Collects the moves across the borders between a block and its successors.
void BlockSearch::collect(const State &state, Block block, std::vector<Move> &moves,
                          Steps &steps) const
{
    const BlockGraph &blocks = *state.blocks;
    if (isLocked(block))
        return;
    for (const Block other : blocks.successors(block)) {
        if (isLocked(other))
            continue;
        if (steps.stopped())
            return;
        const BorderMoves list =
            movesAcross(blocks.graph(), blocks.nodes(block), blocks.nodes(other), steps);
        for (const BorderMove &move : *list)
            moves.push_back({move.gain, move.forwards ? block : other,
                             move.forwards ? other : block, list, &move.nodes});
    }
}

/// Returns nullopt if the blocks would form a cycle or the search was stopped.
std::optional<BlockSearch::State> BlockSearch::applied(const State &state, const Move &move,
                                                       Steps &steps) const
{
    if (steps.stopped())
        return std::nullopt;
    steps.add(state.blocks->nodes(move.from).size() + state.blocks->nodes(move.to).size());
    auto blocks = std::make_shared<BlockGraph>(*state.blocks);
    if (move.nodes->empty()) {
        if (blocks->wouldCycle(move.from, move.to, &steps))
            return std::nullopt;
        blocks->merge(move.to, move.from);
    } else {
        blocks->move(*move.nodes, move.to);
        for (const Block changed : {move.from, move.to})
            if (blocks->wouldCycle({&changed, 1}, &steps))
                return std::nullopt;
    }
    State next;
    next.seconds = state.seconds - move.gain;
    next.hash = state.hash;
    for (const Block changed : {move.from, move.to}) {
        next.hash -= hashOf(state.blocks->nodes(changed));
        if (blocks->nodes(changed).empty())
            continue;
        next.hash += hashOf(blocks->nodes(changed));
        next.fresh.insert(changed);
        for (const Block neighbour : blocks->predecessors(changed))
            next.fresh.insert(neighbour);
    }
    next.blocks = std::move(blocks);
    return next;
}

/// Returns the states after each of the most promising moves and all moves that then pay at once.
std::vector<BlockSearch::State> BlockSearch::expand(const State &state) const
{
    Steps steps(m_stop);
    const auto movesFrom = [&](const State &from, const std::set<Block> &around) {
        std::vector<Move> moves;
        for (const Block block : around)
            if (!from.blocks->nodes(block).empty())
                collect(from, block, moves, steps);
        std::ranges::stable_sort(moves, std::greater{}, &Move::gain);
        return moves;
    };
    // Sweeps over the moves around changed blocks as long as one of them pays.
    const auto settle = [&](State from) {
        while (!from.fresh.empty() && !steps.stopped()) {
            const auto around = std::exchange(from.fresh, {});
            std::set<Block> changed;
            for (const Move &move : movesFrom(from, around)) {
                if (move.gain <= noise)
                    break;
                if (changed.contains(move.from) || changed.contains(move.to))
                    continue;
                auto next = applied(from, move, steps);
                if (!next)
                    continue;
                changed.insert({move.from, move.to});
                next->fresh.merge(from.fresh);
                from = std::move(*next);
            }
        }
        return from;
    };
    const auto done = [&](std::vector<State> states) {
        const std::lock_guard lock(m_mutex);
        m_longest = std::max(m_longest, steps.longest());
        return states;
    };
    std::vector<State> states;
    if (!state.fresh.empty()) { // the initial state
        states.push_back(settle(state));
        return done(std::move(states));
    }
    std::set<Block> all;
    for (const Block block : state.blocks->names())
        all.insert(block);
    for (const Move &move : movesFrom(state, all)) {
        if (states.size() == mostSuccessors)
            break;
        if (auto next = applied(state, move, steps))
            states.push_back(settle(std::move(*next)));
    }
    return done(std::move(states));
}

std::uint64_t BlockSearch::longestSteps() const
{
    const std::lock_guard lock(m_mutex);
    return m_longest;
}

} // namespace graphloom
