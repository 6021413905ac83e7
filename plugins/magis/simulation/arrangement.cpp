// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/simulation/arrangement.h"

#include "engine/base/hash.h"

#include <algorithm>

namespace graphloom::magis {

std::shared_ptr<const Arrangement> Arrangement::of(FissionTable &table, std::span<const int> order,
                                                   std::vector<EnabledFission> fissions,
                                                   std::span<const Eviction> evictions,
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
    result->m_fissions = std::move(fissions);
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

/// Makes all lists that are added to empty; the others are filled anew.
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
    std::vector<std::int64_t> available; // units, inside of the fissions around
    std::vector<std::int64_t> most;      // units of the largest part
    for (std::size_t i = 0; i < m_fissions.size(); ++i) {
        const Fission &inner = table.fission(m_fissions[i].fission);
        int parent = -1, around = -1; // around: along the same dimension
        for (std::size_t j = 0; j < i; ++j) {
            const Fission &outer = table.fission(m_fissions[j].fission);
            const std::size_t shared = inner.overlap(outer);
            if (shared == 0)
                continue;
            if (shared != inner.nodes().size() || inner.nodes().size() == outer.nodes().size())
                return false;
            parent = int(j);
            // Of all nodes or of none: parts of parts of one dimension are counted in its units.
            const auto alike = std::ranges::count_if(inner.nodes(), [&](NodeId node) {
                return inner.dimension().splitOf[node.index] ==
                       outer.dimension().splitOf[node.index];
            });
            if (alike != 0 && std::size_t(alike) != inner.nodes().size())
                return false;
            // Windows of a part of a part may lie in the padding.
            if (alike != 0 && (inner.hasWindows() || outer.hasWindows()))
                return false;
            if (alike != 0)
                around = int(j);
        }
        // The least of a part of the fission around it; its units are of several of these.
        std::int64_t units = inner.units();
        if (around >= 0)
            units =
                m_fissions[std::size_t(around)].cutting().least(available[std::size_t(around)]) *
                units / table.fission(m_fissions[std::size_t(around)].fission).units();
        available.push_back(units);
        // The largest part of the largest part: both may be rounded up.
        const std::int64_t all =
            around < 0 ? inner.units()
                       : most[std::size_t(around)] * inner.units() /
                             table.fission(m_fissions[std::size_t(around)].fission).units();
        most.push_back(m_fissions[i].cutting().largest(all));
        m_largest.push_back(double(most.back()) / double(all));
        if (m_fissions[i].number < 2 || !m_fissions[i].cutting().fits(units))
            return false;
        // Sizes are of the whole extent, and of steps that all nodes have.
        if (m_fissions[i].size > 0 && (around >= 0 || inner.hasWindows()))
            return false;
        m_parents.push_back(parent);
        m_parts.push_back(&table.parts(m_fissions[i].fission, m_fissions[i].cutting()));
        m_facts.push_back(&table.facts(m_fissions[i].fission));
    }
    return true;
}

bool Arrangement::arrange(const FissionTable &table, std::span<const int> order)
{
    m_order.assign(order.begin(), order.end());
    m_position.resize(m_order.size());
    for (std::size_t p = 0; p < m_order.size(); ++p)
        m_position[std::size_t(m_order[p])] = int(p);
    for (std::size_t f = 0; f < m_fissions.size(); ++f)
        gather(table.memory(), table.fission(m_fissions[f].fission), *m_facts[f]);
    m_regionAt.assign(m_order.size(), -1);
    for (int f = 0; f < int(m_fissions.size()); ++f) {
        const std::vector<int> &steps = m_facts[std::size_t(f)]->steps;
        const EnabledFission &enabled = m_fissions[std::size_t(f)];
        const double first = m_largest[std::size_t(f)], each = 1. / enabled.number,
                     last = enabled.size > 0 ? 1 - (enabled.number - 1) * first : each;
        Region region{int(m_order.size()),
                      -1,
                      m_parents[std::size_t(f)],
                      f,
                      first,
                      enabled.number == 2 ? last
                      : enabled.size > 0  ? first
                                          : each,
                      last};
        for (const int step : steps) {
            const int p = position(step);
            region.begin = std::min(region.begin, p);
            region.end = std::max(region.end, p);
            m_regionAt[std::size_t(p)] = f;
        }
        if (int(steps.size()) != region.end - region.begin + 1)
            return false;
        m_regions.push_back(region);
    }
    return true;
}

/// Moves what is between the steps of a fission before it, where the fission needs it, or behind.
void Arrangement::gather(const MemoryGraph &memory, const Fission &fission,
                         const FissionFacts &facts)
{
    int first = int(m_order.size()), end = 0; // positions
    for (const int step : facts.steps) {
        first = std::min(first, position(step));
        end = std::max(end, position(step) + 1);
    }
    if (end - first == int(facts.steps.size()))
        return;
    const auto inside = [&](int step) { return fission.containsStep(step); };
    std::vector<bool> needed(m_order.size(), false);
    for (int p = end; p-- > first;) {
        const int step = m_order[std::size_t(p)];
        if (inside(step) || needed[std::size_t(step)])
            for (const int before : memory.steps()[std::size_t(step)].before)
                needed[std::size_t(before)] = !inside(before);
    }
    // Stable in three classes: before, inside, behind.
    std::vector<int> members, behind;
    members.reserve(facts.steps.size());
    const auto from = m_order.begin() + first, last = m_order.begin() + end;
    auto to = from;
    for (auto at = from; at != last; ++at)
        if (inside(*at))
            members.push_back(*at);
        else if (needed[std::size_t(*at)])
            *to++ = *at;
        else
            behind.push_back(*at);
    to = std::ranges::copy(members, to).out;
    std::ranges::copy(behind, to);
    for (int p = first; p < end; ++p)
        m_position[std::size_t(m_order[std::size_t(p)])] = p;
}

int Arrangement::outermostBelow(int region, int scope) const
{
    int found = -1;
    for (; region != scope && region >= 0; region = m_regions[std::size_t(region)].parent)
        found = region;
    return found;
}

/// Of all that the seconds of the step depend on: its kind, how it is split, and what parts that
/// leaves.
std::uint64_t Arrangement::priceKey(const FissionTable &table, int position) const
{
    const Step &step = table.memory().steps()[std::size_t(m_order[std::size_t(position)])];
    std::uint64_t key = scramble(std::uint64_t(step.kind) + 1);
    for (int r = m_regionAt[std::size_t(position)]; r >= 0; r = m_regions[std::size_t(r)].parent) {
        const Fission &fission = table.fission(m_fissions[std::size_t(r)].fission);
        const Parts &parts = *m_parts[std::size_t(r)];
        const std::uint64_t shares = parts.shares.empty()
                                         ? parts.commonKey
                                         : parts.keyOf(std::size_t(fission.place(step.node)));
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
    // Steps of one kind mostly have one key.
    std::vector<Known> known(m_regions.empty() ? 0 : std::size_t(memory.kinds()));
    for (int p = 0; p < int(m_order.size()); ++p) {
        const int step = m_order[std::size_t(p)];
        StepPrice price;
        if (m_regionAt[std::size_t(p)] < 0) {
            price = {memory.seconds(step), memory.workspace(step)};
        } else {
            const std::uint64_t key = priceKey(table, p);
            Known &last = known[std::size_t(memory.steps()[std::size_t(step)].kind)];
            if (last.key != key)
                last = {key, table.price(key, [&] { return partPrice(table, p); })};
            price = last.price;
        }
        m_seconds[std::size_t(p)] = price.seconds;
        m_workspaces[std::size_t(p)] = price.workspace;
    }
}

/// Each combination of shares of the fissions around the step as often as it comes.
std::vector<StepParts> Arrangement::partsAt(const FissionTable &table, int position) const
{
    const NodeId node = table.memory().steps()[std::size_t(m_order[std::size_t(position)])].node;
    std::vector<StepParts> parts{{{}, 1}};
    for (int r = m_regionAt[std::size_t(position)]; r >= 0; r = m_regions[std::size_t(r)].parent) {
        const Fission &fission = table.fission(m_fissions[std::size_t(r)].fission);
        const int split = fission.dimension().splitOf[node.index];
        const auto &shares = m_parts[std::size_t(r)]->of(std::size_t(fission.place(node)));
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

StepPrice Arrangement::partPrice(const FissionTable &table, int position) const
{
    const MemoryGraph &memory = table.memory();
    const NodeId node = memory.steps()[std::size_t(m_order[std::size_t(position)])].node;
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
    m_scope.assign(buffers.size(), -1);
    m_bytes.resize(buffers.size());
    m_isSum.assign(buffers.size(), false);
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        const Buffer &buffer = buffers[b];
        m_bytes[b] = buffer.bytes;
        if (buffer.producer < 0)
            continue;
        const NodeId producer = memory.steps()[std::size_t(buffer.producer)].node;
        int scope = m_regionAt[std::size_t(position(buffer.producer))];
        while (scope >= 0 && m_facts[std::size_t(scope)]->leaves(int(b)))
            scope = m_regions[std::size_t(scope)].parent;
        m_scope[b] = scope;
        double bytes = double(buffer.bytes);
        for (int r = scope; r >= 0; r = m_regions[std::size_t(r)].parent) {
            const Fission &fission = table.fission(m_fissions[std::size_t(r)].fission);
            if (fission.dimension().dimOf[buffer.tensor.index] >= 0)
                bytes *= largestShare(table, r, producer);
        }
        m_bytes[b] = std::int64_t(bytes + 0.5);
    }
}

/// The largest share that a fission leaves of a node.
double Arrangement::largestShare(const FissionTable &table, int region, NodeId node) const
{
    const Parts &parts = *m_parts[std::size_t(region)];
    if (parts.shares.empty())
        return m_largest[std::size_t(region)];
    const Fission &fission = table.fission(m_fissions[std::size_t(region)].fission);
    return parts.largest(std::size_t(fission.place(node)));
}

/// Where a use at a position ends: of what a fission's parts share, with the fission.
int Arrangement::endOfUse(int position, int scope) const
{
    const int below = outermostBelow(m_regionAt[std::size_t(position)], scope);
    return below >= 0 ? m_regions[std::size_t(below)].end : position;
}

void Arrangement::listEnds(const MemoryGraph &memory)
{
    const auto buffers = memory.buffers();
    std::vector<std::pair<int, int>> ends; // position, buffer
    ends.reserve(buffers.size());
    m_lastUse.assign(buffers.size(), int(m_order.size()) - 1);
    for (int b = 0; b < int(buffers.size()); ++b) {
        const Buffer &buffer = buffers[std::size_t(b)];
        if (buffer.kept || buffer.resident)
            continue;
        const int scope = m_scope[std::size_t(b)];
        int last = buffer.producer >= 0 ? endOfUse(position(buffer.producer), scope) : 0;
        for (const int reader : buffer.readers)
            last = std::max(last, endOfUse(position(reader), scope));
        m_lastUse[std::size_t(b)] = last;
        if (buffer.producer >= 0) // an input cannot be computed again
            ends.emplace_back(last, b);
    }
    listByPosition(ends, m_ends, m_endsAt);
}

void Arrangement::listEvictions(const MemoryGraph &memory, std::span<const Eviction> evictions)
{
    std::vector<std::pair<int, int>> drops, needs; // position, eviction
    drops.reserve(evictions.size());
    m_gaps.reserve(evictions.size());
    for (int e = 0; e < int(evictions.size()); ++e) {
        const Eviction &eviction = evictions[std::size_t(e)];
        const Buffer &buffer = memory.buffers()[std::size_t(eviction.buffer)];
        const int scope = m_scope[std::size_t(eviction.buffer)];
        const int need = position(eviction.reader);
        const int hoisted = outermostBelow(m_regionAt[std::size_t(need)], scope);
        Gap gap{buffer.producer >= 0 ? endOfUse(position(buffer.producer), scope) : 0,
                hoisted >= 0 ? m_regions[std::size_t(hoisted)].begin : need};
        for (const int reader : buffer.readers)
            if (position(reader) < need)
                gap.drop = std::max(gap.drop, endOfUse(position(reader), scope));
        m_gaps.push_back(gap);
        if (!gap.isPossible())
            continue;
        drops.emplace_back(gap.drop, e);
        if (hoisted >= 0)
            needs.emplace_back(gap.need, e);
    }
    listByPosition(drops, m_drops, m_dropsAt);
    listByPosition(needs, m_needs, m_needsAt);
}

void Arrangement::listByPosition(std::span<const std::pair<int, int>> entries,
                                 std::vector<int> &list, std::vector<int> &at) const
{
    at.assign(m_order.size() + 1, 0);
    for (const auto &[position, value] : entries)
        ++at[std::size_t(position) + 1];
    for (std::size_t p = 0; p < m_order.size(); ++p)
        at[p + 1] += at[p];
    list.resize(entries.size());
    std::vector<int> next(at.begin(), at.end() - 1);
    for (const auto &[position, value] : entries)
        list[std::size_t(next[std::size_t(position)]++)] = value;
}

} // namespace graphloom::magis
