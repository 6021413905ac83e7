// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/duplication.h"

#include "engine/ir/graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace graphloom::magis {

namespace {

/// Describes a tensor that could be computed a second time for its later readers.
struct Candidate {
    BufferIndex buffer;
    StepIndex reader;          // the first step that would read the copy
    std::vector<NodeId> nodes; // to be copied, in the graph's order, including views
    double seconds = 0;        // of the copies
    double gain = 0;           // bytes times the seconds for which they are free
};

class Duplication {
public:
    Duplication(const SearchSpace &space, const Trace &trace)
        : m_space(space), m_memory(space.memory()), m_graph(space.memory().graph()), m_trace(trace),
          m_lastUse(m_memory.buffers().size())
    {
        for (const BufferIndex b : m_lastUse.indices()) {
            const Buffer &buffer = m_memory.buffers()[b];
            m_lastUse[b] = buffer.kept || !buffer.producer.isValid()
                               ? StepIndex(m_memory.steps().size())
                           : buffer.readers.empty() ? buffer.producer
                                                    : buffer.readers.back();
        }
    }

    Result<Duplicated> run(double seconds)
    {
        std::vector<Candidate> candidates;
        for (const EvictionIndex e : m_space.evictions().indices())
            if (m_space.canRecompute(e))
                if (auto candidate = candidateOf(m_space.evictions()[e]))
                    candidates.push_back(std::move(*candidate));
        std::ranges::stable_sort(candidates, std::ranges::greater{},
                                 [](const Candidate &c) { return c.gain / (c.seconds + 1e-9); });
        GraphEditor editor(m_graph);
        Duplicated result;
        std::set<BufferIndex> taken;
        for (const Candidate &candidate : candidates) {
            if (result.seconds + candidate.seconds > seconds ||
                !taken.insert(candidate.buffer).second)
                continue;
            // Tensors that an earlier copy relies on must stay, and vice versa.
            if (std::ranges::any_of(candidate.nodes, [&](NodeId id) { return copied(id); }) ||
                relies(candidate))
                continue;
            copy(editor, candidate);
            result.seconds += candidate.seconds;
            result.tensors.push_back(
                m_graph.tensor(m_memory.buffers()[candidate.buffer].tensor).name);
        }
        editor.setOrder(ordered(editor.graph()));
        GL_TRY_RESULT(graph, std::move(editor).finish());
        result.graph = std::move(*graph);
        return result;
    }

private:
    bool copied(NodeId id) const { return m_copied.contains(id.index); }
    bool relies(const Candidate &candidate) const
    {
        return m_reliedOn.contains(candidate.buffer) ||
               std::ranges::any_of(candidate.nodes, [&](NodeId id) {
                   return std::ranges::any_of(m_graph.node(id).inputs, [&](TensorId input) {
                       return input.valid() && m_shortened.contains(m_memory.bufferOf(input));
                   });
               });
    }

    /// Finds nodes that recompute the tensor from what is in memory at the reader anyway.
    std::optional<Candidate> candidateOf(const Eviction &eviction) const
    {
        const Buffer &buffer = m_memory.buffers()[eviction.buffer];
        Candidate candidate{eviction.buffer, eviction.reader, {}, 0, 0};
        if (buffer.kept || !buffer.producer.isValid())
            return std::nullopt;
        std::set<std::uint32_t> seen;
        std::vector<TensorId> wanted(buffer.views);
        constexpr std::size_t most = 64;
        while (!wanted.empty()) {
            const TensorId tensor = wanted.back();
            wanted.pop_back();
            const NodeId producer = m_graph.producer(tensor);
            const BufferIndex b = m_memory.bufferOf(tensor);
            const bool there =
                !b.isValid() || (b != eviction.buffer && m_lastUse[b] >= eviction.reader);
            if (!producer.valid() || there || !seen.insert(producer.index).second)
                continue;
            if (seen.size() > most || !m_graph.node(producer).captures.empty())
                return std::nullopt;
            if (const StepIndex step = m_memory.stepOf(producer); step.isValid()) {
                if (m_memory.steps()[step].once)
                    return std::nullopt;
                candidate.seconds += m_memory.seconds(step);
            }
            candidate.nodes.push_back(producer);
            for (const TensorId input : m_graph.node(producer).inputs)
                if (input.valid())
                    wanted.push_back(input);
        }
        std::ranges::sort(candidate.nodes, {}, [&](NodeId id) { return m_graph.position(id); });
        StepIndex before = buffer.producer;
        for (const StepIndex reader : buffer.readers)
            if (reader < eviction.reader)
                before = std::max(before, reader);
        // The trace follows the graph's own order, in which positions equal step numbers.
        const auto start = [&](StepIndex step) {
            return m_trace.runs[m_trace.runAt[Position(step.number())]].start;
        };
        candidate.gain = double(buffer.bytes) * (start(eviction.reader) - start(before));
        return candidate;
    }

