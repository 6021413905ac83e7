// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/realized_memory.h"

#include "plugins/magis/realize/realized_workspaces.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom::magis {

namespace {

using Place = RealizedMemory::Place;
using Storage = RealizedMemory::Storage;

std::int64_t elementsOf(const Shape &shape, std::size_t from)
{
    std::int64_t elements = 1;
    for (std::size_t d = from; d < shape.size(); ++d)
        elements *= shape[d].value();
    return elements;
}

/// Tells whether a part that is shorter than its tensor in `dim`, and maybe before, is contiguous.
bool isInOnePiece(const Shape &part, std::size_t dim)
{
    return std::all_of(part.begin(), part.begin() + std::ptrdiff_t(dim),
                       [](const Dim &extent) { return extent == Dim(1); });
}

class Layout {
public:
    Layout(const MemoryGraph &memory, const Realized &realized)
        : m_memory(memory), m_realized(realized), m_graph(realized.graph), m_nodes(m_graph.order())
    {
        m_result.places.resize(m_graph.tensorBound());
        m_result.workspaces = workspacesOf(memory, realized);
    }

    RealizedMemory run()
    {
        for (std::uint32_t t = 0; t < m_graph.tensorBound(); ++t)
            if (m_graph.contains(TensorId{t}) && !m_graph.producer(TensorId{t}).valid())
                addSource(TensorId{t});
        const auto order = m_graph.order();
        for (auto at = order.rbegin(); at != order.rend();
             ++at) // joins whose parts are joins come first
            if (m_realized.origins[at->index].role == Realized::Role::Join)
                placeParts(*at);
        for (const NodeId id : m_graph.order())
            placeOutputs(id);
        for (const Realized::Swap &swap : m_realized.swaps)
            if (const StorageIndex storage = place(swap.tensor).storage; storage.isValid())
                m_swapped[storage].insert(RealizedPosition(0));
        for (const RealizedPosition p : m_nodes.indices())
            useAt(p);
        findLives();
        findSwaps();
        findTakeovers();
        findPeak();
        return std::move(m_result);
    }

private:
    Place &place(TensorId tensor) { return m_result.places[tensor.index]; }
    const Shape &shape(TensorId tensor) const { return *m_graph.tensor(tensor).shape; }
    std::int64_t elementBytes(TensorId tensor) const
    {
        return std::max(1, bitsOf(m_graph.tensor(tensor).type) / 8);
    }

    Place newStorage(TensorId tensor)
    {
        Storage storage;
        storage.bytes = elementsOf(shape(tensor), 0) * elementBytes(tensor);
        return {m_result.storages.append(storage), 0};
    }

    void addSource(TensorId tensor)
    {
        const bool weight = m_graph.tensor(tensor).constant != nullptr;
        const TensorId original = m_realized.originals[tensor.index];
        if (!original.valid() || !m_memory.bufferOf(original).isValid())
            return; // lists that only describe calls take no memory
        place(tensor) = newStorage(tensor);
        m_result.storages.back().resident = weight;
        if (!weight)
            m_result.storages.back().first = RealizedPosition(0);
    }

    /// Returns the weight that an update overwrites; invalid if there is none.
    TensorId updatedBy(TensorId tensor) const
    {
        const TensorId original = m_realized.originals[tensor.index];
        const BufferIndex buffer = original.valid() ? m_memory.bufferOf(original) : BufferIndex();
        const BufferIndex weight =
            buffer.isValid() ? m_memory.buffers()[buffer].updates : BufferIndex();
        return weight.isValid() ? m_memory.buffers()[weight].tensor : TensorId();
    }

    Place placeForWhole(TensorId tensor)
    {
        const TensorId weight = updatedBy(tensor);
        if (weight.valid() && place(weight).storage.isValid() && shape(weight) == shape(tensor))
            return place(weight);
        return newStorage(tensor);
    }

    /// Places contiguous parts in the tensor that joins them; the others are copied there.
    void placeParts(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const TensorId whole = node.outputs[0];
        const auto dim = std::size_t(node.attributes.integer("axis", 0));
        if (!place(whole).storage.isValid())
            place(whole) = placeForWhole(whole);
        std::int64_t offset = place(whole).offset;
        for (const TensorId part : node.inputs) {
            const Place at{place(whole).storage, offset};
            if (isInOnePiece(shape(part), dim))
                placeAt(part, at);
            if (place(part).storage != at.storage || place(part).offset != at.offset)
                m_result.copies.emplace_back(part, whole);
            offset += elementsOf(shape(part), dim) * elementBytes(part);
        }
    }

