// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/realized_workspaces.h"

#include <unordered_map>

namespace graphloom::magis {

namespace {

/// Returns the workspace of a node that computes a part of a call.
std::int64_t workspaceOfPart(const MemoryGraph &memory, const Call &call)
{
    const auto description = describe(call);
    return description ? workspaceBytes(memory.device(), CallWork(*description, call).work()) : 0;
}

} // namespace

IndexedVector<RealizedPosition, std::int64_t> workspacesOf(const MemoryGraph &memory,
                                                           const Realized &realized)
{
    const Graph &graph = realized.graph;
    const IndexedSpan<RealizedPosition, const NodeId> nodes(graph.order());
    IndexedVector<RealizedPosition, std::int64_t> workspaces(nodes.size(), 0);
    std::unordered_map<std::string, std::int64_t> known; // distinct calls are analysed once
    for (const RealizedPosition p : nodes.indices()) {
        const Realized::Origin &origin = realized.origins[nodes[p].index];
        const StepIndex step =
            origin.role == Realized::Role::Call ? memory.stepOf(origin.node) : StepIndex();
        if (!step.isValid() || memory.workOf(origin.node).work().products.empty())
            continue;
        if (origin.parts.empty()) {
            workspaces[p] = memory.workspace(step);
            continue;
        }
        const Node &node = graph.node(nodes[p]);
        const Call call(node, operandsOf(graph, node), memory.opsets()(node.domain));
        const auto [at, added] = known.try_emplace(signatureOf(call));
        if (added)
            at->second = workspaceOfPart(memory, call);
        workspaces[p] = at->second;
    }
    return workspaces;
}

} // namespace graphloom::magis
