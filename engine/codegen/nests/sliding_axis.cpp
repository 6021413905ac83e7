// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/sliding_axis.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns the only dimension of a map that depends on an axis.
std::optional<std::size_t> dimensionOf(const std::vector<IndexForm> &map, AxisIndex axis)
{
    std::optional<std::size_t> found;
    for (std::size_t d = 0; d < map.size(); ++d) {
        if (!map[d].dependsOn(axis))
            continue;
        if (found)
            return std::nullopt;
        found = d;
    }
    return found;
}

/// Goes from the last nest back to those that write what it reads.
class Slide {
public:
    Slide(const BlockNests &block, NestIndex first, int count)
        : m_block(block), m_first(first), m_axes(std::size_t(count)), m_windows(std::size_t(count))
    {
    }

    std::optional<SlidingAxis> along(AxisIndex axis)
    {
        m_axes.back() = axis;
        for (const MemberIndex member : m_axes.indices().reversed())
            if (m_axes[member].isValid() ? !look(member) : !goAlong(member))
                return std::nullopt;
        const bool slides = std::ranges::any_of(
            m_windows, [](const RowWindow &window) { return !window.isSame(); });
        return slides ? std::optional(SlidingAxis{std::move(m_axes), std::move(m_windows)})
                      : std::nullopt;
    }

private:
    const Nest &nest(MemberIndex member) const { return m_block.nests[m_first + member.number()]; }

    /// Finds the axis of a nest that none of the others reads, but that reads what they read: it
    /// computes the same rows as the last nest.
    bool goAlong(MemberIndex member)
    {
        const std::int64_t rows =
            m_block.nests[m_first + (int(m_axes.size()) - 1)].axes[m_axes.back()].extent;
        const MemberAxes axes = m_axes;
        const auto windows = m_windows;
        for (const AxisIndex axis : nest(member).spaceAxes()) {
            if (nest(member).axes[axis].extent != rows)
                continue;
            m_axes[member] = axis;
            const bool reads = std::ranges::any_of(nest(member).reads, [&](const NestRead &read) {
                return std::ranges::any_of(m_axes.indices(), [&](MemberIndex writer) {
                    return axes[writer].isValid() &&
                           std::ranges::count(nest(writer).stores, read.tensor,
                                              &NestStore::tensor) > 0;
                });
            });
            if (reads && look(member))
                return true;
            m_axes = axes;
            m_windows = windows;
        }
        return false;
    }

    /// Passes the window of a nest on to those that it reads.
    bool look(MemberIndex member)
    {
        const Nest &reader = nest(member);
        if (reader.points(false) == 0 || reader.axes[m_axes[member]].ordered)
            return false;
        for (const NestStore &store : reader.stores) {
            const auto d = dimensionOf(store.map, m_axes[member]);
            if (!d || store.map[*d].asVariable() != m_axes[member] || store.guarded)
                return false;
            if (!m_windows[member].isSame() && !staysInside(store.tensor))
                return false;
        }
        for (const NestRead &read : reader.reads)
            for (const MemberIndex writer : m_axes.indices())
                for (const NestStore &store : nest(writer).stores)
                    if (store.tensor == read.tensor &&
                        (writer >= member || !pass(member, read, writer, store)))
                        return false;
        return true;
    }

    /// Tells whether only nests of the group touch a tensor.
    bool staysInside(BlockTensorIndex tensor) const
    {
        if (m_block.tensors[tensor].role != BlockTensor::Role::Scratch)
            return false;
        const NestIndex end = m_first + int(m_axes.size());
        return std::ranges::none_of(m_block.nests.indices(), [&](NestIndex number) {
            const auto &reads = m_block.nests[number].reads;
            return (number < m_first || number >= end) &&
                   std::ranges::count(reads, tensor, &NestRead::tensor) > 0;
        });
    }

    bool pass(MemberIndex reader, const NestRead &read, MemberIndex writer, const NestStore &store)
    {
        const AxisIndex axis = m_axes[reader];
        const auto d = dimensionOf(read.map, axis);
        if (!d || !read.map[*d].isAffine() || !store.map[*d].asVariable())
            return false;
        const AxisIndex from = *store.map[*d].asVariable();
        const std::int64_t step = *read.map[*d].stepOf(axis);
        const IndexForm rest = read.map[*d] - IndexForm::variable(axis) * step;
        bool isWindow = step > 0;
        rest.forEachVariable(
            [&](AxisIndex other) { isWindow = isWindow && nest(reader).axes[other].reduces; });
        if (!isWindow)
            return false;
        const Bounds bounds = rest.bounds(nest(reader).extents());
        const RowWindow &own = m_windows[reader];
        const RowWindow needed{own.stride * step, own.first * step + bounds.least,
                               own.last * step + bounds.most};
        RowWindow &window = m_windows[writer];
        if (!m_axes[writer].isValid()) {
            m_axes[writer] = from;
            window = needed;
            return true;
        }
        window.first = std::min(window.first, needed.first);
        window.last = std::max(window.last, needed.last);
        return m_axes[writer] == from && window.stride == needed.stride;
    }

    const BlockNests &m_block;
    NestIndex m_first;
    MemberAxes m_axes;
    IndexedVector<MemberIndex, RowWindow> m_windows;
};

} // namespace

std::optional<SlidingAxis> slidingAxisOf(const BlockNests &block, NestIndex first, int count)
{
    const Nest &last = block.nests[first + (count - 1)];
    for (const AxisIndex axis : last.spaceAxes())
        if (last.axes[axis].extent > 1)
            if (auto found = Slide(block, first, count).along(axis))
                return found;
    return std::nullopt;
}

} // namespace graphloom
