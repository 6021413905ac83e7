// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/fission/fission.h"

#include "engine/base/hash.h"
#include "engine/ops/derive/call_part.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

namespace graphloom::magis {

std::optional<Fission> Fission::of(const MemoryGraph &memory,
                                   std::shared_ptr<const GraphDimension> dimension,
                                   std::vector<NodeId> nodes, std::string *reason)
{
    const Graph &graph = memory.graph();
    const auto refuse = [&](std::string text) {
        if (reason)
            *reason = std::move(text);
        return std::nullopt;
    };
    Fission fission;
    fission.m_dimension = std::move(dimension);
    std::ranges::sort(nodes, {}, [&](NodeId id) { return graph.position(id); });
    fission.m_nodes = IndexedVector<NodePlace, NodeId>(std::move(nodes));
    fission.m_place.resize(graph.nodeBound());
    fission.m_bits.assign((graph.nodeBound() + 63) / 64, 0);
    fission.m_steps.assign(memory.steps().size(), false);
    for (const NodePlace place : fission.m_nodes.indices()) {
        const NodeId id = fission.m_nodes[place];
        if (!fission.m_dimension->has(id))
            return refuse(graph.node(id).label() + " does not have the dimension");
        fission.m_place[id.index] = place;
        fission.m_bits[id.index / 64] |= std::uint64_t(1) << (id.index % 64);
        if (const StepIndex step = memory.stepOf(id); step.isValid())
            fission.m_steps[step] = true;
    }
    if (std::ranges::none_of(fission.m_steps, std::identity{}))
        return refuse("none of its steps takes time");
    std::set<TensorId> inputs, outputs;
    for (const NodeId id : fission.m_nodes) {
        const Node &node = graph.node(id);
        const Split &split = fission.splitOf(memory, id);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const TensorId input = node.inputs[i];
            if (!input.valid())
                continue;
            const NodeId producer = graph.producer(input);
            const bool inside = producer.valid() && fission.contains(producer);
            const SplitTensor &cut = cutOf(split.inputs, i);
            if (!inside) {
                inputs.insert(input);
                continue;
            }
            const auto &from = graph.node(producer).outputs;
            const auto o = std::size_t(std::ranges::find(from, input) - from.begin());
            if (!cut.isCut() || cutOf(fission.splitOf(memory, producer).outputs, o).dim != cut.dim)
                return refuse(node.label() + " reads all of \"" + graph.tensor(input).name +
                              "\", but each part contains only a slice of it");
        }
        if (!node.captures.empty())
            return refuse(node.label() + " has nested graphs");
        for (std::size_t o = 0; o < node.outputs.size(); ++o) {
            const TensorId output = node.outputs[o];
            if (!output.valid())
                continue;
            const bool read = std::ranges::any_of(
                graph.uses(output), [&](const Use &use) { return !fission.contains(use.node); });
            const bool readInside = std::ranges::any_of(
                graph.uses(output), [&](const Use &use) { return fission.contains(use.node); });
            if (read || graph.isOutput(output) || graph.uses(output).empty())
                outputs.insert(output);
            if (readInside && !cutOf(split.outputs, o).isCut())
                return refuse(node.label() +
                              " produces a partial sum that is read inside the region");
        }
    }
    fission.m_inputs.assign(inputs.begin(), inputs.end());
    fission.m_outputs.assign(outputs.begin(), outputs.end());
    if (!fission.isConvex(graph))
        return refuse("a path leaves it and comes back"); // constraint 2
    if (!fission.isConnected(graph))
        return refuse("it is not connected"); // constraint 1
    fission.measure(memory);
    if (fission.m_units < 2)
        return refuse("its extents have no common divisor above 1");
    std::erase_if(fission.m_numbers,
                  [&](int number) { return number > 1 && !fission.hasWork(memory, number); });
    if (fission.m_numbers.size() < 2)
        return refuse("a part of it would lie in the padding");
    return fission;
}

bool Fission::isConvex(const Graph &graph) const
{
    // Marks the nodes outside that depend on nodes inside, up to the last node inside.
    std::vector<bool> behind(graph.nodeBound(), false);
    const auto from = graph.position(m_nodes.front()), to = graph.position(m_nodes.back());
    for (auto p = from; p <= to; ++p) {
        const NodeId id = graph.order()[p];
        const bool inside = contains(id);
        bool reached = false;
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = graph.producer(tensor);
            reached = reached || (producer.valid() &&
                                  (behind[producer.index] || (!inside && contains(producer))));
        });
        if (reached && inside)
            return false;
        behind[id.index] = reached;
    }
    return true;
}

