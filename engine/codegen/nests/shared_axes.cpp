// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/shared_axes.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace graphloom {

SharedAxes::SharedAxes(const BlockNests &block, NestIndex first, int count)
    : m_block(block), m_first(first), m_count(count)
{
    for (const MemberIndex member : members()) {
        m_base.push_back(m_parent.nextIndex());
        for (const NestAxis &axis : nest(member).axes) {
            m_parent.push_back(m_parent.nextIndex());
            m_usable.push_back(!axis.reduces && axis.extent > 1);
        }
    }
    std::unordered_map<BlockTensorIndex, Readers> readers;
    for (const MemberIndex member : members())
        for (const NestRead &read : nest(member).reads)
            readers[read.tensor].emplace_back(member, &read);
    bool areApart = true;
    for (const MemberIndex writer : members())
        for (const NestStore &store : nest(writer).stores)
            for (const auto &[reader, read] : readers[store.tensor]) {
                connect(writer, store.map, reader, read->map);
                m_connected = m_connected || reader == MemberIndex(count - 1);
                areApart = areApart && reader == writer;
            }
    if (areApart && count > 1)
        for (const auto &[tensor, all] : readers)
            m_siblings = connectSiblings(all) || m_siblings;
}

/// Connects nests that all read a tensor; returns false if one of them does not.
bool SharedAxes::connectSiblings(const Readers &readers)
{
    std::set<MemberIndex> reading;
    for (const auto &[member, read] : readers)
        reading.insert(member);
    if (int(reading.size()) != m_count)
        return false;
    const auto &[first, map] = readers.front();
    for (const auto &[member, read] : readers)
        if (member != first)
            connect(first, map->map, member, read->map);
    return true;
}

std::vector<MemberAxes> SharedAxes::classes()
{
    std::map<Entry, std::vector<std::pair<MemberIndex, AxisIndex>>> found;
    std::set<Entry> spoilt;
    for (const MemberIndex member : members())
        for (const AxisIndex axis : nest(member).axes.indices()) {
            const Entry root = find(entryOf(member, axis));
            found[root].emplace_back(member, axis);
            if (!m_usable[entryOf(member, axis)])
                spoilt.insert(root);
        }
    std::vector<MemberAxes> result;
    for (const auto &[root, axes] : found) {
        if (spoilt.contains(root) || int(axes.size()) != m_count)
            continue;
        MemberAxes byMember(axes.size());
        for (const auto &[member, axis] : axes)
            byMember[member] = axis;
        const MemberIndex first(0);
        const std::int64_t extent = nest(first).axes[byMember[first]].extent;
        bool same = true;
        for (const MemberIndex member : members())
            same = same && byMember[member].isValid() &&
                   nest(member).axes[byMember[member]].extent == extent;
        if (same)
            result.push_back(std::move(byMember));
    }
    // Orders the axes as in the first nest.
    std::ranges::sort(result, {}, [](const MemberAxes &axes) -> const std::vector<AxisIndex> & {
        return axes.elements();
    });
    return result;
}

SharedAxes::Entry SharedAxes::find(Entry entry)
{
    while (m_parent[entry] != entry)
        entry = m_parent[entry];
    return entry;
}

void SharedAxes::spoil(MemberIndex member, const IndexForm &form)
{
    form.forEachVariable([&](AxisIndex axis) { m_usable[entryOf(member, axis)] = false; });
}

void SharedAxes::connect(MemberIndex one, const std::vector<IndexForm> &map, MemberIndex other,
                         const std::vector<IndexForm> &otherMap)
{
    for (std::size_t d = 0; d < map.size(); ++d) {
        const auto from = map[d].asVariable(), to = otherMap[d].asVariable();
        if (from && to) {
            const Entry entry = find(entryOf(one, *from));
            m_parent[entry] = find(entryOf(other, *to));
        } else {
            spoil(one, map[d]);
            spoil(other, otherMap[d]);
        }
    }
}

} // namespace graphloom
