// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nest_groups.h"

#include "engine/codegen/expr_edit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace graphloom {

namespace {

std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

bool isLookedUp(const Nest &nest)
{
    return std::ranges::any_of(nest.reads, [](const NestRead &read) {
        return std::ranges::any_of(read.map,
                                   [](const IndexForm &form) { return form.hasLookup(); });
    });
}

/// Axes of several nests that are one, as the tensors between them say.
class SharedAxes {
public:
    SharedAxes(const BlockNests &block, int first, int count)
        : m_block(block), m_first(first), m_count(count)
    {
        for (int n = 0; n < count; ++n) {
            m_base.push_back(int(m_parent.size()));
            for (std::size_t a = 0; a < nest(n).axes.size(); ++a) {
                m_parent.push_back(int(m_parent.size()));
                m_usable.push_back(!nest(n).axes[a].reduces && nest(n).axes[a].extent > 1);
            }
        }
        for (int writer = 0; writer < count; ++writer)
            for (const NestStore &store : nest(writer).stores)
                for (int reader = 0; reader < count; ++reader)
                    for (const NestRead &read : nest(reader).reads)
                        if (read.tensor == store.tensor) {
                            connect(writer, store.map, reader, read.map);
                            m_connected = m_connected || reader == count - 1;
                        }
    }

    /// Does the last nest read anything of the others?
    bool isConnected() const { return m_connected; }

    /// Axes, by nest, of each class that every nest has once.
    std::vector<std::vector<int>> classes()
    {
        std::map<int, std::vector<std::pair<int, int>>> members;
        std::set<int> spoilt;
        for (int n = 0; n < m_count; ++n)
            for (int a = 0; a < int(nest(n).axes.size()); ++a) {
                const int root = find(m_base[std::size_t(n)] + a);
                members[root].emplace_back(n, a);
                if (!m_usable[std::size_t(m_base[std::size_t(n)] + a)])
                    spoilt.insert(root);
            }
        std::vector<std::vector<int>> result;
        for (const auto &[root, axes] : members) {
            if (spoilt.contains(root) || int(axes.size()) != m_count)
                continue;
            std::vector<int> byNest(std::size_t(m_count), -1);
            for (const auto &[n, a] : axes)
                byNest[std::size_t(n)] = a;
            const std::int64_t extent = nest(0).axes[std::size_t(byNest[0])].extent;
            bool same = true;
            for (int n = 0; n < m_count; ++n)
                same = same && byNest[std::size_t(n)] >= 0 &&
                       nest(n).axes[std::size_t(byNest[std::size_t(n)])].extent == extent;
            if (same)
                result.push_back(std::move(byNest));
        }
        std::ranges::sort(result); // as the first nest has them
        return result;
    }

private:
    const Nest &nest(int n) const { return m_block.nests[std::size_t(m_first + n)]; }

    int find(int member)
    {
        while (m_parent[std::size_t(member)] != member)
            member = m_parent[std::size_t(member)];
        return member;
    }

    void spoil(int n, const IndexForm &form)
    {
        form.forEachVariable(
            [&](int axis) { m_usable[std::size_t(m_base[std::size_t(n)] + axis)] = false; });
    }

    void connect(int writer, const std::vector<IndexForm> &write, int reader,
                 const std::vector<IndexForm> &read)
    {
        for (std::size_t d = 0; d < write.size(); ++d) {
            const auto from = write[d].asVariable(), to = read[d].asVariable();
            if (from && to) {
                const int a = find(m_base[std::size_t(writer)] + *from);
                const int b = find(m_base[std::size_t(reader)] + *to);
                m_parent[std::size_t(a)] = b;
            } else {
                spoil(writer, write[d]);
                spoil(reader, read[d]);
            }
        }
    }

    const BlockNests &m_block;
    int m_first, m_count;
    std::vector<int> m_base, m_parent;
    std::vector<bool> m_usable;
    bool m_connected = false;
};

class Grouping {
public:
    Grouping(const BlockNests &block, std::span<const Storage> storages,
             const ScheduleTarget &target, const GroupLimits &limits)
        : m_block(block), m_storages(storages), m_target(target), m_limits(limits)
    {
    }

