// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_growth.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

using Block = BlockGraph::Block;

class Growth {
public:
    Growth(const BlockMerger &merger, BlockGraph &blocks, const BlockMarks &marks, Steps &steps)
        : m_merger(merger), m_blocks(blocks), m_marks(marks), m_steps(steps)
    {
    }

    void from(NodeId seed)
    {
        if (isLocked(m_blocks.blockOf(seed)))
            return;
        m_seed = seed;
        m_refused.clear();
        // The paper allows either order. A convolution absorbs its successors for free, but its
        // predecessors are recomputed for every use: they go first.
        alongPredecessors(seed);
        alongSuccessors(seed);
    }

private:
    bool isLocked(Block block) const
    {
        const auto mark = m_marks.find(block);
        return mark != m_marks.end() && mark->second.locked;
    }

    /// Merges the block of `node` into the seed's (Listing 1, steps 2.1 to 2.3).
    bool fuse(NodeId node)
    {
        const Block block = m_blocks.blockOf(m_seed), other = m_blocks.blockOf(node);
        if (other == block || isLocked(other) || m_refused.contains(other) || m_steps.stopped())
            return false;
        if (m_merger.profit(m_blocks, block, other, &m_steps).refusal) {
            m_refused.insert(other);
            return false;
        }
        m_blocks.merge(block, other);
        m_refused.clear(); // a block refused by a part may fit the whole
        return true;
    }

    void alongSuccessors(NodeId node)
    {
        for (const NodeId next : m_blocks.graph().successors(node))
            if (fuse(next))
                alongSuccessors(next);
    }
    void alongPredecessors(NodeId node)
    {
        for (const NodeId previous : m_blocks.graph().predecessors(node))
            if (fuse(previous))
                alongPredecessors(previous);
    }

    const BlockMerger &m_merger;
    BlockGraph &m_blocks;
    const BlockMarks &m_marks;
    Steps &m_steps;
    NodeId m_seed;
    std::set<Block> m_refused;
};

} // namespace

void growBlocks(const BlockMerger &merger, BlockGraph &blocks, const BlockMarks &marks,
                std::span<const NodeId> nodes, Steps &steps,
                const std::function<void(double)> &progress)
{
    const Ecg &ecg = merger.rules().ecg();
    struct Seed {
        MappingType mapping;
        double bytes;
        NodeId node;
    };
    std::vector<Seed> seeds;
    for (const NodeId id : nodes)
        if (!ecg.node(id).isOpaque())
            seeds.push_back({ecg.node(id).mapping, ecg.resultBytes(id), id});
    std::ranges::stable_sort(seeds, [](const Seed &a, const Seed &b) {
        return std::pair(a.mapping, a.bytes) < std::pair(b.mapping, b.bytes);
    });
    Growth growth(merger, blocks, marks, steps);
    for (std::size_t i = 0; i < seeds.size() && !steps.stopped(); ++i) {
        growth.from(seeds[i].node);
        if (i % 64 == 0)
            progress(double(i) / double(seeds.size()));
    }
}

} // namespace graphloom
