// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory/live_tensors.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/passing.h"
#include "engine/plan/memory/arena.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Memory of a tensor and of its views.
struct LiveBuffer {
    TensorId tensor;
    std::vector<TensorId> views;
    std::int64_t bytes = 0;
    int producer = -1; // step; -1: it is there from the start
    NodeId computedBy;
    std::vector<int> readers; // steps, ascending, each once
    NodeId lastReader;
    bool resident = false, output = false;
    bool kept = false;    // to the end: an output that takes no weight's place, or that place
    bool updates = false; // in the place of what was there before
};

/// What a step writes first, and whose memory that may take over.
struct LiveStep {
    std::vector<NodeId> nodes;
    std::vector<int> reads, writes; // buffers; reads each once
    std::vector<int> overwrites;
};

class LiveWalk {
public:
    LiveWalk(const Graph &graph, const Opsets &opsets, const LiveTensorOptions &options)
        : m_graph(graph), m_opsets(opsets), m_options(options)
    {
        m_bufferOf.assign(graph.tensorBound(), unseen);
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
            if (const int b = bufferOf(output); b >= 0)
                m_buffers[std::size_t(b)].output = m_buffers[std::size_t(b)].kept = true;
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
    static constexpr int unseen = -1, without = -2;

    /// Of a tensor's memory; negative when its size is not known.
    int bufferOf(TensorId id)
    {
        int &number = m_bufferOf[id.index];
        if (number != unseen)
            return number;
        const Tensor &tensor = m_graph.tensor(id);
        const bool sized =
            tensor.shape && isStatic(*tensor.shape) && tensor.type != DataType::Undefined;
        if (!sized) {
            m_result.unsized.push_back(id);
            return number = without;
        }
        LiveBuffer buffer;
        buffer.tensor = id;
        std::int64_t elements = 1;
        for (const Dim &extent : *tensor.shape)
            elements *= extent.value();
        buffer.bytes = (elements * bitsOf(tensor.type) + 7) / 8;
        buffer.resident = tensor.constant != nullptr;
        number = int(m_buffers.size());
        m_buffers.push_back(std::move(buffer));
        return number;
    }

    /// Makes the node's output a view of its input, if that is all it does.
    bool isView(const Node &node, const Call &call, const Description &description)
    {
        if (description.isOpaque() || node.outputs.size() != 1)
            return false;
        const auto handedOn = inputHandedOn(description, call, 0);
        if (!handedOn || call.type(std::size_t(*handedOn)) != m_graph.tensor(node.outputs[0]).type)
            return false;
        const int b = bufferOf(node.inputs[std::size_t(*handedOn)]);
        if (b < 0)
            return false;
        m_bufferOf[node.outputs[0].index] = b;
        m_buffers[std::size_t(b)].views.push_back(node.outputs[0]);
        return true;
    }

    void addStep(const std::vector<NodeId> &nodes)
    {
        if (m_options.stop.stop_requested())
            return;
        LiveStep step;
        step.nodes = nodes;
        const int number = int(m_steps.size());
        std::size_t kernels = 0;
        std::vector<int> inputs; // that the one kernel may overwrite
        for (const NodeId id : nodes) {
            const Node &node = m_graph.node(id);
            const std::vector<const Tensor *> operands = operandsOf(m_graph, node);
            const Call call(node, operands, m_opsets(node.domain));
            const auto description = describe(call);
            if (description && isView(node, call, *description))
                continue;
            ++kernels;
            forEachRead(node, [&](TensorId tensor, std::uint32_t) {
                const int b = bufferOf(tensor);
                if (b < 0)
                    return;
                m_buffers[std::size_t(b)].lastReader = id;
                if (std::ranges::find(step.reads, b) == step.reads.end())
                    step.reads.push_back(b);
            });
            for (const TensorId output : node.outputs)
                if (const int b = output.valid() ? bufferOf(output) : without; b >= 0) {
                    m_buffers[std::size_t(b)].producer = number;
                    m_buffers[std::size_t(b)].computedBy = id;
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
            for (const int b : inputs)
                if (b >= 0 &&
                    m_buffers[std::size_t(b)].bytes >= m_buffers[std::size_t(step.writes[0])].bytes)
                    step.overwrites.push_back(b);
        for (const int b : step.reads)
            m_buffers[std::size_t(b)].readers.push_back(number);
        std::ranges::sort(step.overwrites);
        m_steps.push_back(std::move(step));
    }

    /// An update may take the place of its weight, or of an optimizer's state that the graph is
    /// given, once everything else has read it.
    void findUpdates()
    {
        for (int s = 0; s < int(m_steps.size()); ++s) {
            std::vector<int> places = m_steps[std::size_t(s)].overwrites;
            std::erase_if(places, [&](int b) {
                const LiveBuffer &old = m_buffers[std::size_t(b)];
                return old.producer >= 0 || old.kept || old.readers.back() != s;
            });
            std::ranges::stable_sort(places, std::ranges::greater{}, [&](int b) {
                return m_buffers[std::size_t(b)].resident; // its memory is there in any case
            });
            for (const int written : m_steps[std::size_t(s)].writes) {
                LiveBuffer &update = m_buffers[std::size_t(written)];
                const auto at = std::ranges::find_if(
                    places, [&](int b) { return m_buffers[std::size_t(b)].bytes == update.bytes; });
                if (!update.kept || at == places.end())
                    continue;
                update.updates = true;
                LiveBuffer &old = m_buffers[std::size_t(*at)];
                old.kept = !old.resident; // under its new name
                places.erase(at);
            }
        }
    }

    /// Read by no step but the one that computes it, as part of a block.
    bool isInside(const LiveBuffer &buffer) const
    {
        return m_options.blocks && buffer.producer >= 0 && !buffer.output &&
               !buffer.readers.empty() && buffer.readers.back() == buffer.producer;
    }

    void listLives()
    {
        m_lifeOf.assign(m_buffers.size(), -1);
        const std::uint32_t end = m_steps.empty() ? 0 : std::uint32_t(m_steps.size()) - 1;
        std::vector<std::size_t> order(m_buffers.size());
        for (std::size_t b = 0; b < order.size(); ++b)
            order[b] = b;
        std::ranges::stable_sort(order, {}, [&](std::size_t b) { return m_buffers[b].producer; });
        for (const std::size_t b : order) {
            const LiveBuffer &buffer = m_buffers[b];
            if (buffer.resident) {
                m_result.weights.push_back({buffer.tensor, buffer.bytes});
                m_result.residentBytes += buffer.bytes;
                continue;
            }
            if (isInside(buffer))
                continue;
            LiveTensors::Life life{buffer.tensor, buffer.views, buffer.computedBy,
                                   buffer.lastReader};
            life.first = std::uint32_t(std::max(buffer.producer, 0));
            life.last = buffer.kept              ? end
                        : buffer.readers.empty() ? life.first
                                                 : std::uint32_t(buffer.readers.back());
            life.bytes = buffer.updates ? 0 : buffer.bytes;
            life.output = buffer.output;
            m_lifeOf[b] = int(m_result.lives.size());
            m_result.lives.push_back(std::move(life));
        }
    }

    /// Which life the first result of a step takes over, when that is the last use of it.
    void takeOver(std::uint32_t number, const LiveStep &step)
    {
        if (step.writes.empty() || m_buffers[std::size_t(step.writes[0])].updates)
            return;
        LiveTensors::Life &to = m_result.lives[std::size_t(m_lifeOf[std::size_t(step.writes[0])])];
        for (const int b : step.overwrites) {
            const int from = m_lifeOf[std::size_t(b)];
            if (from < 0 || m_buffers[std::size_t(b)].kept)
                continue;
            const LiveTensors::Life &life = m_result.lives[std::size_t(from)];
            if (life.last != number || life.bytes < to.bytes)
                continue;
            to.takesOver = from;
            return;
        }
    }

    void tally()
    {
        std::vector<std::int64_t> change(m_steps.size() + 1), saved(m_steps.size());
        for (const LiveTensors::Life &life : m_result.lives)
            if (!m_steps.empty()) {
                change[life.first] += life.bytes;
                change[life.last + 1] -= life.bytes;
            }
        for (std::size_t s = 0; s < m_steps.size(); ++s)
            takeOver(std::uint32_t(s), m_steps[s]);
        for (const LiveTensors::Life &life : m_result.lives)
            if (life.takesOver >= 0)
                saved[life.first] += life.bytes;
        std::int64_t alive = m_result.residentBytes;
        for (std::size_t s = 0; s < m_steps.size(); ++s) {
            alive += change[s];
            const std::int64_t bytes = alive - saved[s];
            m_result.steps.push_back({std::move(m_steps[s].nodes), bytes});
            if (bytes > m_result.peakBytes) {
                m_result.peakBytes = bytes;
                m_result.peakStep = std::uint32_t(s);
            }
        }
    }

    /// What takes over as much memory as it needs stays in its place.
    void place()
    {
        std::vector<ArenaRequest> requests;
        std::vector<std::size_t> requestOf(m_result.lives.size());
        for (std::size_t l = 0; l < m_result.lives.size(); ++l) {
            const LiveTensors::Life &life = m_result.lives[l];
            const auto from = std::size_t(life.takesOver);
            if (life.takesOver >= 0 && m_result.lives[from].bytes == life.bytes) {
                requestOf[l] = requestOf[from]; // that was computed before
                requests[requestOf[l]].last = std::max(requests[requestOf[l]].last, life.last);
                continue;
            }
            requestOf[l] = requests.size();
            requests.push_back({life.bytes, life.first, life.last});
        }
        const ArenaLayout layout = planArena(requests, 64, m_options.stop);
        if (m_options.stop.stop_requested())
            return;
        m_result.arenaBytes = layout.bytes;
        for (std::size_t l = 0; l < m_result.lives.size(); ++l)
            m_result.lives[l].offset = layout.offsets[requestOf[l]];
    }

    const Graph &m_graph;
    const Opsets &m_opsets;
    const LiveTensorOptions &m_options;
    std::vector<int> m_bufferOf; // by tensor id
    std::vector<LiveBuffer> m_buffers;
    std::vector<LiveStep> m_steps;
    std::vector<int> m_lifeOf; // by buffer; -1: none
    LiveTensors m_result;
};

} // namespace

std::optional<LiveTensors> liveTensorsOf(const Graph &graph, const Opsets &opsets,
                                         const LiveTensorOptions &options)
{
    return LiveWalk(graph, opsets, options).run();
}

} // namespace graphloom
