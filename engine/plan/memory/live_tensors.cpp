// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory/live_tensors.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/passing.h"
#include "engine/ops/describe/stage.h"
#include "engine/plan/memory/arena.h"

#include <algorithm>

namespace graphloom {

namespace {

using StepIndex = LiveTensors::StepIndex;
using LifeIndex = LiveTensors::LifeIndex;
/// Counts the buffers.
using BufferIndex = TypedIndex<struct LiveBufferTag>;

/// Memory of a tensor and of its views.
struct LiveBuffer {
    TensorId tensor;
    std::vector<TensorId> views;
    std::int64_t bytes = 0;
    StepIndex producer; // none: it is there from the start
    NodeId computedBy;
    std::vector<StepIndex> readers; // ascending, each once
    NodeId lastReader;
    bool resident = false, output = false;
    bool kept = false;    // to the end: an output that takes no weight's place, or that place
    bool updates = false; // in the place of what was there before
};

/// What a step writes first, and whose memory that may take over.
struct LiveStep {
    std::vector<NodeId> nodes;
    std::vector<BufferIndex> reads, writes; // reads each once
    std::vector<BufferIndex> overwrites;
};

class LiveWalk {
public:
    LiveWalk(const Graph &graph, const Opsets &opsets, const LiveTensorOptions &options)
        : m_graph(graph), m_opsets(opsets), m_options(options)
    {
        m_bufferOf.resize(graph.tensorBound());
    }

    std::optional<LiveTensors> run()
    {
        if (m_options.blocks) {
            for (const Subgraph &block : m_options.blocks->subgraphs)
                addStep(block.nodes);
        } else {
            for (const NodeId id : m_graph.order())
                addStep({id});
        }
        if (m_options.stop.stop_requested())
            return std::nullopt;
        for (const TensorId output : m_graph.outputs())
            if (const BufferIndex b = bufferOf(output); b.isValid())
                m_buffers[b].output = m_buffers[b].kept = true;
        findUpdates();
        listLives();
        tally();
        if (m_options.arena)
            place();
        if (m_options.stop.stop_requested())
            return std::nullopt;
        return std::move(m_result);
    }

private:
    /// Of a tensor's memory; none when its size is not known.
    BufferIndex bufferOf(TensorId id)
    {
        std::optional<BufferIndex> &known = m_bufferOf[id.index];
        if (known)
            return *known;
        const Tensor &tensor = m_graph.tensor(id);
        const bool sized =
            tensor.shape && isStatic(*tensor.shape) && tensor.type != DataType::Undefined;
        if (!sized) {
            m_result.unsized.push_back(id);
            return known.emplace();
        }
        LiveBuffer buffer;
        buffer.tensor = id;
        std::int64_t elements = 1;
        for (const Dim &extent : *tensor.shape)
            elements *= extent.value();
        buffer.bytes = (elements * bitsOf(tensor.type) + 7) / 8;
        buffer.resident = tensor.constant != nullptr;
        return known.emplace(m_buffers.append(std::move(buffer)));
    }

    /// Makes the node's output a view of its input, if that is all it does.
    bool isView(const Node &node, const Call &call, const Description &description)
    {
        if (description.isOpaque() || node.outputs.size() != 1)
            return false;
        const auto handedOn = inputHandedOn(description, call, 0);
        if (!handedOn || call.type(std::size_t(*handedOn)) != m_graph.tensor(node.outputs[0]).type)
            return false;
        const BufferIndex b = bufferOf(node.inputs[std::size_t(*handedOn)]);
        if (!b.isValid())
            return false;
        m_bufferOf[node.outputs[0].index] = b;
        m_buffers[b].views.push_back(node.outputs[0]);
        return true;
    }

