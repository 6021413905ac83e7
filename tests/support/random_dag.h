// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/ago/staged_graph.h"
#include "tests/support/random_graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom::test {

/// Returns a random acyclic graph of up to `most` nodes: thin or wide, sparse or dense, connected
/// or not, with hubs, numbered in a random order.
inline ago::WeightedDag randomDag(Random &random, std::uint32_t most)
{
    const auto count = std::uint32_t(1 + below(random, most));
    std::vector<std::uint32_t> names(count);
    for (std::uint32_t i = 0; i < count; ++i)
        names[i] = i;
    std::shuffle(names.begin(), names.end(), random);
    std::vector<std::set<std::uint32_t>> edges(count);
    const std::uint64_t reach = 1 + below(random, count);
    const std::uint64_t degree = 1 + below(random, 4);
    const bool hub = chance(random, 0.2);
    for (std::uint32_t i = 1; i < count; ++i) {
        for (std::uint64_t k = below(random, degree + 1); k > 0; --k)
            edges[names[i - 1 - below(random, std::min<std::uint64_t>(i, reach))]].insert(names[i]);
        if (hub && chance(random, 0.5))
            edges[names[0]].insert(names[i]);
    }
    ago::WeightedDag dag;
    const std::uint64_t weights = 1 + below(random, 20); // few different weights give many ties
    for (std::uint32_t i = 0; i < count; ++i) {
        dag.weights.push_back(double(1 + below(random, weights)));
        dag.successors.emplace_back(edges[i].begin(), edges[i].end());
    }
    return dag;
}

/// Holds the graph of clusters by name, built again from the edges of the nodes.
using Quotient = std::map<std::uint32_t, std::set<std::uint32_t>>;
inline Quotient quotientOf(const ago::WeightedDag &dag, const std::vector<std::uint32_t> &clusters)
{
    Quotient quotient;
    for (std::uint32_t node = 0; node < clusters.size(); ++node) {
        auto &successors = quotient[clusters[node]];
        for (const std::uint32_t next : dag.successors[node])
            if (clusters[next] != clusters[node])
                successors.insert(clusters[next]);
    }
    return quotient;
}

/// Returns longest-path stages of a quotient from 1, by relaxation until nothing changes; empty if
/// there is a cycle. Kept simple as the reference for the incremental stages.
inline std::map<std::uint32_t, std::uint32_t> stagesOf(const Quotient &quotient)
{
    std::map<std::uint32_t, std::uint32_t> stages;
    for (const auto &[cluster, successors] : quotient)
        stages[cluster] = 1;
    bool changed = true;
    for (std::size_t round = 0; changed; ++round) {
        if (round > quotient.size())
            return {};
        changed = false;
        for (const auto &[cluster, successors] : quotient)
            for (const std::uint32_t next : successors)
                if (stages[next] < stages[cluster] + 1) {
                    stages[next] = stages[cluster] + 1;
                    changed = true;
                }
    }
    return stages;
}

} // namespace graphloom::test
