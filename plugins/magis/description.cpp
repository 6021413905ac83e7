// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/description.h"

#include "engine/plan/memory/arena.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

std::string nameOf(const MemoryGraph &memory, BufferIndex buffer)
{
    const TensorId tensor = memory.buffers()[buffer].tensor;
    return memory.graph().tensor(tensor).name;
}

std::vector<MemoryPlan::Step> stepsOf(const MemoryGraph &memory, const Trace &trace)
{
    std::vector<MemoryPlan::Step> steps;
    for (const Trace::Run &run : trace.runs)
        steps.push_back({memory.graph().node(memory.steps()[run.step].node).name, run.start * 1e3,
                         run.seconds * 1e3, run.bytes, run.again, run.workspace});
    return steps;
}

/// Places all lives in one arena; a life that takes over memory of the same size stays in place.
void addLives(const MemoryGraph &memory, const Trace &trace, MemoryPlan &plan)
{
    const auto step = [](RunIndex run) { return std::uint32_t(run.number()); };
    std::vector<ArenaRequest> requests;
    IndexedVector<LifeIndex, std::size_t> requestOf(trace.lives.size());
    for (const LifeIndex l : trace.lives.indices()) {
        const Trace::Life &life = trace.lives[l];
        const bool takes =
            life.takesOver.isValid() && trace.lives[life.takesOver].bytes == life.bytes;
        if (takes) { // the life taken over is listed earlier
            requestOf[l] = requestOf[life.takesOver];
            requests[requestOf[l]].last = std::max(requests[requestOf[l]].last, step(life.last));
            continue;
        }
        requestOf[l] = requests.size();
        requests.push_back({life.bytes, step(life.first), step(life.last)});
    }
    for (const RunIndex r : trace.runs.indices())
        if (trace.runs[r].workspace > 0) {
            requests.push_back({trace.runs[r].workspace, step(r), step(r)});
            plan.workspaceBytes = std::max(plan.workspaceBytes, trace.runs[r].workspace);
        }
    const ArenaLayout layout = planArena(requests);
    plan.arenaBytes = memory.residentBytes() + layout.bytes;
    for (const LifeIndex l : trace.lives.indices()) {
        const Trace::Life &life = trace.lives[l];
        plan.lives.push_back({nameOf(memory, life.buffer), step(life.first), step(life.last),
                              life.bytes, layout.offsets[requestOf[l]]});
    }
}

/// Names the dimension after the first tensor that is cut: "dimension 0 of x".
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
                                   std::span<const FissionIndex> candidates)
{
    std::vector<EnabledFission> all = state.arrangement->fissions().elements();
    for (const FissionIndex candidate : candidates)
        if (std::ranges::find(all, candidate, &EnabledFission::fission) == all.end())
            all.push_back({candidate, 1});
    std::ranges::stable_sort(all, std::ranges::greater{}, [&](const EnabledFission &enabled) {
        return space.fissions().fission(enabled.fission).nodes().size();
    });
    return all;
}

MemoryPlan described(const SearchSpace &space, const State &state,
                     std::span<const FissionIndex> candidates)
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
    for (const EvictionIndex e : state.policies.indices())
        if (state.arrangement->gap(e).isPossible()) {
            plan.recomputed += state.policies[e] == Policy::Recompute;
            plan.swapped += state.policies[e] == Policy::Swap;
        }
    return plan;
}

void addUnoptimized(const SearchSpace &space, const State &before, MemoryPlan &plan)
{
    Trace trace;
    Simulator(space.memory(), space.evictions()).run(*before.arrangement, before.policies, &trace);
    plan.before = {before.outcome.seconds * 1e3, before.outcome.peak, "unchanged order"};
    plan.stepsBefore = stepsOf(space.memory(), trace);
}

} // namespace graphloom::magis