    std::vector<NestGroup> run()
    {
        std::vector<NestGroup> groups;
        const int count = int(m_block.nests.size());
        for (int first = 0; first < count;) {
            NestGroup best{first, 1, {}, {}, 0};
            for (int last = first + 1; last < count; ++last) {
                auto group = grouped(first, last - first + 1);
                if (!group)
                    break;
                if (!group->local.empty() && group->scratchBytes <= m_limits.scratchBytes)
                    best = std::move(*group);
            }
            first += best.count;
            groups.push_back(std::move(best));
        }
        return groups;
    }

private:
    const Nest &nestOf(const NestGroup &group, int n) const
    {
        return m_block.nests[std::size_t(group.first + n)];
    }

    /// None where the nests cannot share anything; a group too large for the limits may still be
    /// worth more nests.
    std::optional<NestGroup> grouped(int first, int count) const
    {
        NestGroup group{first, count, {}, {}, 0};
        SharedAxes axes(m_block, first, count);
        if (!axes.isConnected())
            return std::nullopt;
        for (int n = 0; n < count; ++n)
            if (isLookedUp(nestOf(group, n)))
                return std::nullopt;
        for (std::vector<int> &byNest : axes.classes())
            if (!isLane(group, byNest))
                group.shared.push_back({std::move(byNest), 1});
        if (group.shared.empty() || !readsFewOperands(group))
            return std::nullopt;
        findLocal(group);
        chooseTiles(group);
        return group;
    }

    /// Neighbours along the axis are lanes in one of the nests.
    bool isLane(const NestGroup &group, const std::vector<int> &byNest) const
    {
        for (int n = 0; n < group.count; ++n) {
            const Nest &nest = nestOf(group, n);
            if (innermostAxis(nest, m_storages) == byNest[std::size_t(n)] &&
                preferredReductionLane(nest, m_block.tensors, m_storages, m_target) < 0)
                return true;
        }
        return false;
    }

    /// Operands of contractions that do not depend on the shared axes are read for every tile.
    bool readsFewOperands(const NestGroup &group) const
    {
        std::int64_t bytes = 0;
        for (int n = 0; n < group.count; ++n) {
            const Nest &nest = nestOf(group, n);
            if (!contractionOf(nest))
                continue;
            for (const NestRead &read : nest.reads) {
                bool depends = false;
                std::int64_t outside = 1;
                for (const NestGroup::Shared &shared : group.shared)
                    for (const IndexForm &form : read.map)
                        if (form.dependsOn(shared.axes[std::size_t(n)])) {
                            depends = true;
                            // What differs between batches is not read again.
                            outside *= nest.axes[std::size_t(shared.axes[std::size_t(n)])].extent;
                        }
                const std::int64_t elements = m_block.tensors[std::size_t(read.tensor)].elements();
                if (!depends || elements / outside > 4096)
                    bytes += elements / outside * 4;
            }
        }
        return bytes <= m_limits.operandBytes;
    }

    /// Scratch tensors that nobody outside of the group touches, and that the group writes whole.
    void findLocal(NestGroup &group) const
    {
        std::set<int> inside, outside;
        for (int n = 0; n < int(m_block.nests.size()); ++n) {
            const bool isInside = n >= group.first && n < group.first + group.count;
            const Nest &nest = m_block.nests[std::size_t(n)];
            for (const NestStore &store : nest.stores)
                (isInside ? inside : outside).insert(store.tensor);
            for (const NestRead &read : nest.reads)
                if (!isInside)
                    outside.insert(read.tensor);
        }
        for (const int tensor : inside)
            if (m_block.tensors[std::size_t(tensor)].role == BlockTensor::Role::Scratch &&
                !outside.contains(tensor) && m_storages[std::size_t(tensor)].margins.empty())
                group.local.push_back(tensor);
    }

