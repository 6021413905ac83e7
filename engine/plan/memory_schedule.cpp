// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory_schedule.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace graphloom {

namespace {

using Storage = MemorySchedule::Storage;
using Swap = MemorySchedule::Swap;

constexpr std::int64_t mostBytes = std::int64_t{1} << 56; // of any storage: sums do not overflow

tl::unexpected<Error> misfit(const std::string &reason)
{
    return fail(Error::Kind::Model, "the memory schedule is invalid: " + reason);
}

std::string textOf(std::size_t storage)
{
    return "storage " + std::to_string(storage);
}

/// Returns the size of the tensor, or nothing if it is known only at run time.
std::optional<std::int64_t> scheduledBytes(const Tensor &tensor)
{
    if (!tensor.shape || !isStatic(*tensor.shape) || tensor.type == DataType::Undefined)
        return std::nullopt;
    std::int64_t bits = bitsOf(tensor.type);
    for (const Dim &extent : *tensor.shape)
        if (__builtin_mul_overflow(bits, extent.value(), &bits))
            return std::numeric_limits<std::int64_t>::max();
    return bits / 8 + (bits % 8 != 0);
}

class ScheduleCheck {
public:
    ScheduleCheck(const Graph &graph, const MemorySchedule &schedule)
        : m_graph(graph), m_schedule(schedule), m_swapsOf(schedule.storages.size()),
          m_storageOf(graph.tensorBound(), -1), m_copiedInto(graph.tensorBound())
    {
    }

    Result<void> run()
    {
        if (!m_schedule.isOf(m_graph))
            return misfit("it belongs to another graph, or to another order of its nodes");
        for (const auto &step :
             {&ScheduleCheck::storages, &ScheduleCheck::swaps, &ScheduleCheck::copies,
              &ScheduleCheck::workspaces, &ScheduleCheck::uses, &ScheduleCheck::offsets})
            GL_TRY((this->*step)());
        return {};
    }

private:
    Result<void> storages()
    {
        const std::size_t steps = m_schedule.order.size(), count = m_schedule.storages.size();
        std::int64_t total = 0;
        for (std::size_t s = 0; s < count; ++s) {
            const Storage &storage = m_schedule.storages[s];
            if (storage.bytes < 0 || storage.bytes > mostBytes - total)
                return misfit(textOf(s) + " has an invalid size");
            total += storage.bytes;
            if (!storage.resident && (storage.first > storage.last || storage.last >= steps))
                return misfit(textOf(s) + " is live at steps that are out of range");
            if (storage.takesOver < -1 || storage.takesOver >= int(count) ||
                storage.takesOver == int(s) || (storage.resident && storage.takesOver >= 0))
                return misfit(textOf(s) + " takes over an invalid storage");
            for (const MemorySchedule::Place &place : storage.tensors) {
                if (!m_graph.contains(place.tensor))
                    return misfit(textOf(s) + " contains a tensor that is not in the graph");
                int &of = m_storageOf[place.tensor.index];
                const Tensor &tensor = m_graph.tensor(place.tensor);
                const auto bytes = scheduledBytes(tensor);
                if (of >= 0)
                    return misfit("tensor \"" + tensor.name + "\" is in two storages");
                if (!bytes || place.offset < 0 || place.offset > storage.bytes ||
                    *bytes > storage.bytes - place.offset)
                    return misfit("tensor \"" + tensor.name + "\" is larger than its place");
                of = int(s);
            }
        }
        for (std::size_t s = 0; s < count; ++s)
            if (const int from = m_schedule.storages[s].takesOver; from >= 0) {
                const Storage &taken = m_schedule.storages[std::size_t(from)];
                if (taken.resident || taken.bytes < m_schedule.storages[s].bytes)
                    return misfit(textOf(s) + " takes over a storage that cannot hold it");
            }
        return {};
    }

