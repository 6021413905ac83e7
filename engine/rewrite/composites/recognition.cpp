// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/composites/recognition.h"

#include "engine/base/steps.h"
#include "engine/rewrite/terms/graph_step.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace graphloom {

namespace {

void collectCalls(const Pattern &pattern, std::set<std::string> &names)
{
    if (pattern->kind == Pattern::Kind::Call)
        names.insert(pattern->name);
    for (const Pattern &input : pattern->inputs)
        collectCalls(input, names);
}

/// A spelling of a composite; spellings are indexed by the operator of their root.
struct Spelling {
    const Composite *composite;
    const Pattern *pattern;
    std::set<std::string> calls; // names
};
using Spellings = std::unordered_map<std::string, std::vector<Spelling>>;

Spellings spellingsOf(const std::vector<Composite> &composites)
{
    Spellings byRoot;
    for (const Composite &composite : composites)
        for (const Pattern &pattern : composite.spellings) {
            std::set<std::string> calls;
            collectCalls(pattern, calls);
            for (const std::string &op : pattern->ops)
                byRoot[op].push_back({&composite, &pattern, calls});
        }
    return byRoot;
}

/// Are the results of all nodes but the last only read by these nodes?
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

std::vector<RecognisedBlock> recognise(const Graph &graph, const Opsets &opsets,
                                       const std::stop_token &stop)
{
    static const Spellings byRoot = spellingsOf(composites());
    const GraphTerms terms(graph, opsets);
    std::vector<RecognisedBlock> candidates;
    for (const NodeId root : graph.order()) {
        if (stop.stop_requested())
            break;
        const auto spellings = byRoot.find(graph.node(root).qualifiedOp());
        if (spellings == byRoot.end())
            continue;
        for (const Spelling &spelling : spellings->second)
            forEachMatch(*spelling.pattern, terms, root, false, [&](const Match &match) {
                if (spelling.composite->when && !spelling.composite->when(match))
                    return true;
                auto nodes = nodesOf(graph, match, spelling.calls);
                if (!isClosed(graph, nodes))
                    return true;
                candidates.push_back({spelling.composite->name, std::move(nodes),
                                      spelling.composite, spelling.pattern});
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

namespace {

/// Replaces the block's nodes by one call; returns the graph unchanged if no operator computes it.
Result<Graph> withOneCall(const Graph &graph, const Opsets &opsets, const RecognisedBlock &block)
{
    const GraphTerms terms(graph, opsets);
    const Rule rule{.name = "call-" + block.name, .build = block.composite->build};
    std::set<std::string> calls;
    collectCalls(*block.spelling, calls);
    std::optional<Step> step;
    forEachMatch(*block.spelling, terms, block.nodes.back(), false, [&](const Match &match) {
        if (nodesOf(graph, match, calls) != block.nodes ||
            (block.composite->when && !block.composite->when(match)))
            return true;
        if (auto found = stepOf(terms, rule, match))
            step.emplace(*std::move(found));
        return !step;
    });
    if (!step)
        return graph;
    GL_TRY_RESULT(replaced, done(terms, *step));
    return std::move(replaced->graph);
}

} // namespace

Result<Graph> withComposites(const Graph &graph, const Opsets &opsets, const std::stop_token &stop)
{
    Graph result = graph;
    for (const RecognisedBlock &block : recognise(graph, opsets, stop)) {
        if (stop.stop_requested())
            return stoppedError();
        if (!block.composite->build)
            continue;
        GL_TRY_RESULT(replaced, withOneCall(result, opsets, block));
        result = *std::move(replaced);
    }
    if (stop.stop_requested())
        return stoppedError();
    return result;
}

} // namespace graphloom
