// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/arena_run.h"

#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ir/opsets.h"
#include "plugins/magis/realize/realized_arena.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace graphloom::magis {

namespace {

std::int64_t bytesOf(const TensorData &data)
{
    return std::int64_t(data.storedBytes());
}

class Arena {
public:
    Arena(const MemoryGraph &memory, const Realized &realized, const Opsets &opsets)
        : m_graph(realized.graph), m_realized(realized), m_opsets(opsets),
          m_layout(memoryOf(memory, realized)), m_plan(arenaOf(m_layout))
    {
    }

    Result<ArenaRun> run(const std::vector<TensorData> &inputs)
    {
        plan();
        for (std::uint32_t t = 0; t < m_graph.tensorBound(); ++t)
            if (m_graph.contains(TensorId{t}) && m_graph.tensor(TensorId{t}).constant)
                write(TensorId{t}, *m_graph.tensor(TensorId{t}).constant);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            write(m_graph.inputs()[i], inputs[i]);
        const IndexedSpan<RealizedPosition, const NodeId> nodes(m_graph.order());
        for (const RealizedPosition p : nodes.indices()) {
            load(p);
            useWorkspace(p);
            GL_TRY(execute(nodes[p]));
            store(p);
            spoil(p);
        }
        for (const TensorId output : m_graph.outputs())
            m_result.outputs.push_back(read(output));
        return std::move(m_result);
    }

private:
    const RealizedMemory::Place &place(TensorId tensor) const
    {
        return m_layout.places[tensor.index];
    }

    void plan()
    {
        const auto &storages = m_layout.storages;
        m_offsets.assign(storages.size(), -1);
        m_weights.resize(storages.size());
        for (const StorageIndex s : storages.indices())
            if (m_plan.stays[s].empty())
                m_weights[s].resize(std::size_t(storages[s].bytes));
            else
                m_offsets[s] = m_plan.layout.offsets[m_plan.stays[s].front().request];
        m_result.arenaBytes = m_plan.layout.bytes;
        m_arena.assign(std::size_t(m_plan.layout.bytes), std::byte{0xff});
    }

    /// Loads storages that were swapped out.
    void load(RealizedPosition position)
    {
        for (const StorageIndex s : m_plan.stays.indices())
            for (std::size_t k = 1; k < m_plan.stays[s].size(); ++k)
                if (m_plan.stays[s][k].begin == position) {
                    m_offsets[s] = m_plan.layout.offsets[m_plan.stays[s][k].request];
                    std::ranges::copy(m_host[s], m_arena.data() + m_offsets[s]);
                    m_result.usedBytes =
                        std::max(m_result.usedBytes, m_offsets[s] + std::int64_t(m_host[s].size()));
                }
    }

    /// Overwrites the workspace of a kernel, as the kernel might.
    void useWorkspace(RealizedPosition position)
    {
        const auto found = std::ranges::lower_bound(
            m_plan.workspaces, position, {}, &std::pair<RealizedPosition, std::size_t>::first);
        if (found == m_plan.workspaces.end() || found->first != position)
            return;
        const std::int64_t offset = m_plan.layout.offsets[found->second],
                           bytes = m_plan.requests[found->second].bytes;
        std::memset(m_arena.data() + offset, 0xff, std::size_t(bytes));
        m_result.usedBytes = std::max(m_result.usedBytes, offset + bytes);
    }

    void store(RealizedPosition position)
    {
        for (const StorageIndex s : m_plan.stays.indices())
            for (std::size_t k = 0; k + 1 < m_plan.stays[s].size(); ++k)
                if (m_plan.stays[s][k].stored == position && m_plan.stays[s][k].begin <= position) {
                    const std::byte *from = m_arena.data() + m_offsets[s];
                    m_host[s].assign(from, from + m_layout.storages[s].bytes);
                }
    }

    /// Returns the address of a tensor; null for lists of extents and positions.
    std::byte *at(TensorId tensor)
    {
        const RealizedMemory::Place &where = place(tensor);
        if (!where.storage.isValid())
            return nullptr;
        const std::int64_t offset = m_offsets[where.storage];
        return (offset >= 0 ? m_arena.data() + offset : m_weights[where.storage].data()) +
               where.offset;
    }

    void write(TensorId tensor, const TensorData &data)
    {
        std::byte *to = at(tensor);
        if (!to)
            return;
        const auto size = std::size_t(bytesOf(data));
        if (data.isSplat())
            for (std::size_t i = 0; i < size; i += data.bytes().size())
                std::memcpy(to + i, data.bytes().data(), data.bytes().size());
        else
            std::memcpy(to, data.bytes().data(), size);
        if (to >= m_arena.data() && to < m_arena.data() + m_arena.size())
            m_result.usedBytes = std::max(m_result.usedBytes,
                                          std::int64_t(to - m_arena.data()) + std::int64_t(size));
    }

