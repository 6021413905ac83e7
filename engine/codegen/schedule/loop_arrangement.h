// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule.h"

#include <string>
#include <vector>

namespace graphloom {

/// Describes an outer loop, over an axis or over tiles of it, that a nest shares with others of its
/// group.
struct SharedLoop {
    AxisIndex axis;
    std::int64_t tile = 1;
    bool slides = false; // it is no loop around the nests: each runs over its new rows
};

/// Builds a schedule: first tiles of axes, for lanes and for unrolled code, then the order of all
/// loops. If there are `shared` loops, they are outermost and the only parallel ones; axes are then
/// what is left inside them. Loops over space inside them are shared out among up to `items`
/// work-items.
class LoopArrangement {
public:
    LoopArrangement(const Nest &nest, int lanes, const std::vector<SharedLoop> &shared,
                    int items = 1);

    /// Return the loop that is left of an axis inside the shared ones, and its iterations.
    const std::string &nameOf(AxisIndex axis) const { return m_names[axis]; }
    std::int64_t extentOf(AxisIndex axis) const { return m_extents[axis]; }
    const AxisExtents &extents() const { return m_extents; }
    bool has(const std::string &loop) const;
    /// Returns the loops of an axis, outermost first.
    std::vector<std::string> loopsOf(AxisIndex axis) const;

    /// Vectorizes an axis: tiles of `vectors` vectors, unrolled, with the lanes innermost.
    void vectorize(AxisIndex axis, std::int64_t vectors);
    /// Tiles an axis, if it is valid, by `count` points, unrolled.
    void unrollTile(AxisIndex axis, std::int64_t count);
    /// Does the same for a reduction that has at least two such tiles.
    void unrollPart(AxisIndex axis, std::int64_t count);
    /// Unrolls all of these loops, outside those that are unrolled already.
    void unrollLoops(const std::vector<std::string> &loops);
    /// Orders the loops: shared loops, `outerFirst`, other loops over space, reductions, unrolled
    /// loops, lanes.
    void arrange(const std::vector<AxisIndex> &reductions,
                 const std::vector<std::string> &outerFirst);
    /// Packs a read, if the schedule can; returns whether it did.
    bool pack(ReadIndex read);
    /// Prefetch a packed read (Schedule::prefetch(), prefetchTile()).
    void prefetch(ReadIndex read, std::int64_t bytes);
    void prefetchTile(ReadIndex read);
    /// Makes a read one of an image (Schedule::image()).
    void image(ReadIndex read);

    const Schedule &schedule() const { return m_schedule; }

private:
    /// Shares out loops among work-items, the innermost first, as far as there are enough.
    void distribute(const std::vector<std::string> &loops);

    const Nest &m_nest;
    std::int64_t m_lanes, m_items;
    Schedule m_schedule;
    IndexedVector<AxisIndex, std::string> m_names; // see nameOf()
    AxisExtents m_extents;
    std::vector<std::string> m_shared;
    std::string m_sliding; // the loop that slides, if any
    bool m_isGrouped;
    std::vector<std::string> m_unrolled; // outermost first
    std::string m_vector;
};

} // namespace graphloom
