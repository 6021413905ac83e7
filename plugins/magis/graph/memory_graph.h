// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_work.h"
#include "engine/cost/device.h"
#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"
#include "plugins/magis/graph/call_times.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace graphloom::magis {

/// Describes the memory of one tensor and of its views, which hold the same elements in the same
/// order.
struct Buffer {
    TensorId tensor; // the tensor that is computed; the others are views of it
    std::vector<TensorId> views;
    std::int64_t bytes = 0;
    int producer = -1;        // step; -1: it is there from the start
    std::vector<int> readers; // steps, ascending, each once
    bool resident = false;    // a weight: it stays for the next run
    bool kept = false;        // an output of the graph: it is there at the end
    /// Buffer of the weight or state whose memory this one takes over (an optimizer's update); -1:
    /// none.
    int updates = -1;
};

/// Describes a node that takes time; views are not steps.
struct Step {
    NodeId node;
    std::vector<int> reads, writes; // buffers, each once
    /// Buffers read whose memory the first of `writes` may take over if this is their last use:
    /// each element of the result depends on the same element of them.
    std::vector<int> overwrites;
    std::vector<int> before; // steps that have to be earlier, ascending
    std::vector<int> after;  // steps that have to be later, ascending
    int kind = 0;            // equal for steps that do the same work
    bool once = false;       // it draws random numbers, which would be others the next time
    bool addsToSum = false;  // its kernel can add to the sum so far (gradient.h)
};

/// Holds steps in a topological order, and the buffers that they read and write: all that
/// scheduling depends on.
class StepGraph {
public:
    StepGraph() = default;
    StepGraph(std::vector<Step> steps, std::vector<Buffer> buffers)
        : m_steps(std::move(steps)), m_buffers(std::move(buffers))
    {
    }
    std::span<const Step> steps() const { return m_steps; }
    std::span<const Buffer> buffers() const { return m_buffers; }

protected:
    std::vector<Step> m_steps;
    std::vector<Buffer> m_buffers;
};

/// Represents a graph by its use of memory and time: buffers, and steps in the graph's order. All
/// states of a search share it.
class MemoryGraph : public StepGraph {
public:
    /// Makes the memory graph of a graph whose extents are all numbers. Fails (Model) naming the
    /// node if an extent is not a number or if the node contradicts its operator's definition;
    /// returns stoppedError() if stopped. Without `weights`, these take no memory: the runtime
    /// reads them from the mapped file.
    static Result<MemoryGraph> of(const Graph &graph, const Opsets &opsets, const Device &device,
                                  bool weights = true, const std::stop_token &stop = {});

    const Graph &graph() const { return m_graph; }
    const Device &device() const { return m_device; }
    const Opsets &opsets() const { return m_opsets; }
    /// Returns the buffer of a tensor; -1 for tensors without memory (omitted ones, or constants of
    /// shapes).
    int bufferOf(TensorId tensor) const { return m_bufferOf[tensor.index]; }
    /// Returns the step of a node; -1 for views.
    int stepOf(NodeId node) const { return m_stepOf[node.index]; }
    /// Returns the work of a node, even if it is a view.
    const CallWork &workOf(NodeId node) const { return m_works[node.index]; }
    /// Returns the buffers that a step reads, except weights.
    std::span<const int> reads(int step) const
    {
        return {m_reads.data() + m_readsAt[std::size_t(step)],
                m_reads.data() + m_readsAt[std::size_t(step) + 1]};
    }
    /// Returns the buffers that a step writes.
    std::span<const int> writes(int step) const { return m_steps[std::size_t(step)].writes; }
    /// Tells whether a part of this node, cut along one of its splits, can be computed by a node of
    /// its own (canBeCut()).
    bool canBeCut(NodeId node, int split) const
    {
        return m_canBeCut[node.index][std::size_t(split)];
    }
    /// Prices the calls of steps by these times from now on. Times that are added to them later
    /// affect only prices of parts.
    void use(std::shared_ptr<const CallTimes> times);
    bool isModelled() const { return !m_times; } // nothing was given to use()
    /// Returns the seconds of a whole step: modelled, unless use() has provided measured times.
    double seconds(int step) const { return m_seconds[std::size_t(step)]; }
    /// Returns the seconds of a part of a node that is a step.
    double seconds(NodeId node, std::span<const CallWork::Cut> cuts) const;
    /// Returns the bytes of workspace that the kernel of a whole step, or of a part of a node,
    /// needs while it runs.
    std::int64_t workspace(int step) const { return m_workspaces[std::size_t(step)]; }
    std::int64_t workspace(NodeId node, std::span<const CallWork::Cut> cuts) const
    {
        return workspaceBytes(m_device, m_works[node.index].work(cuts));
    }
    /// Returns the bytes of all weights.
    std::int64_t residentBytes() const { return m_resident; }
    int kinds() const { return m_kinds; }

private:
    Result<void> addNode(NodeId id, const Opsets &opsets);
    std::vector<bool> cuttable(const Call &call, const Description &description,
                               std::span<const Split> splits);
    int newBuffer(TensorId tensor);
    void link();
    void findUpdates();
    void numberKinds();

    Graph m_graph;
    Opsets m_opsets;
    Device m_device;
    std::vector<int> m_bufferOf, m_stepOf;
    std::vector<int> m_reads, m_readsAt; // one list after the other, which is faster to iterate
    std::vector<CallWork> m_works;
    std::vector<std::vector<bool>> m_canBeCut;           // by node id, and split
    std::map<std::string, std::vector<bool>> m_cuttable; // by signatureOf() the call
    std::shared_ptr<const CallTimes> m_times;            // null: all is modelled
    std::vector<double> m_seconds;
    std::vector<std::int64_t> m_workspaces; // by step
    std::int64_t m_resident = 0;
    int m_kinds = 0;
};

} // namespace graphloom::magis
