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
/// an axis along which another one reads it.
class SharedAxes {
public:
    SharedAxes(const BlockNests &block, NestIndex first, int count);

    /// Tells whether the last nest reads anything from the others.
    bool isConnected() const { return m_connected; }
    /// Returns, for each class of axes that every nest has exactly once, its axes by nest.
    std::vector<MemberAxes> classes();

private:
    /// Counts the axes of all these nests.
    using Entry = TypedIndex<struct EntryTag>;

    IndexRange<MemberIndex> members() const { return firstIndices<MemberIndex>(m_count); }
    const Nest &nest(MemberIndex member) const { return m_block.nests[m_first + member.number()]; }
    Entry entryOf(MemberIndex member, AxisIndex axis) const
    {
        return m_base[member] + axis.number();
    }
    Entry find(Entry entry);
    void spoil(MemberIndex member, const IndexForm &form);
    void connect(MemberIndex writer, const std::vector<IndexForm> &write, MemberIndex reader,
                 const std::vector<IndexForm> &read);

    const BlockNests &m_block;
    NestIndex m_first;
    int m_count;
    IndexedVector<MemberIndex, Entry> m_base; // of the first axis
    IndexedVector<Entry, Entry> m_parent;
    IndexedVector<Entry, bool> m_usable;
    bool m_connected = false;
};

} // namespace graphloom