bool Fission::isConnected(const Graph &graph) const
{
    IndexedVector<NodePlace, bool> seen(m_nodes.size(), false);
    std::vector<NodeId> pending{m_nodes.front()};
    seen[place(m_nodes.front())] = true;
    std::size_t count = 1;
    const auto reach = [&](NodeId id) {
        if (id.valid() && contains(id) && !seen[place(id)]) {
            seen[place(id)] = true;
            ++count;
            pending.push_back(id);
        }
    };
    while (!pending.empty()) {
        const NodeId id = pending.back();
        pending.pop_back();
        // Readers of one tensor count as connected: they share its parts.
        for (const TensorId tensor : graph.node(id).inputs)
            if (tensor.valid() && !graph.tensor(tensor).constant) {
                reach(graph.producer(tensor));
                if (m_dimension->dimOf[tensor.index] >= 0)
                    for (const Use &use : graph.uses(tensor))
                        reach(use.node);
            }
        for (const TensorId tensor : graph.node(id).outputs)
            if (tensor.valid())
                for (const Use &use : graph.uses(tensor))
                    reach(use.node);
    }
    return count == m_nodes.size();
}

// Every part is a run of its own, which takes at least some microseconds.
constexpr std::int64_t mostParts = 4096;

void Fission::measure(const MemoryGraph &memory)
{
    std::int64_t common = 0;
    const std::set<TensorId> outputs(m_outputs.begin(), m_outputs.end());
    m_hasWindows =
        std::ranges::any_of(m_nodes, [&](NodeId id) { return splitOf(memory, id).hasHalo(); });
    m_hash = 0x6d61676973ULL;
    for (const NodeId id : m_nodes) {
        const Node &node = memory.graph().node(id);
        const Split &split = splitOf(memory, id);
        const auto number = std::uint64_t(m_dimension->splitOf[id.index]);
        m_hash = scramble(m_hash + id.index * 64 + number);
        if (const StepIndex step = memory.stepOf(id); step.isValid())
            m_form =
                scramble(m_form + std::uint64_t(memory.steps()[step].kind.number()) * 64 + number);
        // With windows, only tensors that leave the fission have to be cut at the same places.
        const bool leaves = std::ranges::any_of(node.outputs, [&](TensorId output) {
            return output.valid() && outputs.contains(output);
        });
        if (!m_hasWindows || leaves)
            common = std::gcd(common, split.extent);
    }
    m_units = common;
    for (std::int64_t size = m_units; size >= 1;) {
        const std::int64_t number = (m_units + size - 1) / size;
        if (number > mostParts)
            break;
        // For huge extents, increments of a sixteenth suffice.
        if (m_units <= mostParts || number < 64 || 16 * number >= 17 * m_numbers.back())
            m_numbers.push_back(int(number));
        if (size == 1)
            break;
        size = std::min(size - 1, (m_units + number) / (number + 1));
    }
}

bool Fission::hasWork(const MemoryGraph &memory, int number) const
{
    if (!m_hasWindows)
        return true;
    const auto all = intervals(memory, {number});
    for (const NodePlace at : m_nodes.indices()) {
        const Node &node = memory.graph().node(m_nodes[at]);
        const Split &split = splitOf(memory, m_nodes[at]);
        for (const Parts::Interval &interval : all[at]) {
            if (interval.begin >= interval.end)
                return false;
            for (std::size_t i = 0; i < node.inputs.size(); ++i) {
                const SplitTensor &cut = cutOf(split.inputs, i);
                if (!node.inputs[i].valid() || !cut.isCut())
                    continue;
                const TensorPart part = partOf(cut, *memory.graph().tensor(node.inputs[i]).shape,
                                               interval.begin, interval.end);
                if (part.begin >= part.end)
                    return false;
            }
        }
    }
    return true;
}

std::size_t Fission::overlap(const Fission &other) const
{
    std::size_t shared = 0;
    for (std::size_t w = 0; w < m_bits.size(); ++w)
        shared += std::size_t(std::popcount(m_bits[w] & other.m_bits[w]));
    return shared;
}

namespace {

std::uint64_t keyOf(const std::vector<Parts::Share> &shares)
{
    std::uint64_t key = shares.size();
    for (const Parts::Share &share : shares)
        key = scramble(scramble(key ^ std::bit_cast<std::uint64_t>(share.share)) +
                       std::uint64_t(share.count));
    return key;
}

} // namespace

Parts Fission::parts(const MemoryGraph &memory, const Cutting &cutting) const
{
    Parts parts;
    const auto gather = [&](auto share) {
        std::map<double, int, std::greater<>> counts;
        for (const PartIndex p : cutting.parts())
            ++counts[share(p)];
        std::vector<Parts::Share> shares;
        for (const auto &[size, count] : counts)
            shares.push_back({size, count});
        return shares;
    };
    if (!m_hasWindows) {
        parts.common = gather([&](PartIndex p) {
            return double(cutting.begin(m_units, p + 1) - cutting.begin(m_units, p)) /
                   double(m_units);
        });
        parts.commonKey = magis::keyOf(parts.common);
        return parts;
    }
    const auto all = intervals(memory, cutting);
    for (const NodePlace at : m_nodes.indices())
        parts.shares.push_back(gather([&](PartIndex p) {
            const Parts::Interval &interval = all[at][p];
            return double(interval.end - interval.begin) /
                   double(splitOf(memory, m_nodes[at]).extent);
        }));
    for (const auto &shares : parts.shares)
        parts.keys.push_back(magis::keyOf(shares));
    parts.pieces = pieces(memory, all);
    return parts;
}