    void addStep(const std::vector<NodeId> &nodes)
    {
        if (m_options.stop.stop_requested())
            return;
        LiveStep step;
        step.nodes = nodes;
        const StepIndex number = m_steps.nextIndex();
        std::size_t kernels = 0;
        std::vector<BufferIndex> inputs; // that the one kernel may overwrite
        for (const NodeId id : nodes) {
            const Node &node = m_graph.node(id);
            const std::vector<const Tensor *> operands = operandsOf(m_graph, node);
            const Call call(node, operands, m_opsets(node.domain));
            const auto description = describe(call);
            if (description && isView(node, call, *description))
                continue;
            ++kernels;
            forEachRead(node, [&](TensorId tensor, std::uint32_t) {
                const BufferIndex b = bufferOf(tensor);
                if (!b.isValid())
                    return;
                m_buffers[b].lastReader = id;
                if (std::ranges::find(step.reads, b) == step.reads.end())
                    step.reads.push_back(b);
            });
            for (const TensorId output : node.outputs)
                if (const BufferIndex b = output.valid() ? bufferOf(output) : BufferIndex();
                    b.isValid()) {
                    m_buffers[b].producer = number;
                    m_buffers[b].computedBy = id;
                    step.writes.push_back(b);
                }
            if (description)
                for (const int input : inputsOverwritable(*description, call))
                    inputs.push_back(bufferOf(node.inputs[std::size_t(input)]));
        }
        if (kernels == 0)
            return;
        if (kernels == 1 &&
            !step.writes.empty()) // of a longer block nobody knows what it reads when
            for (const BufferIndex b : inputs)
                if (b.isValid() && m_buffers[b].bytes >= m_buffers[step.writes[0]].bytes)
                    step.overwrites.push_back(b);
        for (const BufferIndex b : step.reads)
            m_buffers[b].readers.push_back(number);
        std::ranges::sort(step.overwrites);
        m_steps.push_back(std::move(step));
    }

    /// An update may take the place of its weight, or of an optimizer's state that the graph is
    /// given, once everything else has read it.
    void findUpdates()
    {
        for (const StepIndex s : m_steps.indices()) {
            std::vector<BufferIndex> places = m_steps[s].overwrites;
            std::erase_if(places, [&](BufferIndex b) {
                const LiveBuffer &old = m_buffers[b];
                return old.producer.isValid() || old.kept || old.readers.back() != s;
            });
            std::ranges::stable_sort(places, std::ranges::greater{}, [&](BufferIndex b) {
                return m_buffers[b].resident; // its memory is there in any case
            });
            for (const BufferIndex written : m_steps[s].writes) {
                LiveBuffer &update = m_buffers[written];
                const auto at = std::ranges::find_if(
                    places, [&](BufferIndex b) { return m_buffers[b].bytes == update.bytes; });
                if (!update.kept || at == places.end())
                    continue;
                update.updates = true;
                LiveBuffer &old = m_buffers[*at];
                old.kept = !old.resident; // under its new name
                places.erase(at);
            }
        }
    }

    /// Read by no step but the one that computes it, as part of a block.
    bool isInside(const LiveBuffer &buffer) const
    {
        return m_options.blocks && buffer.producer.isValid() && !buffer.output &&
               !buffer.readers.empty() && buffer.readers.back() == buffer.producer;
    }

    void listLives()
    {
        m_lifeOf.resize(m_buffers.size());
        const StepIndex end = m_steps.empty() ? StepIndex(0) : m_steps.lastIndex();
        std::vector<BufferIndex> order;
        for (const BufferIndex b : m_buffers.indices())
            order.push_back(b);
        std::ranges::stable_sort(order, {}, [&](BufferIndex b) { return m_buffers[b].producer; });
        for (const BufferIndex b : order) {
            const LiveBuffer &buffer = m_buffers[b];
            if (buffer.resident) {
                m_result.weights.push_back({buffer.tensor, buffer.bytes});
                m_result.residentBytes += buffer.bytes;
                continue;
            }
            if (isInside(buffer))
                continue;
            LiveTensors::Life life;
            life.tensor = buffer.tensor;
            life.views = buffer.views;
            life.producer = buffer.computedBy;
            life.lastReader = buffer.lastReader;
            life.first = std::max(buffer.producer, StepIndex(0));
            life.last = buffer.kept              ? end
                        : buffer.readers.empty() ? life.first
                                                 : buffer.readers.back();
            life.bytes = buffer.updates ? 0 : buffer.bytes;
            life.output = buffer.output;
            m_lifeOf[b] = m_result.lives.append(std::move(life));
        }
    }