    std::int64_t scratchOf(const NestGroup &group) const
    {
        std::int64_t bytes = 0;
        for (const int tensor : group.local)
            bytes +=
                (localStorage(m_block, group, tensor, m_storages[std::size_t(tensor)]).elements *
                     4 +
                 63) /
                64 * 64;
        return bytes;
    }

    /// Rows for the register tiles of contractions, from the innermost shared axis outwards, as
    /// long as the scratch memory holds them and every thread has some tiles.
    void chooseTiles(NestGroup &group) const
    {
        group.scratchBytes = scratchOf(group);
        const bool multiplies = [&] {
            for (int n = 0; n < group.count; ++n)
                if (contractionOf(nestOf(group, n)))
                    return true;
            return false;
        }();
        if (!multiplies)
            return;
        constexpr std::int64_t mostRows = 48;
        std::int64_t rows = 1, tiles = 1;
        for (const NestGroup::Shared &shared : group.shared)
            tiles *= nestOf(group, 0).axes[std::size_t(shared.axes[0])].extent;
        for (std::size_t s = group.shared.size(); s-- > 0;) {
            NestGroup::Shared &shared = group.shared[s];
            const std::int64_t extent = nestOf(group, 0).axes[std::size_t(shared.axes[0])].extent;
            if (!isRow(group, shared))
                continue;
            const auto tilesWith = [&](std::int64_t size) {
                return tiles / extent * ceilDiv(extent, size);
            };
            while (shared.tile < extent) {
                const std::int64_t next = std::min(shared.tile * 2, extent);
                const std::int64_t before = shared.tile;
                shared.tile = ceilDiv(extent, ceilDiv(extent, next)); // of about equal size
                const std::int64_t bytes = scratchOf(group);
                if (bytes > m_limits.scratchBytes || rows * shared.tile > mostRows ||
                    tilesWith(shared.tile) < 4 * m_target.threads) {
                    shared.tile = before;
                    break;
                }
                group.scratchBytes = bytes;
            }
            tiles = tilesWith(shared.tile);
            rows *= shared.tile;
            if (shared.tile < extent)
                break;
        }
        group.scratchBytes = scratchOf(group);
    }

    /// Only one operand of a contraction depends on the axis, so that a tile of it reads the other
    /// one once.
    bool isRow(const NestGroup &group, const NestGroup::Shared &shared) const
    {
        for (int n = 0; n < group.count; ++n)
            if (const auto contraction = contractionOf(nestOf(group, n)))
                if (std::ranges::count(contraction->both, shared.axes[std::size_t(n)]))
                    return false;
        return true;
    }

    const BlockNests &m_block;
    std::span<const Storage> m_storages;
    ScheduleTarget m_target;
    GroupLimits m_limits;
};

} // namespace

std::vector<NestGroup> groupsOf(const BlockNests &block, std::span<const Storage> storages,
                                const ScheduleTarget &target, const GroupLimits &limits)
{
    return Grouping(block, storages, target, limits).run();
}

Storage localStorage(const BlockNests &block, const NestGroup &group, int tensor,
                     const Storage &whole)
{
    std::vector<std::int64_t> extents = block.tensors[std::size_t(tensor)].extents;
    std::vector<bool> local(extents.size(), false);
    for (int n = 0; n < group.count; ++n)
        for (const NestStore &store : block.nests[std::size_t(group.first + n)].stores)
            if (store.tensor == tensor)
                for (std::size_t d = 0; d < extents.size(); ++d)
                    for (const NestGroup::Shared &shared : group.shared)
                        if (store.map[d].asVariable() == shared.axes[std::size_t(n)]) {
                            extents[d] = std::min(extents[d], shared.tile);
                            local[d] = true;
                        }
    std::vector<int> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(),
                             [&](int d) { return whole.strides[std::size_t(d)]; });
    Storage storage = Storage::dense(extents, order);
    storage.local = std::move(local);
    return storage;
}

} // namespace graphloom
