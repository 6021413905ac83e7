// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/fusion/blocks/block_cost.h"
#include "engine/ir/model.h"
#include "engine/profile/profile_database.h"

#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

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
    /// Notes in the database (null: nowhere) how many decisions were made by measured times since
    /// then, by a pass on a model.
    void noteUse(ProfileDatabase *database, std::string_view pass, const Model &model) const;

private:
    BlockMeasurements(std::string device, const Graph &graph, const Opsets &opsets)
        : m_device(std::move(device)), m_graph(graph), m_opsets(opsets)
    {
    }
    friend MeasuredBlocks measuredBlocks(std::shared_ptr<BlockMeasurements> measurements);

    std::optional<BlockSeconds> find(std::span<const NodeId> nodes, KernelForm form) const;
    std::optional<std::uint64_t> keyOf(std::span<const NodeId> nodes) const;
    void note(std::span<const CostedBlock> blocks, bool measured);
    void learn(const ProfileKey &key, const BlockSeconds &seconds);

    std::string m_device;
    const Graph &m_graph;
    const Opsets &m_opsets;
    mutable std::mutex m_mutex;
    /// By key without a schedule, and by form.
    std::unordered_map<std::uint64_t, std::array<std::optional<BlockSeconds>, 2>> m_known;
    std::unordered_set<std::uint64_t> m_operators; // operatorsHash() of what is known
    mutable std::unordered_map<std::uint64_t, std::optional<std::uint64_t>> m_keys; // by nodes
    std::set<std::vector<NodeId>> m_compared, m_tried;
    std::set<std::vector<NodeId>> m_decided; // by measured times: the first of those compared
};

/// Returns them as costs of blocks use them.
MeasuredBlocks measuredBlocks(std::shared_ptr<BlockMeasurements> measurements);

} // namespace graphloom
