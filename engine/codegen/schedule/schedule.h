// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/codegen/nests/nest.h"

#include <set>
#include <span>
#include <string_view>

namespace graphloom {

/// A loop over an axis, or over tiles of it: one iteration advances the axis by `step`.
struct Loop {
    enum class Kind : std::uint8_t {
        Serial,
        Parallel, // iterations are shared out among threads
        Unrolled, // in code, one behind the other
        Vector,   // iterations are the lanes of a vector
    };
    std::string name; // of the axis, with ".o" for tiles and ".i" inside of a tile
    int axis = 0;
    std::int64_t step = 1;
    Kind kind = Kind::Serial;
};
std::string_view nameOf(Loop::Kind kind);

/// How a nest runs: its loops, outermost first, and where operands are. Made by primitives that
/// check what they do; the list of primitives is the schedule's text. The nest itself says what is
/// computed, so that no schedule changes a result but for the order of sums.
///
/// Loops whose points may write the same element (NestAxis::ordered) keep their order, are no
/// lanes and not shared out. Legal is: loops over space outside of loops over reduction axes;
/// inside of those only unrolled and vector loops over space, whose points are accumulators in
/// registers; at most one vector loop, innermost.
class Schedule {
public:
    /// Every axis that runs more than once, in order, serially.
    explicit Schedule(const Nest &nest);

    /// `name` becomes `name`.o over tiles and `name`.i inside of a tile. The last tile may be
    /// smaller. Refuses sizes below 1.
    Result<void> tile(std::string_view name, std::int64_t size);
    /// Names all loops, outermost first.
    Result<void> reorder(const std::vector<std::string> &names);
    Result<void> vectorize(std::string_view name);
    Result<void> unroll(std::string_view name);
    /// Refuses loops over reduction axes, and those that write the same element: their iterations
    /// depend on each other.
    Result<void> parallelize(std::string_view name);
    /// Read `read` of a constant is stored in the order in which the loops need it. Refuses reads
    /// whose place depends on data, or that may be outside of their tensor.
    Result<void> pack(int read);
    bool isPackable(int read) const { return m_packable[std::size_t(read)]; }

    const std::vector<Loop> &loops() const { return m_loops; }
    const std::set<int> &packed() const { return m_packed; }
    /// Whether the whole is legal; says what is not.
    Result<void> check() const;
    /// "tile o 64; tile o.i 16; …", which apply() reads.
    const std::string &text() const { return m_text; }
    /// Carries out the primitives of a text. Fails (Usage) naming the first that cannot be.
    Result<void> apply(std::string_view text);

    /// Whether iterations of the loop belong to a reduction.
    bool reduces(const Loop &loop) const { return m_reduces[std::size_t(loop.axis)]; }
    /// Whether its iterations may write the same element.
    bool isOrdered(const Loop &loop) const { return m_ordered[std::size_t(loop.axis)]; }

private:
    Result<std::size_t> find(std::string_view name) const;
    Result<void> setKind(std::string_view name, Loop::Kind kind, std::string_view primitive);
    void note(const std::string &primitive);

    std::vector<bool> m_reduces;     // by axis
    std::vector<bool> m_ordered;     // by axis
    std::vector<std::string> m_axes; // names
    std::vector<bool> m_packable;    // by read
    std::vector<Loop> m_loops;
    std::set<int> m_packed;
    std::string m_text;
};

/// How far a loop's axis runs inside of one iteration of the loops outside of it.
std::int64_t spanOf(const std::vector<Loop> &loops, std::size_t at, const Nest &nest);

/// Schedules of nests that run together, with " | " between them.
std::string textOf(std::span<const Schedule> schedules);
/// The texts that such a text is of.
std::vector<std::string> schedulesIn(std::string_view text);

} // namespace graphloom
