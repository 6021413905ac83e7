// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/nest_groups.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/nests/contraction.h"
#include "engine/codegen/nests/shared_axes.h"
#include "engine/codegen/schedule/group_tiles.h"
#include "engine/codegen/schedule/half_arithmetic.h"
#include "engine/codegen/schedule/lanes.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace graphloom {

namespace {

/// Limits the nests of a group: attention takes six, a convolution by Winograd's algorithm three.
constexpr int mostNests = 32;

/// Holds what decides whether a nest can share axes, in any group.
struct NestFacts {
    bool looksUp = false; // it reads or writes at data-dependent positions
    AxisIndex lane;       // the axis whose neighbours are lanes
};

class Grouping {
public:
    Grouping(const BlockNests &block, const BlockStorages &storages, const ScheduleTarget &target,
             const GroupLimits &limits)
        : m_block(block), m_storages(storages), m_target(target), m_limits(limits),
          m_touched(block.tensors.size(), {block.nests.nextIndex(), NestIndex()}),
          m_facts(block.nests.size())
    {
        m_limits.scratchBytes = std::min(m_limits.scratchBytes, target.taskMemory);
        if (target.ownCache > 0) // the rest of it is for operands, and for what comes and goes
            m_limits.scratchBytes = std::min(m_limits.scratchBytes, target.ownCache * 3 / 8);
        for (const Nest &nest : block.nests) // tiles are whole vectors of all nests
            m_target.lanes = std::max(m_target.lanes, targetOf(nest, block.tensors, target).lanes);
        for (const NestIndex nest : block.nests.indices()) {
            const auto touch = [&](BlockTensorIndex tensor) {
                auto &[first, last] = m_touched[tensor];
                first = std::min(first, nest);
                last = std::max(last, nest);
            };
            for (const NestStore &store : block.nests[nest].stores)
                touch(store.tensor);
            for (const NestRead &read : block.nests[nest].reads)
                touch(read.tensor);
        }
    }

    /// Returns the longest groups, as if all that lies between them stayed in caches.
    NestGroups longest() const
    {
        NestGroups groups;
        const NestIndex end = m_block.nests.nextIndex();
        for (NestIndex first(0); first < end;) {
            NestGroup longest{first, 1, {}, {}, 0};
            for (const NestIndex last : IndexRange(first + 1, std::min(end, first + mostNests))) {
                auto group = grouped(first, last - first + 1);
                if (!group || group->siblings)
                    break;
                if (isWithinLimits(*group))
                    longest = std::move(*group);
            }
            first += longest.count;
            groups.push_back(std::move(longest));
        }
        return groups;
    }

    /// Returns the groups that move the fewest bytes beyond a unit's own cache; of equal ones, the
    /// longest.
    NestGroups withLeastTraffic() const
    {
        struct Best {
            double bytes = 0; // of this group and the following ones
            NestGroup group;
        };
        const NestIndex end = m_block.nests.nextIndex();
        IndexedVector<NestIndex, Best> best(m_block.nests.size() + 1);
        for (const NestIndex first : m_block.nests.indices().reversed()) {
            Best &of = best[first];
            of.group = {first, 1, {}, {}, 0};
            of.bytes = trafficOf(of.group) + best[first + 1].bytes;
            for (const NestIndex last : IndexRange(first + 1, std::min(end, first + mostNests))) {
                std::vector<NestGroup> ways = waysOf(first, last - first + 1, true);
                if (ways.empty() || ways.front().siblings)
                    break;
                bool isFirst = true;
                for (NestGroup &way : ways) {
                    if (operandsOf(way) > m_limits.operandBytes || !isWithinLimits(way))
                        continue;
                    const double bytes = trafficOf(way) + best[last + 1].bytes;
                    if (bytes < of.bytes || (bytes == of.bytes && isFirst))
                        of = {bytes, std::move(way)};
                    isFirst = false;
                }
            }
        }
        NestGroups groups;
        for (NestIndex first(0); first < end; first += groups.back().count)
            groups.push_back(std::move(best[first].group));
        return groups;
    }