    TensorData read(TensorId tensor)
    {
        const Tensor &facts = m_graph.tensor(tensor);
        const std::byte *from = at(tensor);
        if (!from)
            return *facts.constant;
        TensorData::Extents extents;
        for (const Dim &extent : *facts.shape)
            extents.push_back(extent.value());
        const auto size =
            graphloom::bytesOf(facts.type, std::uint64_t(staticElements(*facts.shape).value_or(0)));
        return TensorData::fromBytes(facts.type, std::move(extents), {from, from + size});
    }

    Result<void> execute(NodeId id)
    {
        const Node &node = m_graph.node(id);
        if (m_realized.origins[id.index].role == Realized::Role::Join) {
            // Each part was written to its place when it was computed.
            join(node.outputs[0], read(node.outputs[0]));
            return {};
        }
        std::vector<TensorData> values;
        for (const TensorId input : node.inputs)
            if (input.valid())
                values.push_back(read(input));
        std::vector<const TensorData *> inputs;
        for (std::size_t i = 0, k = 0; i < node.inputs.size(); ++i)
            inputs.push_back(node.inputs[i].valid() ? &values[k++] : nullptr);
        const Call call(node, operandsOf(m_graph, node), m_opsets(node.domain));
        GL_TRY_CONST(description, describe(call));
        GL_TRY_CONST(results, runStages(*description, call, inputs));
        for (std::size_t o = 0; o < node.outputs.size(); ++o)
            if (node.outputs[o].valid()) {
                write(node.outputs[o], (*results)[o]);
                join(node.outputs[o], (*results)[o]);
            }
        return {};
    }

    /// Copies a part into the tensor that joins it; changes nothing if it was computed in place.
    void join(TensorId part, const TensorData &data)
    {
        for (const Use &use : m_graph.uses(part)) {
            if (m_realized.origins[use.node.index].role != Realized::Role::Join)
                continue;
            const Node &node = m_graph.node(use.node);
            const TensorId whole = node.outputs[0];
            const auto dim = std::size_t(node.attributes.integer("axis", 0));
            std::int64_t before = 0;
            for (std::uint32_t i = 0; i < use.slot; ++i)
                before += (*m_graph.tensor(node.inputs[i]).shape)[dim].value();
            TensorData all = read(whole);
            std::vector<std::byte> bytes(all.bytes().begin(), all.bytes().end());
            const auto element = std::size_t(std::max(1, bitsOf(data.type()) / 8));
            std::size_t inner = element, outer = 1;
            for (std::size_t d = 0; d < all.extents().size(); ++d)
                (d < dim ? outer : inner) *= d == dim ? 1 : std::size_t(all.extents()[d]);
            const auto extent = std::size_t(all.extents()[dim]),
                       own = std::size_t(data.extents()[dim]);
            for (std::size_t k = 0; k < outer; ++k)
                std::memcpy(bytes.data() + (k * extent + std::size_t(before)) * inner,
                            data.bytes().data() + k * own * inner, own * inner);
            write(whole, TensorData::fromBytes(all.type(), all.extents(), std::move(bytes)));
        }
    }

    /// Overwrites memory that is no longer needed, to expose reads after the last use.
    void spoil(RealizedPosition position)
    {
        if (position.number() + 1 == std::ssize(m_graph.order()))
            return; // the outputs are still to be read
        for (std::size_t r = 0; r < m_plan.requests.size(); ++r)
            if (RealizedPosition(m_plan.requests[r].last) == position)
                std::memset(m_arena.data() + m_plan.layout.offsets[r], 0xff,
                            std::size_t(m_plan.requests[r].bytes));
    }

    const Graph &m_graph;
    const Realized &m_realized;
    const Opsets &m_opsets;
    const RealizedMemory m_layout;
    const RealizedArena m_plan;
    std::map<StorageIndex, std::vector<std::byte>> m_host; // contents of swapped-out storages
    IndexedVector<StorageIndex, std::int64_t> m_offsets;   // current; -1: a weight
    std::vector<std::byte> m_arena;
    IndexedVector<StorageIndex, std::vector<std::byte>> m_weights;
    ArenaRun m_result;
};

} // namespace

Result<ArenaRun> runInArena(const MemoryGraph &memory, const Realized &realized,
                            const Opsets &opsets, const std::vector<TensorData> &inputs)
{
    return Arena(memory, realized, opsets).run(inputs);
}

} // namespace graphloom::magis
