// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/arrangement.h"

#include <algorithm>
#include <unordered_map>

namespace graphloom::magis {

std::shared_ptr<const Arrangement> Arrangement::of(FissionTable &table, std::span<const int> order,
                                                   std::vector<EnabledFission> fissions,
                                                   std::span<const Eviction> evictions)
{
    auto result = std::make_shared<Arrangement>();
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
            units = available[std::size_t(around)] / m_fissions[std::size_t(around)].number *
                    units / table.fission(m_fissions[std::size_t(around)].fission).units();
        available.push_back(units);
        // The largest part of the largest part: both may be rounded up.
        const std::int64_t all =
            around < 0 ? inner.units()
                       : most[std::size_t(around)] * inner.units() /
                             table.fission(m_fissions[std::size_t(around)].fission).units();
        most.push_back((all + m_fissions[i].number - 1) / m_fissions[i].number);
        m_largest.push_back(double(most.back()) / double(all));
        if (m_fissions[i].number < 2 || m_fissions[i].number > units)
            return false;
        m_parents.push_back(parent);
        m_parts.push_back(&table.parts(m_fissions[i].fission, m_fissions[i].number));
    }
    return true;
}

bool Arrangement::arrange(const FissionTable &table, std::span<const int> order)
{
    m_order.assign(order.begin(), order.end());
    for (const EnabledFission &enabled : m_fissions)
        if (!gather(table.memory(), table.fission(enabled.fission)))
            return false;
    m_position.assign(m_order.size(), 0);
    m_regionAt.assign(m_order.size(), -1);
    for (std::size_t p = 0; p < m_order.size(); ++p)
        m_position[std::size_t(m_order[p])] = int(p);
    for (int f = 0; f < int(m_fissions.size()); ++f) {
        const Fission &fission = table.fission(m_fissions[std::size_t(f)].fission);
        Region region{int(m_order.size()), -1, m_parents[std::size_t(f)], f};
        int count = 0;
        for (int p = 0; p < int(m_order.size()); ++p)
            if (fission.containsStep(m_order[std::size_t(p)])) {
                region.begin = std::min(region.begin, p);
                region.end = p;
                m_regionAt[std::size_t(p)] = f;
                ++count;
            }
        if (count != region.end - region.begin + 1)
            return false;
        m_regions.push_back(region);
    }
    return true;
}

/// Moves what is between the steps of a fission before it, where the fission needs it, or behind.
bool Arrangement::gather(const MemoryGraph &memory, const Fission &fission)
{
    const auto inside = [&](int step) { return fission.containsStep(step); };
    const auto first = std::ranges::find_if(m_order, inside);
    const auto last = std::find_if(m_order.rbegin(), m_order.rend(), inside).base();
    std::vector<bool> needed(memory.steps().size(), false);
    for (auto at = last; at != first;) {
        const int step = *--at;
        if (inside(step) || needed[std::size_t(step)])
            for (const int before : memory.steps()[std::size_t(step)].before)
                needed[std::size_t(before)] = !inside(before);
    }
    // Stable in three classes: before, inside, behind.
    std::vector<int> members, behind;
    auto to = first;
    for (auto at = first; at != last; ++at)
        if (inside(*at))
            members.push_back(*at);
        else if (needed[std::size_t(*at)])
            *to++ = *at;
        else
            behind.push_back(*at);
    to = std::ranges::copy(members, to).out;
    std::ranges::copy(behind, to);
    return true;
}

int Arrangement::outermostBelow(int region, int scope) const
{
    int found = -1;
    for (; region != scope && region >= 0; region = m_regions[std::size_t(region)].parent)
        found = region;
    return found;
}

void Arrangement::price(FissionTable &table)
{
    m_seconds.resize(m_order.size());
    m_workspaces.resize(m_order.size());
    const MemoryGraph &memory = table.memory();
    // Without windows, steps of one kind that are split alike in a region cost the same.
    std::vector<bool> alike;
    for (const Region &region : m_regions)
        alike.push_back(m_parts[std::size_t(region.enabled)]->shares.empty() &&
                        (region.parent < 0 || alike[std::size_t(region.parent)]));
    std::unordered_map<std::uint64_t, Price> known;
    for (int p = 0; p < int(m_order.size()); ++p) {
        const int region = m_regionAt[std::size_t(p)];
        const Step &step = memory.steps()[std::size_t(m_order[std::size_t(p)])];
        Price price;
        if (region < 0) {
            price = {memory.seconds(m_order[std::size_t(p)]),
                     memory.workspace(m_order[std::size_t(p)])};
        } else if (!alike[std::size_t(region)]) {
            price = partPrice(table, p);
        } else {
            // Mixed: many regions and splits would run into the next kind otherwise.
            auto key = std::uint64_t(step.kind);
            for (int r = region; r >= 0; r = m_regions[std::size_t(r)].parent) {
                const Fission &fission = table.fission(m_fissions[std::size_t(r)].fission);
                const int split = fission.dimension().splitOf[step.node.index];
                key = (key << 32 | key >> 32) ^ (std::uint64_t(r) << 8 | std::uint64_t(split));
                key = (key ^ key >> 29) * 0x9fb21c651e98df25ULL;
            }
            const auto [at, added] = known.try_emplace(key);
            if (added)
                at->second = partPrice(table, p);
            price = at->second;
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

Arrangement::Price Arrangement::partPrice(const FissionTable &table, int position) const
{
    const MemoryGraph &memory = table.memory();
    const NodeId node = memory.steps()[std::size_t(m_order[std::size_t(position)])].node;
    Price price;
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
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        const Buffer &buffer = buffers[b];
        m_bytes[b] = buffer.bytes;
        if (buffer.producer < 0)
            continue;
        const NodeId producer = memory.steps()[std::size_t(buffer.producer)].node;
        int scope = m_regionAt[std::size_t(position(buffer.producer))];
        const auto leaves = [&](int region) {
            const Fission &fission = table.fission(m_fissions[std::size_t(region)].fission);
            return std::ranges::any_of(buffer.views, [&](TensorId view) {
                return std::ranges::binary_search(fission.outputs(), view);
            });
        };
        while (scope >= 0 && leaves(scope))
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