    /// Which life the first result of a step takes over, when that is the last use of it.
    void takeOver(StepIndex number, const LiveStep &step)
    {
        if (step.writes.empty() || m_buffers[step.writes[0]].updates)
            return;
        LiveTensors::Life &to = m_result.lives[m_lifeOf[step.writes[0]]];
        for (const BufferIndex b : step.overwrites) {
            const LifeIndex from = m_lifeOf[b];
            if (!from.isValid() || m_buffers[b].kept)
                continue;
            const LiveTensors::Life &life = m_result.lives[from];
            if (life.last != number || life.bytes < to.bytes)
                continue;
            to.takesOver = from;
            return;
        }
    }

    void tally()
    {
        IndexedVector<StepIndex, std::int64_t> change(m_steps.size() + 1), saved(m_steps.size());
        for (const LiveTensors::Life &life : m_result.lives)
            if (!m_steps.empty()) {
                change[life.first] += life.bytes;
                change[life.last + 1] -= life.bytes;
            }
        for (const StepIndex s : m_steps.indices())
            takeOver(s, m_steps[s]);
        for (const LiveTensors::Life &life : m_result.lives)
            if (life.takesOver.isValid())
                saved[life.first] += life.bytes;
        std::int64_t alive = m_result.residentBytes;
        for (const StepIndex s : m_steps.indices()) {
            alive += change[s];
            const std::int64_t bytes = alive - saved[s];
            m_result.steps.push_back({std::move(m_steps[s].nodes), bytes});
            if (bytes > m_result.peakBytes) {
                m_result.peakBytes = bytes;
                m_result.peakStep = s;
            }
        }
    }

    /// What takes over as much memory as it needs stays in its place.
    void place()
    {
        std::vector<ArenaRequest> requests;
        IndexedVector<LifeIndex, std::size_t> requestOf(m_result.lives.size());
        for (const LifeIndex l : m_result.lives.indices()) {
            const LiveTensors::Life &life = m_result.lives[l];
            const auto first = std::uint32_t(life.first.number());
            const auto last = std::uint32_t(life.last.number());
            const LifeIndex from = life.takesOver;
            if (from.isValid() && m_result.lives[from].bytes == life.bytes) {
                requestOf[l] = requestOf[from]; // that was computed before
                requests[requestOf[l]].last = std::max(requests[requestOf[l]].last, last);
                continue;
            }
            requestOf[l] = requests.size();
            requests.push_back({life.bytes, first, last});
        }
        const ArenaLayout layout = planArena(requests, 64, m_options.stop);
        if (m_options.stop.stop_requested())
            return;
        m_result.arenaBytes = layout.bytes;
        for (const LifeIndex l : m_result.lives.indices())
            m_result.lives[l].offset = layout.offsets[requestOf[l]];
    }

    const Graph &m_graph;
    const Opsets &m_opsets;
    const LiveTensorOptions &m_options;
    std::vector<std::optional<BufferIndex>> m_bufferOf; // by tensor id; empty: not seen yet
    IndexedVector<BufferIndex, LiveBuffer> m_buffers;
    IndexedVector<StepIndex, LiveStep> m_steps;
    IndexedVector<BufferIndex, LifeIndex> m_lifeOf;
    LiveTensors m_result;
};

} // namespace

std::optional<LiveTensors> liveTensorsOf(const Graph &graph, const Opsets &opsets,
                                         const LiveTensorOptions &options)
{
    return LiveWalk(graph, opsets, options).run();
}

} // namespace graphloom