    Result<NestGroup> chosen(const GroupChoice &choice) const
    {
        NestGroup group{choice.first, choice.count, {}, {}, 0};
        if (choice.count == 1)
            return group;
        const int first = choice.first.number();
        const std::string name =
            "nests " + std::to_string(first) + " to " + std::to_string(first + choice.count - 1);
        std::vector<NestGroup> ways = waysOf(choice.first, choice.count, true);
        if (ways.empty())
            return fail(Error::Kind::Usage,
                        name + " cannot run together: they have no axis in common");
        if (ways.front().local.empty() && !ways.front().siblings)
            return fail(Error::Kind::Usage,
                        name + " need not run together: nothing is between them alone");
        if (choice.tiles.empty())
            return best(std::move(ways));
        const auto isChosen = [&](const NestGroup &way) {
            return std::ranges::equal(
                way.shared, choice.tiles, {},
                [&](const auto &shared) {
                    return m_block.nests[way.first].axes[shared.axes.front()].name;
                },
                [](const auto &tile) { return tile.first; });
        };
        const auto way = std::ranges::find_if(ways, isChosen);
        group = way == ways.end() ? ways.front() : *way;
        std::string axes;
        bool fits = choice.tiles.size() == group.shared.size();
        for (std::size_t s = 0; s < group.shared.size(); ++s) {
            const NestAxis &axis = m_block.nests[group.first].axes[group.shared[s].axes.front()];
            const std::int64_t extent = group.extentOf(group.shared[s], m_block);
            axes += (s > 0 ? ", " : "") + axis.name + " of " + std::to_string(extent) +
                    (group.shared[s].isLane ? " in whole vectors" : "");
            if (!fits)
                continue;
            const auto &[of, tile] = choice.tiles[s];
            const bool isWhole =
                !group.shared[s].isLane || tile % m_target.lanes == 0 || tile == extent;
            fits = of == axis.name && tile >= 1 && tile <= extent && isWhole;
            group.shared[s].tile = tile;
            if (group.shared[s].slides())
                group.shared[s].strip = stripOf(group, group.shared[s], m_block, m_target);
        }
        if (!fits)
            return fail(Error::Kind::Usage,
                        "the tiles of " + name +
                            " are not those of the axes that they share: " + axes);
        group.scratchBytes = scratchOf(group, m_block, m_storages);
        return group;
    }

private:
    /// Returns a group, or none if the nests cannot share axes. A group that exceeds the limits may
    /// still be worth extending.
    std::optional<NestGroup> grouped(NestIndex first, int count) const
    {
        std::vector<NestGroup> ways = waysOf(first, count, false);
        std::erase_if(
            ways, [&](const NestGroup &way) { return operandsOf(way) > m_limits.operandBytes; });
        return ways.empty() ? std::nullopt : std::optional(best(std::move(ways)));
    }

    /// Returns the bytes that the nests of a group move beyond a unit's own cache, without those of
    /// the block's inputs and results, which every choice of groups moves: what lies between groups
    /// if a half of the cache does not hold it, and what is read again for every tile if the cache
    /// does not hold it beside the tiles.
    double trafficOf(const NestGroup &group) const
    {
        const auto bytesOf = [&](BlockTensorIndex tensor) {
            return double(m_block.tensors[tensor].elements()) * 4;
        };
        std::set<BlockTensorIndex> touched;
        for (const NestIndex nest : group.nests()) {
            for (const NestRead &read : m_block.nests[nest].reads)
                touched.insert(read.tensor);
            for (const NestStore &store : m_block.nests[nest].stores)
                touched.insert(store.tensor);
        }
        const auto cache = double(m_target.ownCache);
        double bytes = 0, passing = 0;
        for (const BlockTensorIndex tensor : touched) {
            const BlockTensor::Role role = m_block.tensors[tensor].role;
            if (role == BlockTensor::Role::Constant || std::ranges::count(group.local, tensor))
                continue;
            passing += bytesOf(tensor);
            if (role == BlockTensor::Role::Scratch && bytesOf(tensor) > cache / 2)
                bytes += bytesOf(tensor);
        }
        double tiles = 1;
        for (const NestGroup::Shared &shared : group.shared)
            tiles *= double(ceilDiv(group.extentOf(shared, m_block), shared.tile));
        const auto operands = double(operandsOf(group)), scratch = double(group.scratchBytes);
        if (scratch + operands + passing / tiles > cache)
            bytes += (tiles - 1) * operands;
        if (scratch > cache)
            for (const BlockTensorIndex tensor : group.local)
                bytes += 2 * bytesOf(tensor);
        return bytes;
    }

