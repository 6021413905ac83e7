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

/// The most nests of a group: attention takes six, Winograd's algorithm three for a convolution.
constexpr int mostNests = 32;

/// What decides of a nest whether it shares axes, whatever the group.
struct NestFacts {
    bool looksUp = false; // it reads or writes where data say
    int lane = -1;        // the axis whose neighbours are lanes
};

class Grouping {
public:
    Grouping(const BlockNests &block, std::span<const Storage> storages,
             const ScheduleTarget &target, const GroupLimits &limits)
        : m_block(block), m_storages(storages), m_target(target), m_limits(limits),
          m_touched(block.tensors.size(), {int(block.nests.size()), -1}),
          m_facts(block.nests.size())
    {
        for (int n = 0; n < int(block.nests.size()); ++n) {
            const auto touch = [&](int tensor) {
                auto &[first, last] = m_touched[std::size_t(tensor)];
                first = std::min(first, n);
                last = std::max(last, n);
            };
            for (const NestStore &store : block.nests[std::size_t(n)].stores)
                touch(store.tensor);
            for (const NestRead &read : block.nests[std::size_t(n)].reads)
                touch(read.tensor);
        }
    }

    std::vector<NestGroup> run()
    {
        std::vector<NestGroup> groups;
        const int count = int(m_block.nests.size());
        for (int first = 0; first < count;) {
            NestGroup best{first, 1, {}, {}, 0};
            for (int last = first + 1; last < std::min(count, first + mostNests); ++last) {
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
        const std::string name = "nests " + std::to_string(choice.first) + " to " +
                                 std::to_string(choice.first + choice.count - 1);
        if (!shareAxes(group))
            return fail(Error::Kind::Usage,
                        name + " cannot run together: they have no axis in common");
        findLocal(group);
        if (group.local.empty())
            return fail(Error::Kind::Usage,
                        name + " need not run together: nothing is between them alone");
        if (choice.tiles.empty()) {
            chooseTiles(group, m_block, m_storages, m_target.threads, m_limits.scratchBytes);
            return group;
        }
        std::string axes;
        bool fits = choice.tiles.size() == group.shared.size();
        for (std::size_t s = 0; s < group.shared.size(); ++s) {
            const NestAxis &axis = nestOf(group, 0).axes[std::size_t(group.shared[s].axes.front())];
            axes += (s > 0 ? ", " : "") + axis.name + " of " + std::to_string(axis.extent);
            if (!fits)
                continue;
            const auto &[of, tile] = choice.tiles[s];
            fits = of == axis.name && tile >= 1 && tile <= axis.extent;
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
    const Nest &nestOf(const NestGroup &group, int n) const
    {
        return m_block.nests[std::size_t(group.first + n)];
    }

    /// None where the nests cannot share anything; a group too large for the limits may still be
    /// worth more nests.
    std::optional<NestGroup> grouped(int first, int count) const
    {
        NestGroup group{first, count, {}, {}, 0};
        if (!shareAxes(group) || !readsFewOperands(group))
            return std::nullopt;
        findLocal(group);
        chooseTiles(group, m_block, m_storages, m_target.threads, m_limits.scratchBytes);
        return group;
    }

    /// Finds the axes that the nests share; says whether there are any.
    bool shareAxes(NestGroup &group) const
    {
        SharedAxes axes(m_block, group.first, group.count);
        if (!axes.isConnected())
            return false;
        for (int n = 0; n < group.count; ++n)
            if (factsOf(group, n).looksUp)
                return false;
        for (std::vector<int> &byNest : axes.classes())
            if (!isLane(group, byNest))
                group.shared.push_back({std::move(byNest), 1});
        return !group.shared.empty();
    }

    /// Neighbours along the axis are lanes in one of the nests.
    bool isLane(const NestGroup &group, const std::vector<int> &byNest) const
    {
        for (int n = 0; n < group.count; ++n)
            if (factsOf(group, n).lane == byNest[std::size_t(n)])
                return true;
        return false;
    }

    const NestFacts &factsOf(const NestGroup &group, int n) const
    {
        auto &facts = m_facts[std::size_t(group.first + n)];
        if (!facts) {
            const Nest &nest = nestOf(group, n);
            const Lanes lanes(nest, m_block.tensors, m_storages);
            facts.emplace();
            facts->looksUp =
                nest.scatters() || std::ranges::any_of(nest.reads, [](const NestRead &read) {
                    return std::ranges::any_of(read.map, &IndexForm::hasLookup);
                });
            facts->lane = lanes.preferredReduction(m_target) < 0 ? lanes.innermost() : -1;
        }
        return *facts;
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
        std::set<int> inside;
        for (int n = 0; n < group.count; ++n)
            for (const NestStore &store : nestOf(group, n).stores)
                inside.insert(store.tensor);
        for (const int tensor : inside) {
            const auto [first, last] = m_touched[std::size_t(tensor)];
            if (m_block.tensors[std::size_t(tensor)].role == BlockTensor::Role::Scratch &&
                first >= group.first && last < group.first + group.count &&
                m_storages[std::size_t(tensor)].margins.empty())
                group.local.push_back(tensor);
        }
    }

    const BlockNests &m_block;
    std::span<const Storage> m_storages;
    ScheduleTarget m_target;
    GroupLimits m_limits;
    std::vector<std::pair<int, int>> m_touched; // by tensor: the first and the last nest that does
    mutable std::vector<std::optional<NestFacts>> m_facts; // by nest, of those that were asked for
};

} // namespace

std::vector<NestGroup> groupsOf(const BlockNests &block, std::span<const Storage> storages,
                                const ScheduleTarget &target, const GroupLimits &limits)
{
    return Grouping(block, storages, target, limits).run();
}

std::vector<GroupChoice> choicesOf(const BlockNests &block, const std::vector<NestGroup> &groups)
{
    std::vector<GroupChoice> choices;
    for (const NestGroup &group : groups) {
        GroupChoice &choice = choices.emplace_back(GroupChoice{group.first, group.count, {}});
        const Nest &nest = block.nests[std::size_t(group.first)];
        for (const NestGroup::Shared &shared : group.shared)
            choice.tiles.emplace_back(nest.axes[std::size_t(shared.axes.front())].name,
                                      shared.tile);
    }
    return choices;
}

Result<std::vector<NestGroup>> groupsOf(const BlockNests &block, std::span<const Storage> storages,
                                        const ScheduleTarget &target,
                                        std::span<const GroupChoice> choices)
{
    const auto count = int(block.nests.size());
    int next = 0;
    for (const GroupChoice &choice : choices)
        next =
            choice.first == next && choice.count <= count - next ? next + choice.count : count + 1;
    if (next != count)
        return fail(Error::Kind::Usage, "which nests run together is not said of the block's " +
                                            std::to_string(count) +
                                            " nests, each once and in order");
    const Grouping grouping(block, storages, target, {});
    std::vector<NestGroup> groups;
    for (const GroupChoice &choice : choices) {
        GL_TRY_RESULT(group, grouping.chosen(choice));
        groups.push_back(std::move(*group));
    }
    return groups;
}

} // namespace graphloom
