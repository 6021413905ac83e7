// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Tells how a model file is read, and which resources it may use.
struct ImportOptions {
    /// Shapes of graph inputs by name, in place of those in the file; 0 keeps an extent.
    std::map<std::string, std::vector<std::int64_t>> inputShapes;
    /// Extent of the first dimension of every input whose first dimension is symbolic and not given
    /// above; if there is none and no shapes are given, of all inputs, and of the shapes that
    /// contain it.
    std::optional<std::int64_t> batchSize;
    /// Permits external data reached through symbolic and hard links (model caches store weights
    /// so).
    bool followLinks = false;
    std::stop_token stop;

    // Limits on what a file may ask for; a file beyond them is refused with a message that says so.
    std::uint64_t maxFileBytes = std::uint64_t{1} << 31; // protobuf's own limit
    std::uint64_t maxNodes = 1'000'000;
    std::uint64_t maxTensors = 4'000'000;
    int maxDepth = 30;                                       // of nested messages and graphs
    std::uint64_t maxExpandedBytes = std::uint64_t{1} << 31; // sparse tensors made dense
    std::uint64_t maxMessageBytes = std::uint64_t{1} << 30;  // messages without their content
};

} // namespace graphloom