    bool isWithinLimits(const NestGroup &group) const
    {
        return !group.local.empty() && group.scratchBytes <= m_limits.scratchBytes &&
               !readsMoreThanItKeeps(group);
    }

    /// Tells whether the operands that are read again for every tile are more than what lies
    /// between the nests, such as the weights of Winograd's algorithm on a small map, and too many
    /// for a core's first-level cache.
    bool readsMoreThanItKeeps(const NestGroup &group) const
    {
        if (std::ranges::any_of(group.shared, [](const NestGroup::Shared &shared) {
                return shared.isLane || shared.slides();
            }))
            return false;
        std::int64_t between = 0;
        for (const BlockTensorIndex tensor : group.local)
            between += m_block.tensors[tensor].elements() * 4;
        return operandsOf(group) > std::max(between, m_limits.nearOperandBytes);
    }

    /// Returns the first way that is within limits, else the first one.
    NestGroup best(std::vector<NestGroup> ways) const
    {
        const auto within =
            std::ranges::find_if(ways, [&](const NestGroup &way) { return isWithinLimits(way); });
        return std::move(within == ways.end() ? ways.front() : *within);
    }

    /// Returns the ways in which nests can run together, with tiles: the preferred one first, none
    /// if they have no axis in common. `all`: also a contraction with what follows by lanes, where
    /// its constant operand is read once, whatever else they have in common.
    std::vector<NestGroup> waysOf(NestIndex first, int count, bool all) const
    {
        NestGroup none{first, count, {}, {}, 0};
        SharedAxes axes(m_block, first, count);
        none.siblings = axes.areSiblings();
        if (!axes.isConnected() || std::ranges::any_of(none.nests(), [&](NestIndex nest) {
                return factsOf(nest).looksUp || m_block.inPlace.contains(nest);
            }))
            return {};
        // Tiles of lanes are worth while only if there is no other axis, or if traffic decides:
        // they are few, and what does not depend on them is read again for each.
        NestGroup alike = none, lanes = none;
        for (MemberAxes &byMember : axes.classes()) {
            const auto asLanes = lanesIn(none, byMember);
            if (asLanes == 0)
                alike.shared.push_back({std::move(byMember), 1, false, {}, 0});
            else if (asLanes == none.count)
                lanes.shared = {{std::move(byMember), 1, true, {}, 0}};
        }
        const auto contractions = contractionsIn(none);
        NestGroup sliding = none.siblings ? none : slidingBeside(alike);
        std::vector<NestGroup> ways;
        const bool areApart = alike.shared.empty();
        if (!areApart)
            ways.push_back(std::move(alike));
        if (contractions >= 1 && !sliding.shared.empty())
            ways.push_back(std::move(sliding));
        const bool isLed = all && contractionOf(m_block.nests[first]).has_value();
        if (((contractions >= 2 && areApart) || isLed) && !lanes.shared.empty())
            ways.push_back(std::move(lanes));
        for (NestGroup &way : ways) {
            findLocal(way);
            chooseTiles(way, m_block, m_storages, m_target, m_limits.scratchBytes);
        }
        return ways;
    }

    /// Returns the group whose nests slide along an axis, with the given shared axes that are
    /// outside of it; without any if there is no such axis.
    NestGroup slidingBeside(const NestGroup &alike) const
    {
        NestGroup group{alike.first, alike.count, {}, {}, 0};
        auto sliding = slidingAxisOf(m_block, group.first, group.count);
        if (!sliding || lanesIn(group, sliding->axes) > 0)
            return group;
        std::ranges::copy_if(alike.shared, std::back_inserter(group.shared),
                             [&](const NestGroup::Shared &shared) {
                                 return shared.axes.back() < sliding->axes.back();
                             });
        group.shared.push_back(
            {std::move(sliding->axes), 1, false, std::move(sliding->windows), 0});
        return group;
    }

    std::ptrdiff_t contractionsIn(const NestGroup &group) const
    {
        return std::ranges::count_if(group.nests(), [&](NestIndex nest) {
            return contractionOf(m_block.nests[nest]).has_value();
        });
    }

    /// Returns in how many of the nests neighbours along the axis are lanes.
    std::ptrdiff_t lanesIn(const NestGroup &group, const MemberAxes &byMember) const
    {
        return std::ranges::count_if(group.members(), [&](MemberIndex member) {
            return factsOf(group.nestOf(member)).lane == byMember[member];
        });
    }

