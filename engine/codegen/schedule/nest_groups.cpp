// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/nest_groups.h"

#include "engine/codegen/nests/contraction.h"
#include "engine/codegen/nests/shared_axes.h"
#include "engine/codegen/schedule/group_tiles.h"
#include "engine/codegen/schedule/lanes.h"

#include <algorithm>
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

    NestGroups run()
    {
        NestGroups groups;
        const NestIndex end = m_block.nests.nextIndex();
        for (NestIndex first(0); first < end;) {
            NestGroup best{first, 1, {}, {}, 0};
            for (const NestIndex last : IndexRange(first + 1, std::min(end, first + mostNests))) {
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

    Result<NestGroup> chosen(const GroupChoice &choice) const
    {
        NestGroup group{choice.first, choice.count, {}, {}, 0};
        if (choice.count == 1)
            return group;
        const int first = choice.first.number();
        const std::string name =
            "nests " + std::to_string(first) + " to " + std::to_string(first + choice.count - 1);
        if (!shareAxes(group))
            return fail(Error::Kind::Usage,
                        name + " cannot run together: they have no axis in common");
        findLocal(group);
        if (group.local.empty())
            return fail(Error::Kind::Usage,
                        name + " need not run together: nothing is between them alone");
        if (choice.tiles.empty()) {
            chooseTiles(group, m_block, m_storages, m_target, m_limits.scratchBytes);
            return group;
        }
        std::string axes;
        bool fits = choice.tiles.size() == group.shared.size();
        for (std::size_t s = 0; s < group.shared.size(); ++s) {
            const NestAxis &axis = m_block.nests[group.first].axes[group.shared[s].axes.front()];
            axes += (s > 0 ? ", " : "") + axis.name + " of " + std::to_string(axis.extent) +
                    (group.shared[s].isLane ? " in whole vectors" : "");
            if (!fits)
                continue;
            const auto &[of, tile] = choice.tiles[s];
            const bool isWhole =
                !group.shared[s].isLane || tile % m_target.lanes == 0 || tile == axis.extent;
            fits = of == axis.name && tile >= 1 && tile <= axis.extent && isWhole;
            group.shared[s].tile = tile;
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
        NestGroup group{first, count, {}, {}, 0};
        if (!shareAxes(group) || !readsFewOperands(group))
            return std::nullopt;
        findLocal(group);
        chooseTiles(group, m_block, m_storages, m_target, m_limits.scratchBytes);
        return group;
    }

    /// Finds the axes that the nests share; returns whether there are any.
    bool shareAxes(NestGroup &group) const
    {
        SharedAxes axes(m_block, group.first, group.count);
        if (!axes.isConnected())
            return false;
        for (const NestIndex nest : group.nests())
            if (factsOf(nest).looksUp)
                return false;
        // Tiles of lanes are worth while only if there is no other axis: they are few, and what
        // does not depend on them is read again for each. A sum behind a contraction gains less by
        // them than the contraction loses, whose rows are no longer one axis.
        std::optional<MemberAxes> lanes;
        for (MemberAxes &byMember : axes.classes()) {
            const auto count = lanesIn(group, byMember);
            if (count == 0)
                group.shared.push_back({std::move(byMember), 1});
            else if (count == group.count)
                lanes = std::move(byMember);
        }
        if (group.shared.empty() && lanes && contractionsIn(group) >= 2)
            group.shared.push_back({std::move(*lanes), 1, true});
        return !group.shared.empty();
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

    /// Tells whether the operands that contractions read again for every tile are within limits.
    bool readsFewOperands(const NestGroup &group) const
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
        return bytes <= m_limits.operandBytes;
    }

    /// Finds scratch tensors that only the group touches and that it writes completely.
    void findLocal(NestGroup &group) const
    {
        std::set<BlockTensorIndex> inside;
        for (const NestIndex nest : group.nests())
            for (const NestStore &store : m_block.nests[nest].stores)
                inside.insert(store.tensor);
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
    return Grouping(block, storages, target, limits).run();
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
