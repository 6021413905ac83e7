// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/measured_blocks.h"

#include "engine/base/hash.h"
#include "engine/profile/kernel_key.h"

#include <algorithm>
#include <chrono>

namespace graphloom {

namespace {

bool isByDefault(const ProfileKey &key)
{
    return key.schedule.starts_with(defaultForm);
}

/// Provenances are ordered from the real device downwards.
bool isBetter(const BlockSeconds &a, const BlockSeconds &b)
{
    return std::pair(a.provenance, a.seconds) < std::pair(b.provenance, b.seconds);
}

} // namespace

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
    const KernelForm form = isByDefault(key) ? KernelForm::ByDefault : KernelForm::Tuned;
    auto &known = m_known[anySchedule.hash()][std::size_t(form)];
    if (!known || isBetter(seconds, *known))
        known = seconds;
    m_operators.insert(operatorsHash(key));
}

/// Returns the hash of the key of a block, which is asked for again and again.
std::optional<std::uint64_t> BlockMeasurements::keyOf(std::span<const NodeId> nodes) const
{
    std::uint64_t name = nodes.size();
    for (const NodeId id : nodes)
        name = combine(name, id.index);
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_keys.find(name); known != m_keys.end())
            return known->second;
    }
    const auto key = kernelKeyOf(m_graph, m_opsets, nodes, m_device);
    const std::lock_guard lock(m_mutex);
    return m_keys.emplace(name, key ? std::optional(key->hash()) : std::nullopt).first->second;
}

std::optional<BlockSeconds> BlockMeasurements::find(std::span<const NodeId> nodes,
                                                    KernelForm form) const
{
    { // Keys take time.
        const std::uint64_t operators = operatorsHash(m_graph, nodes);
        const std::lock_guard lock(m_mutex);
        if (!m_operators.contains(operators))
            return std::nullopt;
    }
    const std::optional<std::uint64_t> key = keyOf(nodes);
    const std::lock_guard lock(m_mutex);
    const auto found = key ? m_known.find(*key) : m_known.end();
    if (found == m_known.end())
        return std::nullopt;
    const auto &[tuned, byDefault] = found->second;
    if (form != KernelForm::Any)
        return form == KernelForm::Tuned ? tuned : byDefault;
    return !tuned || (byDefault && isBetter(*byDefault, *tuned)) ? byDefault : tuned;
}

void BlockMeasurements::note(std::span<const CostedBlock> blocks, bool measured)
{
    const std::lock_guard lock(m_mutex);
    if (measured)
        m_decided.emplace(blocks.front().nodes.begin(), blocks.front().nodes.end());
    for (const CostedBlock &block : blocks)
        m_compared.emplace(block.nodes.begin(), block.nodes.end());
}

std::size_t BlockMeasurements::measureCompared(CallTimer &timer, const TimingLimits &limits)
{
    std::vector<std::vector<NodeId>> blocks;
    m_decided.clear(); // they are decided again
    for (const std::vector<NodeId> &nodes : std::exchange(m_compared, {}))
        if (!m_tried.contains(nodes) && !find(nodes, KernelForm::ByDefault))
            blocks.push_back(nodes);
    // What is small is measured soon, and operators of their own take part in most comparisons.
    std::ranges::stable_sort(blocks, {}, &std::vector<NodeId>::size);
    const auto times = timer.timeBlocks(m_graph, m_opsets, blocks, limits);
    std::size_t measured = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        m_tried.insert(blocks[b]);
        auto key = kernelKeyOf(m_graph, m_opsets, blocks[b], m_device);
        if (!times[b] || !key)
            continue;
        key->schedule = defaultForm;
        const std::lock_guard lock(m_mutex);
        learn(*key, {times[b]->seconds, times[b]->provenance, times[b]->runs});
        ++measured;
    }
    return measured;
}

void BlockMeasurements::noteUse(ProfileDatabase *database, std::string_view pass,
                                const Model &model) const
{
    if (!database || m_decided.empty())
        return;
    ProfileUse use{m_device, std::string(pass), model.path.filename().string()};
    if (use.model.empty())
        use.model = model.graph.name();
    use.decisions = std::int64_t(m_decided.size());
    use.usedAtMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
    (void)database->noteUse(use); // a note that cannot be written is no reason to fail
}

MeasuredBlocks measuredBlocks(std::shared_ptr<BlockMeasurements> measurements)
{
    MeasuredBlocks blocks;
    blocks.lookup = [measurements](std::span<const NodeId> nodes, KernelForm form) {
        return measurements->find(nodes, form);
    };
    blocks.compared = [measurements](std::span<const CostedBlock> compared, bool measured) {
        measurements->note(compared, measured);
    };
    return blocks;
}

} // namespace graphloom
