// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/realization.h"

#include "plugins/magis/fission/region_part.h"
#include "plugins/magis/realize/node_part.h"
#include "plugins/magis/realize/part_writer.h"
#include "plugins/magis/simulation/trace_lives.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

std::vector<std::int64_t> keyOf(const Box &box)
{
    std::vector<std::int64_t> key;
    for (const Parts::Interval &interval : box)
        key.insert(key.end(), {interval.begin, interval.end});
    return key;
}

/// Collects what the parts of a fission have computed so far.
struct Loop {
    std::map<TensorId, std::vector<Held>> pieces;
    std::map<TensorId, Held> sums;
};

using Slices = std::map<std::pair<TensorId, std::vector<std::int64_t>>, Held>;

/// Holds the tensors of one part while it runs; outer frames hold those from outside.
struct Frame {
    Frame *outer = nullptr;
    RegionIndex region;
    int depth = 0;
    const Fission *fission = nullptr;
    RegionPart part;
    Loop *loop = nullptr;
    std::vector<std::pair<PartIndex, int>> parts; // of all frames, outermost first
    std::map<TensorId, Held> held;                // by original tensor
    Slices slices;
    std::set<TensorId> given;   // tensors that the loop has already
    std::set<LifeIndex> loaded; // lives whose load has been noted
};

class Realizer {
public:
    Realizer(const MemoryGraph &memory, FissionTable &table, const Arrangement &arrangement,
             const Trace &trace, const Opsets &opsets)
        : m_memory(memory), m_graph(memory.graph()), m_table(table), m_plan(arrangement),
          m_trace(trace), m_parts(memory.graph(), opsets), m_writer(memory.graph()),
          m_lives(memory, trace)
    {
    }

    Result<Realized> run()
    {
        Frame root;
        GL_TRY(emitRuns(RunIndex(0), m_trace.runs.nextIndex(), root));
        std::vector<Held> outputs;
        for (const TensorId output : m_graph.outputs()) {
            GL_TRY_RESULT(held, find(output, root));
            outputs.push_back(*std::move(held));
        }
        auto result = m_writer.finish(outputs);
        if (result)
            result->swaps = std::move(m_swaps);
        return result;
    }

private:
    RegionIndex regionOf(RunIndex run) const
    {
        return m_plan.regionAt(m_plan.position(m_trace.runs[run].step));
    }

    Result<void> emitRuns(RunIndex begin, RunIndex end, Frame &frame)
    {
        for (RunIndex r = begin; r < end;) {
            const RegionIndex child = m_plan.outermostBelow(regionOf(r), frame.region);
            RunIndex past = r + 1;
            while (child.isValid() && past < end &&
                   m_plan.outermostBelow(regionOf(past), frame.region) == child)
                ++past;
            GL_TRY_CONST(done,
                         child.isValid() ? emitParts(r, past, child, frame) : emitRun(r, frame));
            r = past;
        }
        return {};
    }

    /// Emits the runs of a fission, part by part.
    Result<void> emitParts(RunIndex begin, RunIndex end, RegionIndex region, Frame &outer)
    {
        const EnabledFission &enabled = m_plan.fissions()[region];
        const Fission &fission = m_table.fission(enabled.fission);
        Loop loop;
        for (const PartIndex p : enabled.cutting().parts()) {
            Frame frame;
            frame.outer = &outer;
            frame.region = region;
            frame.depth = outer.depth + 1;
            frame.fission = &fission;
            frame.loop = &loop;
            frame.parts = outer.parts;
            frame.parts.emplace_back(p, enabled.number);
            auto part = regionPart(m_memory, fission, enabled.cutting(), p,
                                   [&](NodeId id) { return stepsAround(id, fission, outer); });
            if (!part)
                return tl::unexpected(part.error());
            frame.part = *std::move(part);
            GL_TRY(emitRuns(begin, end, frame));
        }
        m_writer.describe(outer.parts, {});
        for (const auto &[tensor, pieces] : loop.pieces) {
            const int dim = outputCut(tensor, fission).dim;
            GL_TRY(give(tensor, m_writer.join(pieces, tensor, dim), outer));
        }
        for (const auto &[tensor, sum] : loop.sums)
            GL_TRY(give(tensor, sum, outer));
        return {};
    }

    /// Returns the steps of a node in the innermost frame that cuts it along the same split.
    std::optional<Parts::Interval> stepsAround(NodeId id, const Fission &fission,
                                               const Frame &around) const
    {
        for (const Frame *frame = &around; frame->fission; frame = frame->outer)
            if (frame->fission->dimension().splitOf[id.index] ==
                fission.dimension().splitOf[id.index])
                return frame->part.intervals[frame->fission->place(id)];
        return std::nullopt;
    }