    const NestFacts &factsOf(NestIndex number) const
    {
        auto &facts = m_facts[number];
        if (!facts) {
            const Nest &nest = m_block.nests[number];
            const Lanes lanes(nest, m_block.tensors, m_storages);
            facts.emplace();
            facts->looksUp =
                nest.scatters() || std::ranges::any_of(nest.reads, [](const NestRead &read) {
                    return std::ranges::any_of(read.map, &IndexForm::hasLookup);
                });
            if (!lanes.preferredReduction(m_target).isValid())
                facts->lane = lanes.innermost();
        }
        return *facts;
    }

    /// Returns the bytes of operands that contractions read again for every tile.
    std::int64_t operandsOf(const NestGroup &group) const
    {
        std::int64_t bytes = 0;
        for (const MemberIndex member : group.members()) {
            const Nest &nest = m_block.nests[group.nestOf(member)];
            if (!contractionOf(nest))
                continue;
            for (const NestRead &read : nest.reads) {
                bool depends = false;
                std::int64_t outside = 1;
                for (const NestGroup::Shared &shared : group.shared)
                    for (const IndexForm &form : read.map)
                        if (form.dependsOn(shared.axes[member])) {
                            depends = true;
                            // Each point of this axis reads a part of its own.
                            outside *= nest.axes[shared.axes[member]].extent;
                        }
                const std::int64_t elements = m_block.tensors[read.tensor].elements();
                if (!depends || elements / outside > 4096)
                    bytes += elements / outside * 4;
            }
        }
        return bytes;
    }

    /// Finds scratch tensors that only the group touches and that it writes completely.
    void findLocal(NestGroup &group) const
    {
        std::set<BlockTensorIndex> inside;
        for (const NestIndex nest : group.nests())
            for (const NestStore &store : m_block.nests[nest].stores)
                inside.insert(store.tensor);
        for (const NestIndex nest : m_block.inPlace) // other blocks write these, too
            for (const NestStore &store : m_block.nests[nest].stores)
                inside.erase(store.tensor);
        for (const BlockTensorIndex tensor : inside) {
            const auto [first, last] = m_touched[tensor];
            if (m_block.tensors[tensor].role == BlockTensor::Role::Scratch &&
                first >= group.first && last < group.first + group.count)
                group.local.push_back(tensor);
        }
    }

    const BlockNests &m_block;
    const BlockStorages &m_storages;
    ScheduleTarget m_target;
    GroupLimits m_limits;
    /// The first and the last nest that touch each tensor.
    IndexedVector<BlockTensorIndex, std::pair<NestIndex, NestIndex>> m_touched;
    mutable IndexedVector<NestIndex, std::optional<NestFacts>> m_facts; // computed on demand
};

} // namespace

NestGroups groupsOf(const BlockNests &block, const BlockStorages &storages,
                    const ScheduleTarget &target, const GroupLimits &limits)
{
    const Grouping grouping(block, storages, target, limits);
    return target.ownCache > 0 ? grouping.withLeastTraffic() : grouping.longest();
}

std::vector<GroupChoice> choicesOf(const BlockNests &block, const NestGroups &groups)
{
    std::vector<GroupChoice> choices;
    for (const NestGroup &group : groups) {
        GroupChoice &choice = choices.emplace_back(GroupChoice{group.first, group.count, {}});
        const Nest &nest = block.nests[group.first];
        for (const NestGroup::Shared &shared : group.shared)
            choice.tiles.emplace_back(nest.axes[shared.axes.front()].name, shared.tile);
    }
    return choices;
}

Result<NestGroups> groupsOf(const BlockNests &block, const BlockStorages &storages,
                            const ScheduleTarget &target, std::span<const GroupChoice> choices)
{
    const NestIndex end = block.nests.nextIndex();
    NestIndex next(0);
    for (const GroupChoice &choice : choices)
        next = choice.first == next && choice.count <= end - next ? next + choice.count : end + 1;
    if (next != end)
        return fail(Error::Kind::Usage, "the groups do not cover the block's " +
                                            std::to_string(block.nests.size()) +
                                            " nests, each once and in order");
    const Grouping grouping(block, storages, target, {});
    NestGroups groups;
    for (const GroupChoice &choice : choices) {
        GL_TRY_RESULT(group, grouping.chosen(choice));
        groups.push_back(std::move(*group));
    }
    return groups;
}

} // namespace graphloom
