// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/replacement_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace graphloom {

std::vector<std::string> keptNames(std::span<const Node> added, const Graph &before,
                                   std::span<const NodeId> removed)
{
    std::unordered_set<std::string> used;
    for (const Node &node : added)
        used.insert(node.name);
    std::vector<NodeId> ordered(removed.begin(), removed.end());
    std::ranges::sort(ordered, {}, [&](NodeId id) { return before.position(id); });
    std::unordered_map<std::string, std::vector<std::string>>
        free; // by operator, the last at the end
    for (const NodeId id : ordered)
        if (const Node &node = before.node(id); used.insert(node.name).second)
            free[node.qualifiedOp()].push_back(node.name);
    std::vector<std::string> names(added.size());
    for (std::size_t i = added.size(); i-- > 0;) {
        if (!added[i].name.empty())
            continue;
        const auto found = free.find(added[i].qualifiedOp());
        if (found == free.end() || found->second.empty())
            continue;
        names[i] = std::move(found->second.back());
        found->second.pop_back();
    }
    return names;
}

} // namespace graphloom
