// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/simulation/arrangement.h"

#include "engine/base/hash.h"

#include <algorithm>

namespace graphloom::magis {

std::shared_ptr<const Arrangement> Arrangement::of(FissionTable &table, const StepOrder &order,
                                                   std::vector<EnabledFission> fissions,
                                                   const Evictions &evictions,
                                                   ArrangementPool *pool)
{
    auto result = pool ? pool->take() : std::make_shared<Arrangement>();
    result->forget();
    std::ranges::sort(fissions, [&](const EnabledFission &a, const EnabledFission &b) {
        const auto sizes = std::pair(table.fission(b.fission).nodes().size(),
                                     table.fission(a.fission).nodes().size());
        return sizes.first != sizes.second
                   ? sizes.first < sizes.second
                   : table.fission(a.fission).hash() < table.fission(b.fission).hash();
    });
    result->m_fissions = IndexedVector<RegionIndex, EnabledFission>(std::move(fissions));
    if (!result->nest(table) || !result->arrange(table, order))
        return nullptr;
    result->price(table);
    result->measure(table);
    result->addCopies(table);
    result->listEnds(table.memory());
    result->listEvictions(table.memory(), evictions);
    return result;
}

std::shared_ptr<Arrangement> ArrangementPool::take()
{
    std::unique_ptr<Arrangement> taken;
    {
        const std::lock_guard lock(m_shelf->mutex);
        if (!m_shelf->unused.empty()) {
            taken = std::move(m_shelf->unused.back());
            m_shelf->unused.pop_back();
        }
    }
    if (!taken)
        taken = std::make_unique<Arrangement>();
    return {taken.release(), [shelf = m_shelf](Arrangement *given) {
                std::unique_ptr<Arrangement> back(given);
                constexpr std::size_t most = 256;
                const std::lock_guard lock(shelf->mutex);
                if (shelf->unused.size() < most)
                    shelf->unused.push_back(std::move(back));
            }};
}

/// Clears the lists that are appended to; the others are overwritten.
void Arrangement::forget()
{
    m_fissions.clear();
    m_parents.clear();
    m_parts.clear();
    m_facts.clear();
    m_largest.clear();
    m_regions.clear();
    m_extras.clear();
    m_copies.clear();
    m_gaps.clear();
}

bool Arrangement::nest(FissionTable &table)
{
    IndexedVector<RegionIndex, std::int64_t> available; // units left inside the enclosing fissions
    IndexedVector<RegionIndex, std::int64_t> most;      // units of the largest part
    for (const RegionIndex i : m_fissions.indices()) {
        const Fission &inner = fissionOf(table, i);
        RegionIndex parent, around; // around: along the same dimension
        for (const RegionIndex j : IndexRange(RegionIndex(0), i)) {
            const Fission &outer = fissionOf(table, j);
            const std::size_t shared = inner.overlap(outer);
            if (shared == 0)
                continue;
            if (shared != inner.nodes().size() || inner.nodes().size() == outer.nodes().size())
                return false;
            parent = j;
            // Either all nodes share the dimension or none: nested parts are counted in its units.
            const auto alike = std::ranges::count_if(inner.nodes(), [&](NodeId node) {
                return inner.dimension().splitOf[node.index] ==
                       outer.dimension().splitOf[node.index];
            });
            if (alike != 0 && std::size_t(alike) != inner.nodes().size())
                return false;
            // Windows of nested parts may lie in the padding.
            if (alike != 0 && (inner.hasWindows() || outer.hasWindows()))
                return false;
            if (alike != 0)
                around = j;
        }
        // Units of the smallest enclosing part: each enclosing unit is several of these.
        std::int64_t units = inner.units();
        if (around.isValid())
            units = m_fissions[around].cutting().least(available[around]) * units /
                    fissionOf(table, around).units();
        available.push_back(units);
        // Units of the largest part of the largest enclosing part: both may be rounded up.
        const std::int64_t all =
            around.isValid() ? most[around] * inner.units() / fissionOf(table, around).units()
                             : inner.units();
        most.push_back(m_fissions[i].cutting().largest(all));
        m_largest.push_back(double(most.back()) / double(all));
        if (m_fissions[i].number < 2 || !m_fissions[i].cutting().fits(units))
            return false;
        // Part sizes refer to the whole extent, and to steps that all nodes have.
        if (m_fissions[i].size > 0 && (around.isValid() || inner.hasWindows()))
            return false;
        m_parents.push_back(parent);
        m_parts.push_back(&table.parts(m_fissions[i].fission, m_fissions[i].cutting()));
        m_facts.push_back(&table.facts(m_fissions[i].fission));
    }
    return true;
}

bool Arrangement::arrange(const FissionTable &table, const StepOrder &order)
{
    m_order = order;
    m_position.resize(m_order.size());
    for (const Position p : m_order.indices())
        m_position[m_order[p]] = p;
    for (const RegionIndex f : m_fissions.indices())
        gather(table.memory(), fissionOf(table, f), *m_facts[f]);
    m_regionAt.assign(m_order.size(), {});
    for (const RegionIndex f : m_fissions.indices()) {
        const std::vector<StepIndex> &steps = m_facts[f]->steps;
        const EnabledFission &enabled = m_fissions[f];
        const double first = m_largest[f], each = 1. / enabled.number,
                     last = enabled.size > 0 ? 1 - (enabled.number - 1) * first : each;
        Region region{m_order.nextIndex(),
                      {},
                      m_parents[f],
                      first,
                      enabled.number == 2 ? last
                      : enabled.size > 0  ? first
                                          : each,
                      last};
        for (const StepIndex step : steps) {
            const Position p = position(step);
            region.begin = std::min(region.begin, p);
            region.end = std::max(region.end, p);
            m_regionAt[p] = f;
        }
        if (int(steps.size()) != region.end - region.begin + 1)
            return false;
        m_regions.push_back(region);
    }
    return true;
}

/// Makes a fission contiguous: steps between move before it if it needs them, otherwise after it.
void Arrangement::gather(const MemoryGraph &memory, const Fission &fission,
                         const FissionFacts &facts)
{
    Position first = m_order.nextIndex(), end(0);
    for (const StepIndex step : facts.steps) {
        first = std::min(first, position(step));
        end = std::max(end, position(step) + 1);
    }
    if (end - first == int(facts.steps.size()))
        return;
    const auto inside = [&](StepIndex step) { return fission.containsStep(step); };
    IndexedVector<StepIndex, bool> needed(m_order.size(), false);
    for (const Position p : IndexRange(first, end).reversed()) {
        const StepIndex step = m_order[p];
        if (inside(step) || needed[step])
            for (const StepIndex before : memory.steps()[step].before)
                needed[before] = !inside(before);
    }
    // Partition stably into before, inside, after.
    std::vector<StepIndex> members, behind;
    members.reserve(facts.steps.size());
    const auto from = m_order.begin() + first.number(), last = m_order.begin() + end.number();
    auto to = from;
    for (auto at = from; at != last; ++at)
        if (inside(*at))
            members.push_back(*at);
        else if (needed[*at])
            *to++ = *at;
        else
            behind.push_back(*at);
    to = std::ranges::copy(members, to).out;
    std::ranges::copy(behind, to);
    for (const Position p : IndexRange(first, end))
        m_position[m_order[p]] = p;
}

RegionIndex Arrangement::outermostBelow(RegionIndex region, RegionIndex scope) const
{
    RegionIndex found;
    for (; region != scope && region.isValid(); region = m_regions[region].parent)
        found = region;
    return found;
}

/// Hashes all that a step's seconds depend on: its kind, its splits, and the shares of its parts.
std::uint64_t Arrangement::priceKey(const FissionTable &table, Position position) const
{
    const Step &step = table.memory().steps()[m_order[position]];
    std::uint64_t key = scramble(std::uint64_t(step.kind.number()) + 1);
    for (RegionIndex r = m_regionAt[position]; r.isValid(); r = m_regions[r].parent) {
        const Fission &fission = fissionOf(table, r);
        const Parts &parts = *m_parts[r];
        const std::uint64_t shares =
            parts.shares.empty() ? parts.commonKey : parts.keyOf(fission.place(step.node));
        key = (key ^ shares) * 0x9fb21c651e98df25ULL;
        key = scramble(key + std::uint64_t(fission.dimension().splitOf[step.node.index]));
    }
    return key;
}

void Arrangement::price(FissionTable &table)
{
    m_seconds.resize(m_order.size());
    m_workspaces.resize(m_order.size());
    const MemoryGraph &memory = table.memory();
    struct Known {
        std::uint64_t key = 0;
        StepPrice price;
    };
    // Steps of one kind mostly share one key.
    IndexedVector<StepKind, Known> known(m_regions.empty() ? 0 : std::size_t(memory.kinds()));
    for (const Position p : m_order.indices()) {
        const StepIndex step = m_order[p];
        StepPrice price;
        if (!m_regionAt[p].isValid()) {
            price = {memory.seconds(step), memory.workspace(step)};
        } else {
            const std::uint64_t key = priceKey(table, p);
            Known &last = known[memory.steps()[step].kind];
            if (last.key != key)
                last = {key, table.price(key, [&] { return partPrice(table, p); })};
            price = last.price;
        }
        m_seconds[p] = price.seconds;
        m_workspaces[p] = price.workspace;
    }
}

std::int64_t Arrangement::calls() const
{
    IndexedVector<RegionIndex, std::int64_t> runs(m_regions.size(), 1);
    for (const RegionIndex region : runs.indices()) // the regions around one come before it
        runs[region] = m_fissions[region].number *
                       (m_regions[region].parent.isValid() ? runs[m_regions[region].parent] : 1);
    std::int64_t calls = 0;
    for (const RegionIndex region : m_regionAt)
        calls += region.isValid() ? runs[region] : 1;
    return calls;
}

/// Returns each combination of shares in the enclosing fissions, with its number of parts.
std::vector<StepParts> Arrangement::partsAt(const FissionTable &table, Position position) const
{
    const NodeId node = table.memory().steps()[m_order[position]].node;
    std::vector<StepParts> parts{{{}, 1}};
    for (RegionIndex r = m_regionAt[position]; r.isValid(); r = m_regions[r].parent) {
        const Fission &fission = fissionOf(table, r);
        const int split = fission.dimension().splitOf[node.index];
        const auto &shares = m_parts[r]->of(fission.place(node));
        std::vector<StepParts> next;
        for (const StepParts &part : parts)
            for (const Parts::Share &share : shares) {
                next.push_back(part);
                next.back().cuts.push_back({split, share.share});
                next.back().count *= share.count;
            }
        parts = std::move(next);
    }
    return parts;
}

StepPrice Arrangement::partPrice(const FissionTable &table, Position position) const
{
    const MemoryGraph &memory = table.memory();
    const NodeId node = memory.steps()[m_order[position]].node;
    StepPrice price;
    for (const StepParts &part : partsAt(table, position)) {
        price.seconds += part.count * memory.seconds(node, part.cuts);
        price.workspace = std::max(price.workspace, memory.workspace(node, part.cuts));
    }
    return price;
}

void Arrangement::measure(FissionTable &table)
{
    const MemoryGraph &memory = table.memory();
    const auto buffers = memory.buffers();
    m_scope.assign(buffers.size(), {});
    m_bytes.resize(buffers.size());
    m_isSum.assign(buffers.size(), false);
    for (const BufferIndex b : buffers.indices()) {
        const Buffer &buffer = buffers[b];
        m_bytes[b] = buffer.bytes;
        if (!buffer.producer.isValid())
            continue;
        const NodeId producer = memory.steps()[buffer.producer].node;
        RegionIndex scope = m_regionAt[position(buffer.producer)];
        while (scope.isValid() && m_facts[scope]->leaves(b))
            scope = m_regions[scope].parent;
        m_scope[b] = scope;
        double bytes = double(buffer.bytes);
        for (RegionIndex r = scope; r.isValid(); r = m_regions[r].parent) {
            if (fissionOf(table, r).dimension().dimOf[buffer.tensor.index] >= 0)
                bytes *= largestShare(table, r, producer);
        }
        m_bytes[b] = std::int64_t(bytes + 0.5);
    }
}

/// Returns the largest share of a node that a part of a fission computes.
double Arrangement::largestShare(const FissionTable &table, RegionIndex region, NodeId node) const
{
    const Parts &parts = *m_parts[region];
    if (parts.shares.empty())
        return m_largest[region];
    return parts.largest(fissionOf(table, region).place(node));
}

/// Returns where a use ends; a tensor that a fission's parts share is used until its end.
Position Arrangement::endOfUse(Position position, RegionIndex scope) const
{
    const RegionIndex below = outermostBelow(m_regionAt[position], scope);
    return below.isValid() ? m_regions[below].end : position;
}

void Arrangement::listEnds(const MemoryGraph &memory)
{
    const auto buffers = memory.buffers();
    std::vector<std::pair<Position, BufferIndex>> ends;
    ends.reserve(buffers.size());
    m_lastUse.assign(buffers.size(), m_order.lastIndex());
    for (const BufferIndex b : buffers.indices()) {
        const Buffer &buffer = buffers[b];
        if (buffer.kept || buffer.resident)
            continue;
        const RegionIndex scope = m_scope[b];
        const bool computed = buffer.producer.isValid();
        Position last = computed ? endOfUse(position(buffer.producer), scope) : Position(0);
        for (const StepIndex reader : buffer.readers)
            last = std::max(last, endOfUse(position(reader), scope));
        m_lastUse[b] = last;
        if (computed) // an input cannot be recomputed
            ends.emplace_back(last, b);
    }
    m_ends.assign(m_order.size(), ends);
}

void Arrangement::listEvictions(const MemoryGraph &memory, const Evictions &evictions)
{
    std::vector<std::pair<Position, EvictionIndex>> drops, needs;
    drops.reserve(evictions.size());
    m_gaps.reserve(evictions.size());
    for (const EvictionIndex e : evictions.indices()) {
        const Eviction &eviction = evictions[e];
        const Buffer &buffer = memory.buffers()[eviction.buffer];
        const RegionIndex scope = m_scope[eviction.buffer];
        const Position need = position(eviction.reader);
        const RegionIndex hoisted = outermostBelow(m_regionAt[need], scope);
        Gap gap{buffer.producer.isValid() ? endOfUse(position(buffer.producer), scope)
                                          : Position(0),
                hoisted.isValid() ? m_regions[hoisted].begin : need};
        for (const StepIndex reader : buffer.readers)
            if (position(reader) < need)
                gap.drop = std::max(gap.drop, endOfUse(position(reader), scope));
        m_gaps.push_back(gap);
        if (!gap.isPossible())
            continue;
        drops.emplace_back(gap.drop, e);
        if (hoisted.isValid())
            needs.emplace_back(gap.need, e);
    }
    m_drops.assign(m_order.size(), drops);
    m_needs.assign(m_order.size(), needs);
}

} // namespace graphloom::magis