std::vector<Parts::Piece>
Fission::pieces(const MemoryGraph &memory,
                const IndexedVector<NodePlace, Parts::Intervals> &all) const
{
    const Graph &graph = memory.graph();
    const auto positions = [&](TensorId tensor, const SplitTensor &cut, NodePlace at) {
        std::vector<TensorPart> parts;
        for (const Parts::Interval &interval : all[at])
            parts.push_back(partOf(cut, *graph.tensor(tensor).shape, interval.begin, interval.end));
        return parts;
    };
    std::vector<Parts::Piece> pieces;
    std::vector<std::vector<TensorPart>> taken;
    for (const NodePlace at : m_nodes.indices()) {
        const Node &node = graph.node(m_nodes[at]);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const TensorId input = node.inputs[i];
            const SplitTensor &cut = cutOf(splitOf(memory, m_nodes[at]).inputs, i);
            if (!input.valid() || !cut.isCut())
                continue;
            auto needs = positions(input, cut, at);
            const NodeId producer = graph.producer(input);
            if (producer.valid() && contains(producer)) {
                const auto &given = graph.node(producer).outputs;
                const auto o = std::size_t(std::ranges::find(given, input) - given.begin());
                if (needs ==
                    positions(input, cutOf(splitOf(memory, producer).outputs, o), place(producer)))
                    continue;
            }
            std::size_t known = 0;
            while (known < pieces.size() &&
                   (pieces[known].tensor != input || taken[known] != needs))
                ++known;
            if (known == pieces.size()) {
                std::int64_t most = 0;
                for (const TensorPart &need : needs)
                    most = std::max(most, need.end - need.begin);
                const Dim &extent = (*graph.tensor(input).shape)[std::size_t(cut.dim)];
                pieces.push_back({input, cut.dim, double(most) / double(extent.value()), {}});
                taken.push_back(std::move(needs));
            }
            if (pieces[known].readers.empty() || pieces[known].readers.back() != m_nodes[at])
                pieces[known].readers.push_back(m_nodes[at]);
        }
    }
    return pieces;
}

IndexedVector<NodePlace, Parts::Intervals> Fission::intervals(const MemoryGraph &memory,
                                                              const Cutting &cutting) const
{
    const auto number = std::size_t(cutting.number);
    const Graph &graph = memory.graph();
    IndexedVector<NodePlace, Parts::Intervals> result(m_nodes.size());
    // Positions of the tensors inside that each part needs.
    std::vector<Parts::Intervals> needs(m_nodes.size() ? graph.tensorBound() : 0);
    const auto bound = [&](std::int64_t extent, PartIndex part) {
        return extent / m_units * cutting.begin(m_units, part); // units divide the extent
    };
    for (const NodePlace at : m_nodes.indices().reversed()) {
        const NodeId id = m_nodes[at];
        const Node &node = graph.node(id);
        const Split &split = splitOf(memory, id);
        Parts::Intervals &mine = result[at];
        mine.resize(number, {split.extent, 0});
        const auto widen = [&](Parts::Interval &interval, std::int64_t begin, std::int64_t end) {
            interval.begin = std::min(interval.begin, begin);
            interval.end = std::max(interval.end, end);
        };
        for (std::size_t o = 0; o < node.outputs.size(); ++o) {
            const TensorId output = node.outputs[o];
            if (!output.valid())
                continue;
            const SplitTensor &cut = cutOf(split.outputs, o);
            const bool leaves = std::ranges::binary_search(m_outputs, output);
            for (const PartIndex p : cutting.parts()) {
                auto &interval = mine[p];
                if (leaves)
                    widen(interval, bound(split.extent, p), bound(split.extent, p + 1));
                if (cut.isCut() && !needs[output.index].empty()) {
                    const auto &need = needs[output.index][p];
                    widen(interval, need.begin / cut.step, (need.end + cut.step - 1) / cut.step);
                }
            }
        }
        for (auto &interval : mine) {
            interval.begin = std::max<std::int64_t>(interval.begin, 0);
            interval.end = std::clamp(interval.end, interval.begin, split.extent);
        }
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const TensorId input = node.inputs[i];
            const SplitTensor &cut = cutOf(split.inputs, i);
            if (!input.valid() || !cut.isCut())
                continue;
            const std::int64_t extent = (*graph.tensor(input).shape)[std::size_t(cut.dim)].value();
            auto &need = needs[input.index];
            need.resize(number, {extent, 0});
            for (const PartIndex p : cutting.parts()) {
                const auto &interval = mine[p];
                widen(need[p], std::max<std::int64_t>(0, cut.step * interval.begin - cut.before),
                      std::min(extent, cut.step * interval.end + cut.after));
            }
        }
    }
    return result;
}

} // namespace graphloom::magis
