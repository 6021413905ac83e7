// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <vector>

namespace graphloom {

/// Counts consecutive nests that are to run together, from the first of them.
using MemberIndex = TypedIndex<struct MemberTag>;
/// Holds an axis of each of these nests.
using MemberAxes = IndexedVector<MemberIndex, AxisIndex>;

/// Finds axes of consecutive nests that are the same: one nest writes a dimension of a tensor along
/// an axis along which another one reads it. Of siblings, which compute nothing for each other, all
/// read a dimension of one tensor along them.
class SharedAxes {
public:
    SharedAxes(const BlockNests &block, NestIndex first, int count);

    /// Tells whether the last nest reads anything from the others, or all are siblings.
    bool isConnected() const { return m_connected || m_siblings; }
    bool areSiblings() const { return m_siblings; }
    /// Returns, for each class of axes that every nest has exactly once, its axes by nest.
    std::vector<MemberAxes> classes();

private:
    /// Counts the axes of all these nests.
    using Entry = TypedIndex<struct EntryTag>;
    using Readers = std::vector<std::pair<MemberIndex, const NestRead *>>;

    IndexRange<MemberIndex> members() const { return firstIndices<MemberIndex>(m_count); }
    const Nest &nest(MemberIndex member) const { return m_block.nests[m_first + member.number()]; }
    Entry entryOf(MemberIndex member, AxisIndex axis) const
    {
        return m_base[member] + axis.number();
    }
    Entry find(Entry entry);
    void spoil(MemberIndex member, const IndexForm &form);
    void connect(MemberIndex one, const std::vector<IndexForm> &map, MemberIndex other,
                 const std::vector<IndexForm> &otherMap);
    bool connectSiblings(const Readers &readers);

    const BlockNests &m_block;
    NestIndex m_first;
    int m_count;
    IndexedVector<MemberIndex, Entry> m_base; // of the first axis
    IndexedVector<Entry, Entry> m_parent;
    IndexedVector<Entry, bool> m_usable;
    bool m_connected = false, m_siblings = false;
};

} // namespace graphloom
