// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/measured_blocks.h"

#include "engine/profile/kernel_key.h"

#include <algorithm>

namespace graphloom {

Result<MeasuredBlocks> measuredBlocks(const ProfileDatabase *database, const std::string &device,
                                      const Graph &graph, const Opsets &opsets)
{
    if (!database)
        return MeasuredBlocks();
    auto known = std::make_shared<std::unordered_map<std::uint64_t, BlockSeconds>>();
    auto read = database->forEach([&](const ProfileKey &key, const auto &latencies) {
        if (key.device != device)
            return;
        // The lowest provenance is the closest to the real device.
        const auto nearest = std::ranges::min_element(latencies, {}, &ProfiledLatency::provenance);
        if (nearest != latencies.end() && nearest->provenance != Provenance::Modelled)
            known->emplace(key.hash(), BlockSeconds{nearest->medianNs * 1e-9, nearest->provenance});
    });
    if (!read)
        return tl::unexpected(read.error());
    if (known->empty())
        return MeasuredBlocks();
    return MeasuredBlocks([known, device, &graph,
                           opsets](std::span<const NodeId> nodes) -> std::optional<BlockSeconds> {
        const auto key = kernelKeyOf(graph, opsets, nodes, device);
        const auto found = key ? known->find(key->hash()) : known->end();
        return found != known->end() ? std::optional(found->second) : std::nullopt;
    });
}

} // namespace graphloom
