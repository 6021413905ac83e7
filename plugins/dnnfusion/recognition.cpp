// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/recognition.h"

#include "plugins/dnnfusion/known_blocks.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace graphloom::dnnfusion {

namespace {

void collectCalls(const Pattern &pattern, std::set<std::string> &names)
{
    if (pattern->kind == Pattern::Kind::Call)
        names.insert(pattern->name);
    for (const Pattern &input : pattern->inputs)
        collectCalls(input, names);
}

/// Spellings by the operator of their root.
struct Spelling {
    const KnownBlock *block;
    const Pattern *pattern;
    std::set<std::string> calls; // names
};
using Index = std::unordered_map<std::string, std::vector<Spelling>>;

Index indexOf(const std::vector<KnownBlock> &blocks)
{
    Index index;
    for (const KnownBlock &block : blocks)
        for (const Pattern &pattern : block.spellings) {
            std::set<std::string> calls;
            collectCalls(pattern, calls);
            for (const std::string &op : pattern->ops)
                index[op].push_back({&block, &pattern, calls});
        }
    return index;
}

/// Does nobody outside read what the nodes before the last compute?
bool isClosed(const Graph &graph, const std::vector<NodeId> &nodes)
{
    return std::ranges::all_of(nodes.begin(), nodes.end() - 1, [&](NodeId id) {
        return std::ranges::all_of(graph.node(id).outputs, [&](TensorId output) {
            return !output.valid() || (!graph.isOutput(output) &&
                                       std::ranges::all_of(graph.uses(output), [&](const Use &use) {
                                           return std::ranges::find(nodes, use.node) != nodes.end();
                                       }));
        });
    });
}

std::vector<NodeId> nodesOf(const Graph &graph, const Match &match,
                            const std::set<std::string> &calls)
{
    std::set<NodeId> distinct;
    for (const std::string &name : calls)
        distinct.insert(match.call(name));
    std::vector<NodeId> nodes(distinct.begin(), distinct.end());
    std::ranges::sort(nodes, {}, [&](NodeId id) { return graph.position(id); });
    return nodes;
}

} // namespace

std::vector<RecognisedBlock> recognise(const Graph &graph, const Opsets &opsets)
{
    static const Index index = indexOf(knownBlocks());
    const GraphTerms terms(graph, opsets);
    std::vector<RecognisedBlock> candidates;
    for (const NodeId root : graph.order()) {
        const auto spellings = index.find(graph.node(root).qualifiedOp());
        if (spellings == index.end())
            continue;
        for (const Spelling &spelling : spellings->second)
            forEachMatch(*spelling.pattern, terms, root, false, [&](const Match &match) {
                if (spelling.block->when && !spelling.block->when(match))
                    return true;
                auto nodes = nodesOf(graph, match, spelling.calls);
                if (!isClosed(graph, nodes))
                    return true;
                candidates.push_back({spelling.block->name, std::move(nodes)});
                return false;
            });
    }
    std::ranges::stable_sort(candidates, std::greater(),
                             [](const RecognisedBlock &block) { return block.nodes.size(); });
    std::vector<RecognisedBlock> blocks;
    std::vector<bool> taken(graph.nodeBound(), false);
    for (RecognisedBlock &candidate : candidates) {
        if (std::ranges::any_of(candidate.nodes, [&](NodeId id) { return taken[id.index]; }))
            continue;
        for (const NodeId id : candidate.nodes)
            taken[id.index] = true;
        blocks.push_back(std::move(candidate));
    }
    return blocks;
}

} // namespace graphloom::dnnfusion
