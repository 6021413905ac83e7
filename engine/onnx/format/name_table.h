// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace graphloom {

/// Hands out names that are unique in a file, and as close as possible to the requested ones.
class NameTable {
public:
    /// Returns the requested name, or the fallback if it is empty, followed by a number if it is
    /// taken.
    std::string take(std::string_view wished, std::string_view fallback);

private:
    std::unordered_set<std::string> m_taken;
    std::uint64_t m_suffix = 0;
};

/// Returns names for all tensors of a graph, by tensor id. Inputs, then outputs, choose first, so
/// that the graph's interface keeps its names. Captured tensors have the given names, in the order
/// of Graph::captured().
std::vector<std::string> nameTensors(const Graph &graph, NameTable &taken,
                                     const std::vector<std::string> &capturedNames = {});

/// Returns names for all nodes of a graph, by node id.
std::vector<std::string> nameNodes(const Graph &graph, NameTable &taken);

} // namespace graphloom
