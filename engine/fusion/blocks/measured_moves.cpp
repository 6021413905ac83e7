// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/measured_moves.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace graphloom {

namespace {

using Block = BlockGraph::Block;
using Nodes = std::vector<NodeId>;

/// Nodes that both graphs have in whole blocks, none of which they have in common.
struct Region {
    std::vector<Nodes> before, found;
};

/// Returns the least regions.
std::vector<Region> changedRegions(const BlockGraph &before, const BlockGraph &found)
{
    const Graph &graph = before.graph();
    std::vector<std::size_t> root(graph.nodeCount()); // by position, as a union-find structure
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto rootOf = [&](std::size_t position) {
        while (root[position] != position)
            position = root[position] = root[root[position]];
        return position;
    };
    for (const BlockGraph *blocks : {&before, &found})
        for (const Block block : blocks->names())
            for (const NodeId id : blocks->nodes(block))
                root[rootOf(graph.position(id))] =
                    rootOf(graph.position(blocks->nodes(block).front()));
    std::map<std::size_t, Region> regions;
    const auto collect = [&](const BlockGraph &blocks, std::vector<Nodes> Region::*side) {
        for (const Block block : blocks.names())
            if (const Nodes &nodes = blocks.nodes(block); !nodes.empty())
                (regions[rootOf(graph.position(nodes.front()))].*side).push_back(nodes);
    };
    collect(before, &Region::before);
    collect(found, &Region::found);
    std::vector<Region> changed;
    for (auto &[position, region] : regions)
        if (region.before.size() > 1 || region.found.size() > 1)
            changed.push_back(std::move(region));
    return changed;
}

/// Returns the gain in seconds that the search has made in a region; nothing if it was not
/// measured.
std::optional<double> measuredGain(const BlockMerger &merger, const Region &region)
{
    std::vector<BlockAnswer> answers;
    for (const auto *side : {&region.before, &region.found})
        for (const Nodes &nodes : *side)
            answers.push_back(merger.rules().check(nodes));
    std::vector<CostedBlock> blocks;
    for (const auto *side : {&region.before, &region.found})
        for (const Nodes &nodes : *side)
            blocks.push_back({nodes, answers[blocks.size()]});
    const std::vector<BlockSeconds> costs = merger.cost().comparable(blocks);
    if (costs.front().provenance == Provenance::Modelled)
        return std::nullopt;
    double gain = 0;
    for (std::size_t b = 0; b < costs.size(); ++b)
        gain += b < region.before.size() ? costs[b].seconds : -costs[b].seconds;
    return gain;
}

/// Gives a region the blocks from before; tells whether there is no cycle through them.
bool restore(const Region &region, BlockGraph &blocks)
{
    for (const Nodes &nodes : region.before) {
        std::map<Block, Nodes> pieces;
        for (const NodeId id : nodes)
            pieces[blocks.blockOf(id)].push_back(id);
        std::optional<Block> whole;
        for (const auto &[block, piece] : pieces) {
            const Block own =
                piece.size() == blocks.nodes(block).size() ? block : blocks.split(piece);
            if (whole)
                blocks.merge(*whole, own);
            else
                whole = own;
        }
    }
    return std::ranges::none_of(region.before, [&](const Nodes &nodes) {
        const Block block = blocks.blockOf(nodes.front());
        return blocks.wouldCycle({&block, 1});
    });
}

} // namespace

void compareMoves(const BlockMerger &merger, const BlockGraph &before, const BlockGraph &found)
{
    for (const Region &region : changedRegions(before, found))
        (void)measuredGain(merger, region);
}

BlockGraph provenMoves(const BlockMerger &merger, const BlockGraph &before, const BlockGraph &found)
{
    BlockGraph proven = found;
    for (const Region &region : changedRegions(before, found)) {
        if (measuredGain(merger, region).value_or(0) >= 0)
            continue;
        // Blocks elsewhere may depend on each other by way of the blocks that replaced these.
        BlockGraph restored = proven;
        if (restore(region, restored))
            proven = std::move(restored);
    }
    return proven;
}

} // namespace graphloom