    const SplitTensor &outputCut(TensorId output, const Fission &fission) const
    {
        const NodeId id = m_graph.producer(output);
        const auto &outputs = m_graph.node(id).outputs;
        const auto o = std::size_t(std::ranges::find(outputs, output) - outputs.begin());
        return cutOf(fission.splitOf(m_memory, id).outputs, o);
    }

    Result<void> emitRun(RunIndex run, Frame &frame)
    {
        const NodeId node = m_memory.steps()[m_trace.runs[run].step].node;
        return emitNode(node, frame, run);
    }

    /// Returns how enclosing fissions cut a node; only the innermost along each dimension counts.
    std::vector<NodeCut> cutsOf(NodeId id, const Frame &frame) const
    {
        std::vector<NodeCut> cuts;
        std::set<int> known;
        for (const Frame *at = &frame; at->fission; at = at->outer)
            if (known.insert(at->fission->dimension().splitOf[id.index]).second)
                cuts.push_back({at->fission->splitOf(m_memory, id),
                                at->part.intervals[at->fission->place(id)], at->depth});
        std::ranges::reverse(cuts);
        return cuts;
    }

    /// Emits what a frame computes of a node; views have no run.
    Result<void> emitNode(NodeId id, Frame &frame, RunIndex run)
    {
        const bool again = run.isValid() && m_trace.runs[run].again;
        GL_TRY_RESULT(part, m_parts.of(id, cutsOf(id, frame)));
        const Node &original = m_graph.node(id);
        Node node = part->node;
        const std::size_t first = m_writer.order().size();
        Slices own; // a repetition does not reuse earlier slices
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (!original.inputs[i].valid())
                continue;
            m_writer.describe(frame.parts, run);
            if (part->constants[i]) {
                node.inputs[i] = m_writer.constant(*part->constants[i]);
                continue;
            }
            GL_TRY_CONST(held, take(original.inputs[i], part->inputs[i], part->depths[i],
                                    again ? &own : nullptr, frame, run));
            node.inputs[i] = held->tensor;
        }
        for (TensorId &capture : node.captures) {
            GL_TRY_CONST(held, find(capture, frame));
            capture = held->tensor;
        }
        m_writer.describe(frame.parts, run);
        for (std::size_t o = 0; o < node.outputs.size(); ++o)
            if (original.outputs[o].valid())
                node.outputs[o] = m_writer.version(original.outputs[o], part->outputs[o], again);
        const std::vector<TensorId> inputs = node.inputs, outputs = node.outputs;
        m_writer.add(std::move(node), id, Realized::Role::Call, again);
        // Slices and views of loaded tensors come before the node.
        noteLoads(original, inputs, m_writer.order()[first], frame, run);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            const TensorId tensor = original.outputs[o];
            if (!tensor.valid() || (again && !m_lives.begins(m_memory.bufferOf(tensor), run)))
                continue; // this output is still in memory
            GL_TRY(give(tensor, {outputs[o], part->outputs[o]}, frame));
        }
        return {};
    }

    // Tensors.

    /// Returns the version of a tensor that a frame reads. Creates views at their first read.
    Result<Held> find(TensorId tensor, Frame &frame)
    {
        Frame *at = &frame;
        for (;; at = at->outer) {
            if (const auto held = at->held.find(tensor); held != at->held.end())
                return held->second;
            if (!at->outer)
                break;
        }
        const NodeId producer = m_graph.producer(tensor);
        if (!producer.valid())
            return Held{tensor, wholeBox(*m_graph.tensor(tensor).shape)};
        if (m_memory.stepOf(producer).isValid())
            return fail(Error::Kind::Fault,
                        "\"" + m_graph.tensor(tensor).name + "\" is read before it is computed",
                        m_graph.node(producer).label());
        at = &frame;
        while (at->fission && !at->fission->contains(producer))
            at = at->outer;
        GL_TRY(emitNode(producer, *at, {}));
        return at->held.at(tensor);
    }

    /// Returns the frame that shares a slice: the innermost one whose parts take different slices.
    static Frame &frameAt(int depth, Frame &frame)
    {
        Frame *at = &frame;
        while (at->depth > depth)
            at = at->outer;
        return *at;
    }

    /// Returns a box of a tensor, sliced if more than the box is held. Slices of a repetition go to
    /// `own`.
    Result<Held> take(TensorId tensor, const Box &box, int depth, Slices *own, Frame &frame,
                      RunIndex run)
    {
        auto held = find(tensor, frame);
        if (!held || keyOf(held->box) == keyOf(box))
            return held;
        Frame &at = own ? frame : frameAt(depth, frame);
        const auto [slice, added] =
            (own ? *own : at.slices).try_emplace({held->tensor, keyOf(box)});
        if (added) {
            m_writer.describe(at.parts, run);
            slice->second = m_writer.slice(*held, tensor, box);
        }
        return slice->second;
    }

    /// Passes a computed tensor to its readers: inside the frame, and outside once all parts are
    /// computed.
    Result<void> give(TensorId tensor, const Held &held, Frame &frame)
    {
        const auto gives = frame.part.gives.find(tensor);
        const bool leaves = frame.fission && gives != frame.part.gives.end();
        const bool isSum = leaves && !outputCut(tensor, *frame.fission).isCut();
        if (!isSum) {
            for (Frame *at = &frame; at; at = at->outer)
                forgetViews(tensor, *at);
            frame.held[tensor] = held;
        }
        if (!leaves || !frame.given.insert(tensor).second)
            return {};
        if (isSum)
            return addTo(tensor, held, frame);
        Box box = held.box;
        const auto d = std::size_t(gives->second.dim);
        box[d] = {gives->second.begin, gives->second.end};
        const Held piece = keyOf(box) == keyOf(held.box) ? held : m_writer.slice(held, tensor, box);
        frame.loop->pieces[tensor].push_back(piece);
        return {};
    }

    /// Drops the views of an earlier version.
    void forgetViews(TensorId tensor, Frame &frame) const
    {
        const BufferIndex buffer = m_memory.bufferOf(tensor);
        if (!buffer.isValid() || !m_memory.stepOf(m_graph.producer(tensor)).isValid())
            return;
        for (const TensorId view : m_memory.buffers()[buffer].views)
            if (view != tensor)
                frame.held.erase(view);
    }

    /// Adds a part to the sum of the outermost fission that accumulates it, too.
    Result<void> addTo(TensorId tensor, const Held &held, Frame &frame)
    {
        Frame *top = &frame;
        while (top->outer->fission && top->outer->part.gives.contains(tensor) &&
               !outputCut(tensor, *top->outer->fission).isCut())
            top = top->outer;
        const auto [sum, first] = top->loop->sums.try_emplace(tensor, held);
        if (first)
            return {};
        const NodeId producer = m_graph.producer(tensor);
        const Combine combine = frame.fission->splitOf(m_memory, producer).combine;
        std::optional<Held> added;
        if (combine == Combine::Sum && m_memory.steps()[m_memory.stepOf(producer)].addsToSum)
            added = m_writer.addInKernel(sum->second, held);
        sum->second = added ? *added : m_writer.gather(sum->second, held, tensor, combine);
        return {};
    }

    /// Notes the tensors that a run is the first to read after their load.
    void noteLoads(const Node &original, const std::vector<TensorId> &inputs, NodeId made,
                   Frame &frame, RunIndex run)
    {
        for (std::size_t i = 0; run.isValid() && i < inputs.size(); ++i) {
            const TensorId tensor = original.inputs[i];
            const BufferIndex buffer = tensor.valid() ? m_memory.bufferOf(tensor) : BufferIndex();
            const LifeIndex life = buffer.isValid() ? m_lives.loadedAt(buffer, run) : LifeIndex();
            if (!life.isValid())
                continue;
            Frame *at = &frame;
            while (at->outer && at->region != m_plan.scope(buffer))
                at = at->outer;
            if (!at->loaded.insert(life).second)
                continue;
            const TensorId base = m_memory.buffers()[buffer].tensor;
            const auto held = at->held.find(base);
            Realized::Swap swap{held != at->held.end() ? held->second.tensor : base, made, {}};
            swap.returns = m_trace.lives[life].first;
            if (const LifeIndex before = m_lives.before(life); before.isValid()) {
                swap.leaves = m_trace.lives[before].last;
                swap.leavesLater = m_trace.lives[before].lastLater;
            }
            m_swaps.push_back(swap);
        }
    }

    const MemoryGraph &m_memory;
    const Graph &m_graph;
    FissionTable &m_table;
    const Arrangement &m_plan;
    const Trace &m_trace;
    NodeParts m_parts;
    PartWriter m_writer;
    const TraceLives m_lives;
    std::vector<Realized::Swap> m_swaps;
};

} // namespace

Result<Realized> realized(const MemoryGraph &memory, FissionTable &table,
                          const Arrangement &arrangement, const Trace &trace, const Opsets &opsets)
{
    return Realizer(memory, table, arrangement, trace, opsets).run();
}

} // namespace graphloom::magis