    Result<void> swaps()
    {
        for (const Swap &swap : m_schedule.swaps) {
            if (swap.storage >= m_schedule.storages.size())
                return misfit("it swaps an unknown storage");
            const Storage &storage = m_schedule.storages[swap.storage];
            auto &others = m_swapsOf[swap.storage];
            const std::uint32_t before = others.empty() ? storage.first : others.back()->backAt;
            if (storage.resident || swap.awayFrom <= before || swap.storedAfter >= swap.awayFrom ||
                swap.storedAfter < storage.first || swap.backAt <= swap.awayFrom ||
                swap.loadedBefore < swap.backAt || swap.loadedBefore > storage.last)
                return misfit(textOf(swap.storage) + " is swapped at invalid steps");
            others.push_back(&swap);
        }
        std::set<std::pair<int, std::uint32_t>> taken;
        for (std::size_t s = 0; s < m_swapsOf.size(); ++s)
            if (const int from = m_schedule.storages[s].takesOver; from >= 0) {
                const std::uint32_t at = m_schedule.storages[s].first;
                if (!leaves(std::size_t(from), at) || !taken.insert({from, at}).second)
                    return misfit(textOf(s) + " takes over a storage that is still live");
            }
        return {};
    }

    /// Tells whether the step is the last one before the storage is freed or swapped out.
    bool leaves(std::size_t storage, std::uint32_t step) const
    {
        const Swap *swap = swapAt(storage, step + 1);
        return m_schedule.storages[storage].last == step || (swap && swap->awayFrom == step + 1);
    }

    /// Returns the last swap of the storage that has begun by the step, or null.
    const Swap *swapAt(std::size_t storage, std::uint32_t step) const
    {
        const auto &swaps = m_swapsOf[storage];
        const auto next = std::ranges::upper_bound(swaps, step, {},
                                                   [](const Swap *swap) { return swap->awayFrom; });
        return next != swaps.begin() ? *std::prev(next) : nullptr;
    }

    Result<void> copies()
    {
        if (m_schedule.copies.empty())
            return {};
        std::set<std::pair<TensorId, TensorId>> joined; // inputs and output of each Concat
        for (const NodeId id : m_graph.order())
            if (const Node &node = m_graph.node(id);
                node.qualifiedOp() == "Concat" && !node.outputs.empty())
                for (const TensorId input : node.inputs)
                    joined.insert({input, node.outputs[0]});
        for (const auto &[tensor, into] : m_schedule.copies) {
            if (!joined.contains({tensor, into}))
                return misfit("it copies a tensor into one that does not contain it");
            if (m_copied.insert({tensor, into}).second)
                m_copiedInto[tensor.index].push_back(into);
        }
        return {};
    }

    Result<void> workspaces()
    {
        std::int64_t last = -1;
        for (const MemorySchedule::Workspace &workspace : m_schedule.workspaces) {
            if (workspace.step >= m_schedule.order.size() || std::int64_t(workspace.step) <= last ||
                workspace.bytes < 0 || workspace.bytes > mostBytes)
                return misfit("it has an invalid workspace");
            last = workspace.step;
        }
        return {};
    }

    bool isThere(TensorId tensor, std::uint32_t step) const
    {
        const int s = m_storageOf[tensor.index];
        if (s < 0) // it has no storage, such as extents that only describe a call
            return true;
        const Storage &storage = m_schedule.storages[std::size_t(s)];
        const Swap *swap = swapAt(std::size_t(s), step);
        return storage.resident || (storage.first <= step && step <= storage.last &&
                                    (!swap || step >= swap->loadedBefore));
    }

    Result<void> uses()
    {
        const auto order = m_graph.order();
        for (std::uint32_t step = 0; step < order.size(); ++step) {
            const Node &node = m_graph.node(order[step]);
            TensorId missing;
            const auto need = [&](TensorId tensor) {
                if (!isThere(tensor, step))
                    missing = tensor;
            };
            forEachRead(node, [&](TensorId tensor, std::uint32_t) {
                if (node.outputs.empty() || !m_copied.contains({tensor, node.outputs[0]}))
                    need(tensor);
            });
            for (const TensorId output : node.outputs)
                if (output.valid()) {
                    need(output);
                    for (const TensorId into : m_copiedInto[output.index])
                        need(into);
                }
            if (missing.valid())
                return misfit("tensor \"" + m_graph.tensor(missing).name +
                              "\" is not in memory when node " + std::to_string(step) +
                              " needs it");
        }
        return {};
    }

