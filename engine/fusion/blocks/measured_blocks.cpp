// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/measured_blocks.h"

#include "engine/profile/kernel_key.h"

#include <algorithm>

namespace graphloom {

Result<std::shared_ptr<BlockMeasurements>> BlockMeasurements::of(const ProfileDatabase *database,
                                                                 std::string device,
                                                                 const Graph &graph,
                                                                 const Opsets &opsets)
{
    std::shared_ptr<BlockMeasurements> made(
        new BlockMeasurements(std::move(device), graph, opsets));
    if (!database)
        return made;
    GL_TRY(database->forEach([&](const ProfileKey &key, const auto &latencies) {
        if (key.device != made->m_device)
            return;
        // The lowest provenance is the closest to the real device.
        const auto nearest = std::ranges::min_element(latencies, {}, &ProfiledLatency::provenance);
        if (nearest != latencies.end())
            made->learn(key, {nearest->minNs * 1e-9, nearest->provenance, nearest->count});
    }));
    return made;
}

void BlockMeasurements::learn(const ProfileKey &key, const BlockSeconds &seconds)
{
    if (seconds.provenance == Provenance::Modelled)
        return;
    ProfileKey anySchedule = key;
    anySchedule.schedule.clear();
    const auto [at, isNew] = m_known.emplace(anySchedule.hash(), seconds);
    if (!isNew && std::pair(seconds.provenance, seconds.seconds) <
                      std::pair(at->second.provenance, at->second.seconds))
        at->second = seconds;
}

bool BlockMeasurements::isEmpty() const
{
    const std::lock_guard lock(m_mutex);
    return m_known.empty();
}

std::optional<BlockSeconds> BlockMeasurements::find(std::span<const NodeId> nodes) const
{
    if (isEmpty()) // keys take time
        return std::nullopt;
    const auto key = kernelKeyOf(m_graph, m_opsets, nodes, m_device);
    const std::lock_guard lock(m_mutex);
    const auto found = key ? m_known.find(key->hash()) : m_known.end();
    return found != m_known.end() ? std::optional(found->second) : std::nullopt;
}

void BlockMeasurements::note(std::span<const CostedBlock> blocks)
{
    const std::lock_guard lock(m_mutex);
    for (const CostedBlock &block : blocks)
        m_compared.emplace(block.nodes.begin(), block.nodes.end());
}

std::size_t BlockMeasurements::measureCompared(CallTimer &timer, const TimingLimits &limits)
{
    std::vector<std::vector<NodeId>> blocks;
    for (const std::vector<NodeId> &nodes : std::exchange(m_compared, {}))
        if (!m_tried.contains(nodes) && !find(nodes))
            blocks.push_back(nodes);
    // What is small is measured soon, and operators of their own take part in most comparisons.
    std::ranges::stable_sort(blocks, {}, &std::vector<NodeId>::size);
    const auto times = timer.timeBlocks(m_graph, m_opsets, blocks, limits);
    std::size_t measured = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        m_tried.insert(blocks[b]);
        const auto key = kernelKeyOf(m_graph, m_opsets, blocks[b], m_device);
        if (!times[b] || !key)
            continue;
        const std::lock_guard lock(m_mutex);
        learn(*key, {times[b]->seconds, times[b]->provenance, times[b]->runs});
        ++measured;
    }
    return measured;
}

MeasuredBlocks measuredBlocks(std::shared_ptr<BlockMeasurements> measurements)
{
    MeasuredBlocks blocks;
    blocks.lookup = [measurements](std::span<const NodeId> nodes) {
        return measurements->find(nodes);
    };
    blocks.compared = [measurements](std::span<const CostedBlock> compared) {
        measurements->note(compared);
    };
    return blocks;
}

} // namespace graphloom
