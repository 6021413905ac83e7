// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"
#include "plugins/magis/simulation/simulation.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/attribute.h"
#include "tests/support/sketch.h"

/// Small graphs whose memory and time can be told by hand.
namespace graphloom::test {

using Bytes = std::vector<std::int64_t>;
inline constexpr std::int64_t K = 1024;

/// Kernels take a second each, whatever they do. `hostLink` in bytes a second.
inline Device secondsDevice(double hostLink = 0)
{
    Device device;
    device.name = "seconds";
    device.peakFlops = device.bandwidth = device.cacheBandwidth = 1e30;
    device.launchSeconds = 1;
    device.hostLink = hostLink;
    return device;
}

/// A graph in its own order, and what becomes of its tensors.
struct Run {
    magis::MemoryGraph memory;
    magis::SearchSpace space;
    std::shared_ptr<const magis::Arrangement> arrangement;
    magis::Policies policies;
    magis::Outcome outcome;
    magis::Trace trace;

    explicit Run(const Graph &graph, double hostLink = 0, bool weights = false)
        : memory(memoryOf(graph, secondsDevice(hostLink), weights)),
          space(memory, {ownOrder(memory)}), arrangement(space.arrange(magis::firstOrder, {})),
          policies(space.keepAll())
    {
    }
    Run(const Run &) = delete;

    /// Evicts a tensor between its uses.
    Run &evict(TensorId tensor, magis::Policy policy)
    {
        for (const magis::EvictionIndex e : space.evictionsOf(memory.bufferOf(tensor)))
            policies[e] = policy;
        return *this;
    }
    /// Splits the nodes that compute these tensors along a dimension of the first one.
    bool split(const std::vector<TensorId> &tensors, int dim, int number, int size = 0)
    {
        std::vector<NodeId> nodes;
        for (const TensorId tensor : tensors)
            nodes.push_back(memory.graph().producer(tensor));
        auto fission =
            magis::Fission::of(memory,
                               std::make_shared<const magis::GraphDimension>(
                                   magis::dimensionThrough(memory, tensors.front(), dim, false)),
                               nodes);
        if (!fission)
            return false;
        arrangement = space.arrange(magis::firstOrder,
                                    {{space.fissions().add(std::move(*fission)), number, size}});
        return arrangement != nullptr;
    }
    Bytes bytes()
    {
        trace = magis::Trace();
        outcome = magis::Simulator(memory, space.evictions()).run(*arrangement, policies, &trace);
        Bytes list;
        for (const magis::Trace::Run &run : trace.runs)
            list.push_back(run.bytes);
        return list;
    }
    std::size_t again() const
    {
        return std::size_t(std::ranges::count_if(trace.runs, &magis::Trace::Run::again));
    }
};

inline TensorId turned(Sketch &s, TensorId x)
{
    return s.call("Transpose", {x}, {ints("perm", {1, 0})});
}

/// x (256 bytes) -> a -> kept -> b -> wide (4 KiB) -> d -> e -> f -> f + kept; the others have 1
/// KiB.
struct Skip {
    TensorId x, a, kept, wide, out;
    Graph graph;

    Skip()
    {
        Sketch s;
        x = s.input("x", {4, 16});
        a = s.call("Concat", {x, x, x, x}, {integer("axis", 0)});
        kept = turned(s, a);
        const TensorId b = turned(s, kept);
        wide = s.call("Concat", {b, b, b, b}, {integer("axis", 0)});
        const TensorId d = s.call("MatMul", {s.weight({16, 64}), wide});
        const TensorId f = turned(s, turned(s, d));
        out = s.call("Add", {f, kept});
        graph = s.finish({out});
    }
};

/// Two products with a wide tensor between them, for 8 elements of a batch.
struct Mlp {
    TensorId x, hidden, y;
    Graph graph;

    Mlp()
    {
        Sketch s;
        x = s.input("x", {8, 16});                          // 512 bytes
        hidden = s.call("MatMul", {x, s.weight({16, 64})}); // 2 KiB
        y = s.call("MatMul", {hidden, s.weight({64, 16})}); // 512 bytes
        graph = s.finish({y});
    }
};

} // namespace graphloom::test
