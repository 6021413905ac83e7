// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule.h"

#include <string>
#include <vector>

namespace graphloom {

/// An outer loop, of an axis or of tiles of it, that a nest has in common with others of its group.
struct SharedLoop {
    int axis = 0;
    std::int64_t tile = 1;
};

/// Makes a schedule: tiles of axes first, for lanes and for code that is written out, then the
/// order of all loops. `shared` loops are outermost and the only parallel ones where there are any;
/// axes then are what is left inside of them.
class LoopArrangement {
public:
    LoopArrangement(const Nest &nest, int lanes, const std::vector<SharedLoop> &shared);

    /// The loop that is left of an axis inside of the shared ones, and its iterations.
    const std::string &nameOf(int axis) const { return m_names[std::size_t(axis)]; }
    std::int64_t extentOf(int axis) const { return m_extents[std::size_t(axis)]; }
    const std::vector<std::int64_t> &extents() const { return m_extents; }
    bool has(const std::string &loop) const;
    /// The loops of an axis, outermost first.
    std::vector<std::string> loopsOf(int axis) const;

    /// The axis of several lanes: tiles of `vectors` vectors, unrolled, the lanes innermost.
    void vectorize(int axis, std::int64_t vectors);
    /// Tiles of `count` points, unrolled.
    void unrollTile(int axis, std::int64_t count);
    /// The same for a reduction that has two of them at least.
    void unrollPart(int axis, std::int64_t count);
    /// All of these loops, outside of those that are unrolled already.
    void unrollLoops(const std::vector<std::string> &loops);
    /// Order: shared loops, `outerFirst`, other loops over space, reductions, unrolled loops,
    /// lanes.
    void arrange(const std::vector<int> &reductions, const std::vector<std::string> &outerFirst);
    /// Where the schedule can pack it.
    void pack(int read);

    const Schedule &schedule() const { return m_schedule; }

private:
    std::int64_t m_lanes;
    Schedule m_schedule;
    std::vector<std::string> m_names; // by axis: see nameOf()
    std::vector<std::int64_t> m_extents;
    std::vector<std::string> m_shared;
    bool m_isGrouped;
    std::vector<std::string> m_unrolled; // outermost first
    std::string m_vector;
};

} // namespace graphloom
