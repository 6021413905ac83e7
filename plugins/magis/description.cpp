// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/description.h"

#include "engine/plan/memory/arena.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

std::string nameOf(const MemoryGraph &memory, int buffer)
{
    const TensorId tensor = memory.buffers()[std::size_t(buffer)].tensor;
    return memory.graph().tensor(tensor).name;
}

std::vector<MemoryPlan::Step> stepsOf(const MemoryGraph &memory, const Trace &trace)
{
    std::vector<MemoryPlan::Step> steps;
    for (const Trace::Run &run : trace.runs)
        steps.push_back({memory.graph().node(memory.steps()[std::size_t(run.step)].node).name,
                         run.start * 1e3, run.seconds * 1e3, run.bytes, run.again, run.workspace});
    return steps;
}

/// Places all lives in one arena; lives that take over memory of the same size stay in its place.
void addLives(const MemoryGraph &memory, const Trace &trace, MemoryPlan &plan)
{
    std::vector<std::size_t> root(trace.lives.size());
    std::vector<ArenaRequest> requests;
    std::vector<std::size_t> requestOf(trace.lives.size());
    for (std::size_t l = 0; l < trace.lives.size(); ++l) {
        const Trace::Life &life = trace.lives[l];
        const bool takes =
            life.takesOver >= 0 && trace.lives[std::size_t(life.takesOver)].bytes == life.bytes;
        if (takes) { // what is taken over was there before
            requestOf[l] = requestOf[std::size_t(life.takesOver)];
            requests[requestOf[l]].last =
                std::max(requests[requestOf[l]].last, std::uint32_t(life.last));
            continue;
        }
        requestOf[l] = requests.size();
        requests.push_back({life.bytes, std::uint32_t(life.first), std::uint32_t(life.last)});
    }
    for (std::size_t r = 0; r < trace.runs.size(); ++r)
        if (trace.runs[r].workspace > 0) {
            requests.push_back({trace.runs[r].workspace, std::uint32_t(r), std::uint32_t(r)});
            plan.workspaceBytes = std::max(plan.workspaceBytes, trace.runs[r].workspace);
        }
    const ArenaLayout layout = planArena(requests);
    plan.arenaBytes = memory.residentBytes() + layout.bytes;
    for (std::size_t l = 0; l < trace.lives.size(); ++l) {
        const Trace::Life &life = trace.lives[l];
        plan.lives.push_back({nameOf(memory, life.buffer), std::uint32_t(life.first),
                              std::uint32_t(life.last), life.bytes, layout.offsets[requestOf[l]]});
    }
}

/// "dimension 0 of x", of the first tensor that is cut.
std::string nameOf(const MemoryGraph &memory, const Fission &fission)
{
    const Graph &graph = memory.graph();
    const auto text = [&](TensorId tensor) {
        return "dimension " + std::to_string(fission.dimension().dimOf[tensor.index]) + " of " +
               graph.tensor(tensor).name;
    };
    for (const TensorId input : fission.inputs())
        if (fission.dimension().dimOf[input.index] >= 0 && !graph.tensor(input).constant)
            return text(input);
    for (const NodeId id : fission.nodes())
        for (const TensorId output : graph.node(id).outputs)
            if (output.valid() && fission.dimension().dimOf[output.index] >= 0)
                return text(output);
    return "a dimension that is summed up";
}

void addFissions(const SearchSpace &space, const std::vector<EnabledFission> &all, MemoryPlan &plan)
{
    const FissionTable &table = space.fissions();
    const Graph &graph = space.memory().graph();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Fission &fission = table.fission(all[i].fission);
        std::string cut = nameOf(space.memory(), fission);
        if (all[i].size > 0)
            cut += ", " + std::to_string(all[i].size) + " of " + std::to_string(fission.units()) +
                   " at a time";
        MemoryPlan::Fission entry{std::move(cut),
                                  graph.node(fission.nodes().front()).name,
                                  graph.node(fission.nodes().back()).name,
                                  fission.nodes().size(),
                                  -1,
                                  all[i].number,
                                  fission.units(),
                                  {},
                                  fission.numbers(),
                                  0,
                                  0,
                                  {}};
        for (const NodeId id : fission.nodes()) {
            const Node &node = graph.node(id);
            entry.names.push_back(node.name.empty() ? graph.tensor(node.outputs.front()).name
                                                    : node.name);
        }
        for (std::size_t j = 0; j < i; ++j)
            if (std::ranges::all_of(fission.nodes(), [&](NodeId node) {
                    return table.fission(all[j].fission).contains(node);
                }))
                entry.parent = int(j);
        plan.fissions.push_back(std::move(entry));
    }
}

} // namespace

std::vector<EnabledFission> treeOf(const SearchSpace &space, const State &state,
                                   std::span<const int> candidates)
{
    std::vector<EnabledFission> all = state.arrangement->fissions();
    for (const int candidate : candidates)
        if (std::ranges::find(all, candidate, &EnabledFission::fission) == all.end())
            all.push_back({candidate, 1});
    std::ranges::stable_sort(all, std::ranges::greater{}, [&](const EnabledFission &enabled) {
        return space.fissions().fission(enabled.fission).nodes().size();
    });
    return all;
}

MemoryPlan described(const SearchSpace &space, const State &state, std::span<const int> candidates)
{
    const MemoryGraph &memory = space.memory();
    Trace trace;
    Simulator(memory, space.evictions()).run(*state.arrangement, state.policies, &trace);
    MemoryPlan plan;
    plan.device = memory.device().name;
    plan.after = {state.outcome.seconds * 1e3, state.outcome.peak, "search"};
    plan.residentBytes = memory.residentBytes();
    plan.steps = stepsOf(memory, trace);
    addLives(memory, trace, plan);
    for (const Trace::Transfer &transfer : trace.transfers)
        plan.transfers.push_back({nameOf(memory, transfer.buffer), transfer.load,
                                  transfer.start * 1e3, transfer.end * 1e3});
    addFissions(space, treeOf(space, state, candidates), plan);
    for (std::size_t e = 0; e < state.policies.size(); ++e)
        if (state.arrangement->gap(int(e)).isPossible()) {
            plan.recomputed += state.policies[e] == Policy::Recompute;
            plan.swapped += state.policies[e] == Policy::Swap;
        }
    return plan;
}

void addUnoptimized(const SearchSpace &space, const State &before, MemoryPlan &plan)
{
    Trace trace;
    Simulator(space.memory(), space.evictions()).run(*before.arrangement, before.policies, &trace);
    plan.before = {before.outcome.seconds * 1e3, before.outcome.peak, "own order"};
    plan.stepsBefore = stepsOf(space.memory(), trace);
}

} // namespace graphloom::magis
