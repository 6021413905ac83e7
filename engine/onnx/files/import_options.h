// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// How a model file is read, and what it may ask for.
struct ImportOptions {
    /// Shapes for graph inputs by name, in place of those in the file.
    std::map<std::string, std::vector<std::int64_t>> inputShapes;
    /// Extent for the first dimension of every input whose first dimension is symbolic; or, where
    /// none is and no shapes are given, of all inputs, with the shapes that hold it.
    std::optional<std::int64_t> batchSize;
    /// Permits external data behind symbolic and hard links (model caches store weights so).
    bool followLinks = false;
    std::stop_token stop;

    // Bounds on what a file may ask for; beyond them it is refused with a message that says so.
    std::uint64_t maxFileBytes = std::uint64_t{1} << 31; // protobuf's own limit
    std::uint64_t maxNodes = 1'000'000;
    std::uint64_t maxTensors = 4'000'000;
    int maxDepth = 30;                                       // of nested messages and graphs
    std::uint64_t maxExpandedBytes = std::uint64_t{1} << 31; // sparse tensors made dense
    std::uint64_t maxMessageBytes = std::uint64_t{1} << 30;  // messages beside their content
};

} // namespace graphloom
