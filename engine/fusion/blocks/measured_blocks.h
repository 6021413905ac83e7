// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/fusion/blocks/block_cost.h"
#include "engine/profile/profile_database.h"

#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

namespace graphloom {

/// Knows the latencies of the blocks of a graph as measured on a device, measures more of them, and
/// remembers which ones decide something and are not known. Of several provenances the one nearest
/// to the real device counts, and then the fastest schedule; modelled figures never do.
class BlockMeasurements {
public:
    /// Takes what the database (null: none) knows of a device (profiledDevice()). Graph and opsets
    /// must outlive this. Fails as the database does.
    static Result<std::shared_ptr<BlockMeasurements>> of(const ProfileDatabase *database,
                                                         std::string device, const Graph &graph,
                                                         const Opsets &opsets);

    /// Measures the blocks that were compared since the last call and are not known; returns how
    /// many times that gave. Blocks that cannot be measured are not tried again.
    std::size_t measureCompared(CallTimer &timer, const TimingLimits &limits);

private:
    BlockMeasurements(std::string device, const Graph &graph, const Opsets &opsets)
        : m_device(std::move(device)), m_graph(graph), m_opsets(opsets)
    {
    }
    friend MeasuredBlocks measuredBlocks(std::shared_ptr<BlockMeasurements> measurements);

    bool isEmpty() const;
    std::optional<BlockSeconds> find(std::span<const NodeId> nodes) const;
    void note(std::span<const CostedBlock> blocks);
    void learn(const ProfileKey &key, const BlockSeconds &seconds);

    std::string m_device;
    const Graph &m_graph;
    const Opsets &m_opsets;
    mutable std::mutex m_mutex;
    std::unordered_map<std::uint64_t, BlockSeconds> m_known; // by key without a schedule
    std::set<std::vector<NodeId>> m_compared, m_tried;
};

/// Returns them as costs of blocks use them.
MeasuredBlocks measuredBlocks(std::shared_ptr<BlockMeasurements> measurements);

} // namespace graphloom
