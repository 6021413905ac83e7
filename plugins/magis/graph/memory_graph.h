// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/typed_index.h"
#include "engine/cost/call_work.h"
#include "engine/cost/device.h"
#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"
#include "plugins/magis/graph/call_times.h"
#include "plugins/magis/graph/joined_lists.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace graphloom::magis {

/// Counts the steps of a graph, in the graph's order.
using StepIndex = TypedIndex<struct StepTag>;
/// Counts the buffers of a graph.
using BufferIndex = TypedIndex<struct BufferTag>;
/// Counts the places of an order of all steps.
using Position = TypedIndex<struct PositionTag>;
/// Counts the kinds of steps: steps that do the same work are of one kind.
using StepKind = TypedIndex<struct StepKindTag>;

/// Lists all steps in an order in which they can run.
using StepOrder = IndexedVector<Position, StepIndex>;

/// Describes the memory of one tensor and of its views, which hold the same elements in the same
/// order.
struct Buffer {
    TensorId tensor; // the tensor that is computed; the others are views of it
    std::vector<TensorId> views;
    std::int64_t bytes = 0;
    StepIndex producer;             // invalid: it is there from the start
    std::vector<StepIndex> readers; // ascending, each once
    bool resident = false;          // a weight: it stays for the next run
    bool kept = false;              // an output of the graph: it is there at the end
    /// Buffer of the weight or state whose memory this one takes over (an optimizer's update).
    BufferIndex updates;
};

/// Describes a node that takes time; views are not steps.
struct Step {
    NodeId node;
    std::vector<BufferIndex> reads, writes; // each once; `reads` ascending
    /// Buffers read whose memory the first of `writes` may take over if this is their last use:
    /// each element of the result depends on the same element of them.
    std::vector<BufferIndex> overwrites;
    std::vector<StepIndex> before; // steps that have to be earlier, ascending
    std::vector<StepIndex> after;  // steps that have to be later, ascending
    StepKind kind{0};
    bool once = false;      // it draws random numbers, which would be others the next time
    bool addsToSum = false; // its kernel can add to the sum so far (gradient.h)
};

/// Holds steps in a topological order, and the buffers that they read and write: all that
/// scheduling depends on.
class StepGraph {
public:
    StepGraph() = default;
    StepGraph(IndexedVector<StepIndex, Step> steps, IndexedVector<BufferIndex, Buffer> buffers)
        : m_steps(std::move(steps)), m_buffers(std::move(buffers))
    {
    }
    IndexedSpan<StepIndex, const Step> steps() const { return m_steps.span(); }
    IndexedSpan<BufferIndex, const Buffer> buffers() const { return m_buffers.span(); }

protected:
    IndexedVector<StepIndex, Step> m_steps;
    IndexedVector<BufferIndex, Buffer> m_buffers;
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
    /// Returns the buffer of a tensor; invalid for tensors without memory (omitted ones, or
    /// constants of shapes).
    BufferIndex bufferOf(TensorId tensor) const { return m_bufferOf[tensor.index]; }
    /// Returns the step of a node; invalid for views.
    StepIndex stepOf(NodeId node) const { return m_stepOf[node.index]; }
    /// Returns the work of a node, even if it is a view.
    const CallWork &workOf(NodeId node) const { return m_works[node.index]; }
    /// Returns the buffers that a step reads, except weights.
    std::span<const BufferIndex> reads(StepIndex step) const { return m_reads[step]; }
    /// Returns the buffers that a step writes.
    std::span<const BufferIndex> writes(StepIndex step) const { return m_steps[step].writes; }
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
    double seconds(StepIndex step) const { return m_seconds[step]; }
    /// Returns the seconds of a part of a node that is a step.
    double seconds(NodeId node, std::span<const CallWork::Cut> cuts) const;
    /// Returns the bytes of workspace that the kernel of a whole step, or of a part of a node,
    /// needs while it runs.
    std::int64_t workspace(StepIndex step) const { return m_workspaces[step]; }
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
    BufferIndex newBuffer(TensorId tensor);
    void link();
    void findUpdates();
    void numberKinds();

    Graph m_graph;
    Opsets m_opsets;
    Device m_device;
    std::vector<BufferIndex> m_bufferOf; // by tensor id
    std::vector<StepIndex> m_stepOf;     // by node id
    JoinedLists<StepIndex, BufferIndex> m_reads;
    std::vector<CallWork> m_works;
    std::vector<std::vector<bool>> m_canBeCut;           // by node id, and split
    std::map<std::string, std::vector<bool>> m_cuttable; // by signatureOf() the call
    std::shared_ptr<const CallTimes> m_times;            // null: all is modelled
    IndexedVector<StepIndex, double> m_seconds;
    IndexedVector<StepIndex, std::int64_t> m_workspaces;
    std::int64_t m_resident = 0;
    int m_kinds = 0;
};

} // namespace graphloom::magis