    /// Checks that simultaneously live storages do not overlap, unless one takes over the other.
    Result<void> offsets()
    {
        struct Stay {
            std::uint32_t first, last;
            std::size_t storage;
            std::int64_t offset;
        };
        std::vector<Stay> stays;
        for (std::size_t s = 0; s < m_schedule.storages.size(); ++s) {
            const Storage &storage = m_schedule.storages[s];
            if (storage.offsets.empty())
                continue;
            if (storage.resident || storage.offsets.size() != m_swapsOf[s].size() + 1)
                return misfit(textOf(s) + " has the wrong number of offsets");
            for (std::size_t k = 0; k < storage.offsets.size(); ++k) {
                const std::int64_t offset = storage.offsets[k];
                if (offset < 0 || offset > m_schedule.arenaBytes ||
                    storage.bytes > m_schedule.arenaBytes - offset)
                    return misfit(textOf(s) + " is outside of the arena");
                if (storage.bytes > 0)
                    stays.push_back(
                        {k > 0 ? m_swapsOf[s][k - 1]->backAt : storage.first,
                         k < m_swapsOf[s].size() ? m_swapsOf[s][k]->awayFrom - 1 : storage.last, s,
                         offset});
            }
        }
        // Sort by time; a storage that is taken over comes before the one that takes it over.
        std::ranges::stable_sort(stays, {}, [&](const Stay &stay) {
            const Storage &storage = m_schedule.storages[stay.storage];
            return std::pair(stay.first, storage.takesOver >= 0 && stay.first == storage.first);
        });
        // `ends` has offsets and storages by last step, `places` has ends and storages by offset.
        std::multimap<std::uint32_t, std::pair<std::int64_t, std::size_t>> ends;
        std::map<std::int64_t, std::pair<std::int64_t, std::size_t>> places;
        const auto leave = [&](std::int64_t offset, std::size_t storage) {
            const auto at = places.find(offset);
            if (at != places.end() && at->second.second == storage)
                places.erase(at);
        };
        for (const Stay &stay : stays) {
            while (!ends.empty() && ends.begin()->first < stay.first) {
                leave(ends.begin()->second.first, ends.begin()->second.second);
                ends.erase(ends.begin());
            }
            const int from = m_schedule.storages[stay.storage].takesOver;
            if (from >= 0 && stay.first == m_schedule.storages[stay.storage].first)
                leave(stay.offset, std::size_t(from));
            const std::int64_t end = stay.offset + m_schedule.storages[stay.storage].bytes;
            const auto next = places.lower_bound(stay.offset);
            if ((next != places.end() && next->first < end) ||
                (next != places.begin() && std::prev(next)->second.first > stay.offset))
                return misfit(textOf(stay.storage) + " overlaps another storage");
            places.emplace(stay.offset, std::pair(end, stay.storage));
            ends.emplace(stay.last, std::pair(stay.offset, stay.storage));
        }
        return {};
    }

    const Graph &m_graph;
    const MemorySchedule &m_schedule;
    std::vector<std::vector<const Swap *>> m_swapsOf; // by storage
    std::vector<int> m_storageOf;                     // by tensor id
    std::vector<std::vector<TensorId>> m_copiedInto;  // by tensor id
    std::set<std::pair<TensorId, TensorId>> m_copied;
};

} // namespace

Result<void> checkSchedule(const Graph &graph, const MemorySchedule &schedule)
{
    return ScheduleCheck(graph, schedule).run();
}

bool MemorySchedule::isOf(const Graph &graph) const
{
    return graphHash == graph.hash() && std::ranges::equal(order, graph.order());
}

MemoryPeak peakOf(const MemorySchedule &schedule)
{
    const std::size_t steps = schedule.order.size();
    std::vector<std::int64_t> change(steps + 1, 0), besides(steps, 0);
    std::int64_t alive = 0;
    const auto add = [&](std::uint32_t first, std::uint32_t last, std::int64_t bytes) {
        change[first] += bytes;
        change[last + 1] -= bytes;
    };
    for (const Storage &storage : schedule.storages) {
        if (storage.resident) {
            alive += schedule.countsWeights ? storage.bytes : 0;
            continue;
        }
        add(storage.first, storage.last, storage.bytes);
        if (storage.takesOver >= 0)
            besides[storage.first] -= storage.bytes;
    }
    for (const Swap &swap : schedule.swaps)
        add(swap.awayFrom, swap.backAt - 1, -schedule.storages[swap.storage].bytes);
    for (const MemorySchedule::Workspace &workspace : schedule.workspaces)
        besides[workspace.step] += workspace.bytes;
    MemoryPeak peak{alive, 0};
    for (std::uint32_t step = 0; step < steps; ++step) {
        alive += change[step];
        if (alive + besides[step] > peak.bytes)
            peak = {alive + besides[step], step};
    }
    return peak;
}

} // namespace graphloom