    /// Places a tensor, and the partial sums that it is added to.
    void placeAt(TensorId tensor, const Place &at)
    {
        for (;;) {
            const NodeId producer = m_graph.producer(tensor);
            if (!producer.valid() || place(tensor).storage.isValid() || isView(producer))
                return;
            const Realized::Role role = m_realized.origins[producer.index].role;
            if (role == Realized::Role::Slice)
                return;
            place(tensor) = at;
            tensor = sumBefore(producer);
            if (!tensor.valid())
                return;
        }
    }

    /// Returns the partial sum that the node adds a part to; invalid if it adds to none.
    TensorId sumBefore(NodeId id) const
    {
        const Realized::Origin &origin = m_realized.origins[id.index];
        const std::vector<TensorId> &inputs = m_graph.node(id).inputs;
        return origin.role == Realized::Role::Gather ? inputs.front()
               : origin.adds                         ? inputs.back()
                                                     : TensorId();
    }

    bool isView(NodeId id) const
    {
        const Realized::Origin &origin = m_realized.origins[id.index];
        return origin.role == Realized::Role::Call && !m_memory.stepOf(origin.node).isValid();
    }

    void placeOutputs(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const Realized::Role role = m_realized.origins[id.index].role;
        for (const TensorId output : node.outputs) {
            if (!output.valid() || place(output).storage.isValid())
                continue;
            place(output) = isView(id)                      ? placeOfView(node, output)
                            : role == Realized::Role::Slice ? placeOfSlice(node, output)
                            : sumBefore(id).valid()         ? place(sumBefore(id))
                                                            : placeForWhole(output);
        }
    }

    Place placeOfView(const Node &node, TensorId output)
    {
        const BufferIndex buffer = m_memory.bufferOf(m_realized.originals[output.index]);
        for (const TensorId input : node.inputs) {
            const TensorId original =
                input.valid() ? m_realized.originals[input.index] : TensorId();
            if (original.valid() && m_memory.bufferOf(original) == buffer)
                return place(input);
        }
        return newStorage(output);
    }

    Place placeOfSlice(const Node &node, TensorId output)
    {
        const TensorId from = node.inputs[0];
        const auto starts = m_graph.tensor(node.inputs[1]).constant->integers(),
                   axes = m_graph.tensor(node.inputs[3]).constant->integers();
        std::size_t last = 0;
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            last = std::max(last, std::size_t(axes[k]));
            offset += starts[k] * elementsOf(shape(from), std::size_t(axes[k]) + 1);
        }
        if (!isInOnePiece(shape(output), last) || !place(from).storage.isValid())
            return newStorage(output);
        return {place(from).storage, place(from).offset + offset * elementBytes(from)};
    }

    void touch(TensorId tensor, RealizedPosition position)
    {
        const Place &at = place(tensor);
        if (!at.storage.isValid())
            return;
        Storage &storage = m_result.storages[at.storage];
        if (!storage.first.isValid())
            storage.first = position;
        storage.last = std::max(storage.last, position);
        if (m_swapped.contains(at.storage))
            m_swapped[at.storage].insert(position);
    }

    void useAt(RealizedPosition position)
    {
        const NodeId id = m_nodes[position];
        const Node &node = m_graph.node(id);
        const bool joins = m_realized.origins[id.index].role == Realized::Role::Join;
        forEachRead(node, [&](TensorId tensor, std::uint32_t) {
            if (!joins) // parts are in place already
                touch(tensor, position);
        });
        for (const TensorId output : node.outputs) {
            if (!output.valid())
                continue;
            touch(output, position);
            for (const Use &use : m_graph.uses(output)) // copied into the whole
                if (m_realized.origins[use.node.index].role == Realized::Role::Join)
                    touch(m_graph.node(use.node).outputs[0], position);
        }
    }

    void findLives()
    {
        const RealizedPosition last(std::ssize(m_nodes) - 1);
        for (const TensorId output : m_graph.outputs())
            touch(output, last);
        for (Storage &storage : m_result.storages)
            storage.last = std::max(storage.last, storage.first);
    }

    static bool leavesAt(const Storage &storage, RealizedPosition position)
    {
        return storage.last == position ||
               std::ranges::find(storage.away, position + 1, &RealizedMemory::Absence::first) !=
                   storage.away.end();
    }