    std::string uniqueName(const std::string &wanted)
    {
        std::string name = wanted;
        for (int number = 2; !m_names.insert(name).second; ++number)
            name = wanted + std::to_string(number);
        return name;
    }

    void copy(GraphEditor &editor, const Candidate &candidate)
    {
        if (m_names.empty())
            for (std::uint32_t t = 0; t < m_graph.tensorBound(); ++t)
                if (m_graph.contains(TensorId{t}))
                    m_names.insert(m_graph.tensor(TensorId{t}).name);
        const NodeId place = m_memory.steps()[candidate.reader].node;
        std::map<TensorId, TensorId> again;
        for (const NodeId id : candidate.nodes) {
            Node node = m_graph.node(id);
            for (TensorId &input : node.inputs) {
                if (!input.valid())
                    continue;
                const auto at = again.find(input);
                if (at == again.end() && m_memory.bufferOf(input).isValid())
                    m_reliedOn.insert(m_memory.bufferOf(input));
                input = at == again.end() ? input : at->second;
            }
            node.name += ".again";
            for (TensorId &output : node.outputs) {
                if (!output.valid())
                    continue;
                Tensor tensor = m_graph.tensor(output);
                tensor.name = uniqueName(tensor.name + ".again");
                output = again[output] = editor.addTensor(std::move(tensor));
            }
            m_before[place.index].push_back(editor.addNode(std::move(node)));
            m_copied.insert(id.index);
        }
        m_shortened.insert(candidate.buffer);
        for (const TensorId view : m_memory.buffers()[candidate.buffer].views)
            for (const Use &use : m_graph.uses(view)) {
                const StepIndex step = m_memory.stepOf(use.node);
                if (step < candidate.reader || !again.contains(view))
                    continue;
                Node node = editor.graph().node(use.node);
                if (use.slot < node.inputs.size())
                    node.inputs[use.slot] = again.at(view);
                editor.replaceNode(use.node, std::move(node));
            }
    }

    /// Returns the graph's order, with copies right before their readers.
    std::vector<NodeId> ordered(const Graph &graph) const
    {
        std::vector<NodeId> order;
        for (const NodeId id : m_graph.order()) {
            if (const auto at = m_before.find(id.index); at != m_before.end())
                order.insert(order.end(), at->second.begin(), at->second.end());
            order.push_back(id);
        }
        std::erase_if(order, [&](NodeId id) { return !graph.contains(id); });
        return order;
    }

    const SearchSpace &m_space;
    const MemoryGraph &m_memory;
    const Graph &m_graph;
    const Trace &m_trace;
    IndexedVector<BufferIndex, StepIndex> m_lastUse;
    std::set<BufferIndex> m_reliedOn, m_shortened;
    std::set<std::uint32_t> m_copied; // nodes
    std::set<std::string> m_names;
    std::map<std::uint32_t, std::vector<NodeId>> m_before; // by reader: its copies
};

} // namespace

Result<Duplicated> duplicated(const SearchSpace &space, const Trace &trace, double seconds)
{
    return Duplication(space, trace).run(seconds);
}

} // namespace graphloom::magis