    void findTakeovers()
    {
        for (const RealizedPosition p : m_nodes.indices()) {
            const NodeId id = m_nodes[p];
            const Realized::Origin &origin = m_realized.origins[id.index];
            const StepIndex step =
                origin.role == Realized::Role::Call ? m_memory.stepOf(origin.node) : StepIndex();
            const Node &node = m_graph.node(id);
            if (!step.isValid() || node.outputs.empty() || !node.outputs[0].valid())
                continue;
            const StorageIndex to = place(node.outputs[0]).storage;
            Storage &result = m_result.storages[to];
            if (result.first != p || result.resident || result.takesOver.isValid())
                continue;
            for (const TensorId input : node.inputs) {
                const StorageIndex from = input.valid() ? place(input).storage : StorageIndex();
                if (!from.isValid() || !mayOverwrite(step, m_realized.originals[input.index]))
                    continue;
                const Storage &source = m_result.storages[from];
                if (source.resident || !leavesAt(source, p) || source.bytes < result.bytes ||
                    place(input).offset != 0 || from == to)
                    continue;
                result.takesOver = from;
                break;
            }
        }
    }

    bool mayOverwrite(StepIndex step, TensorId original) const
    {
        const auto &overwrites = m_memory.steps()[step].overwrites;
        return original.valid() &&
               std::ranges::find(overwrites, m_memory.bufferOf(original)) != overwrites.end();
    }

    bool isStoring(const Realized::Swap &swap, RealizedPosition position) const
    {
        const NodeId id = m_nodes[position];
        const auto &parts = m_realized.origins[id.index].parts;
        const bool later = !parts.empty() && parts.front().first > PartIndex(0);
        return m_runAt[position] <= (later ? swap.leavesLater : swap.leaves);
    }

    /// Finds absences: after the last use before a load, from the store's end to the load's start.
    void findSwaps()
    {
        // Views and joins belong to the run before them.
        for (const NodeId id : m_graph.order()) {
            const RunIndex run = m_realized.origins[id.index].run;
            m_runAt.push_back(run.isValid() || m_runAt.empty() ? run : m_runAt.back());
        }
        for (const Realized::Swap &swap : m_realized.swaps) {
            const StorageIndex storage = place(swap.tensor).storage;
            const RealizedPosition load(m_graph.position(swap.loadedBefore));
            if (!storage.isValid() || load == RealizedPosition(0) ||
                m_result.storages[storage].resident)
                continue;
            const auto next = m_swapped[storage].lower_bound(load);
            const RealizedPosition use = *std::prev(next);
            RealizedPosition first = use + 1, last = load - 1;
            while (first < load && isStoring(swap, first))
                ++first;
            for (const RealizedPosition p :
                 IndexRange(first, load).reversed()) // the load is under way
                if (m_runAt[p] >= swap.returns)
                    last = p - 1;
                else
                    break;
            if (use >= m_result.storages[storage].first && first <= last)
                m_result.storages[storage].away.push_back(
                    {first, last, next != m_swapped[storage].end() ? *next : load});
        }
        for (Storage &storage : m_result.storages) {
            std::ranges::sort(storage.away);
            const auto twice = std::ranges::unique(storage.away);
            storage.away.erase(twice.begin(), twice.end());
        }
    }

    void findPeak()
    {
        using Bytes = IndexedVector<RealizedPosition, std::int64_t>;
        Bytes change(m_nodes.size() + 1, 0), saved(m_nodes.size(), 0);
        for (const Storage &storage : m_result.storages) {
            if (storage.resident || !storage.first.isValid())
                continue;
            change[storage.first] += storage.bytes;
            change[storage.last + 1] -= storage.bytes;
            for (const RealizedMemory::Absence &away : storage.away) {
                change[away.first] -= storage.bytes;
                change[away.last + 1] += storage.bytes;
            }
            if (storage.takesOver.isValid())
                saved[storage.first] += storage.bytes;
        }
        std::int64_t alive = m_memory.residentBytes();
        for (const RealizedPosition p : m_nodes.indices()) {
            alive += change[p];
            const std::int64_t needed = alive - saved[p] + m_result.workspaces[p];
            if (needed > m_result.peak) {
                m_result.peak = needed;
                m_result.peakPosition = p;
            }
        }
    }

    const MemoryGraph &m_memory;
    const Realized &m_realized;
    const Graph &m_graph;
    const IndexedSpan<RealizedPosition, const NodeId> m_nodes;
    /// Positions that use each storage that is ever swapped.
    std::map<StorageIndex, std::set<RealizedPosition>> m_swapped;
    IndexedVector<RealizedPosition, RunIndex> m_runAt;
    RealizedMemory m_result;
};

} // namespace

RealizedMemory memoryOf(const MemoryGraph &memory, const Realized &realized)
{
    return Layout(memory, realized).run();
}

} // namespace graphloom::magis
