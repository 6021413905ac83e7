// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/codegen/nests/shared_axes.h"

#include <map>
#include <set>
#include <string_view>

namespace graphloom {

/// Counts the loops of a schedule, the outermost first.
using LoopIndex = TypedIndex<struct LoopTag>;

/// Describes a loop over an axis, or over tiles of it: one iteration advances the axis by `step`.
struct Loop {
    enum class Kind : std::uint8_t {
        Serial,
        Parallel, // iterations are shared out among threads
        Unrolled, // written out in code, one after the other
        Vector,   // iterations are the lanes of a vector
        Sliding,  // iterations are the rows that are new for a tile (SlidingAxis)
        Item,     // iterations are shared out among the work-items that do a task together
    };
    std::string name; // of the axis, with ".o" for tiles and ".i" inside a tile
    AxisIndex axis;
    std::int64_t step = 1;
    Kind kind = Kind::Serial;
};
using Loops = IndexedVector<LoopIndex, Loop>;
std::string_view nameOf(Loop::Kind kind);

/// Describes how a nest runs: its loops, outermost first, and where its operands are. It is built
/// by primitives that check what they do; the list of primitives is the schedule's text. The nest
/// itself defines what is computed, so that no schedule changes a result except for the order of
/// sums.
///
/// Loops whose points may write the same element (NestAxis::ordered) keep their order and are
/// neither lanes nor parallel. A schedule is legal if loops over space are outside loops over
/// reduction axes; inside those, only unrolled and vector loops over space are allowed, whose
/// points are accumulators in registers; there is at most one vector loop, innermost.
class Schedule {
public:
    /// Makes a schedule that runs every axis of more than one iteration in order, serially.
    explicit Schedule(const Nest &nest);

    /// Splits loop `name` into `name`.o over tiles and `name`.i inside a tile. The last tile may be
    /// smaller. Fails (Usage) for sizes below 1.
    Result<void> tile(std::string_view name, std::int64_t size);
    /// Orders the loops; `names` lists all of them, outermost first.
    Result<void> reorder(const std::vector<std::string> &names);
    Result<void> vectorize(std::string_view name);
    Result<void> unroll(std::string_view name);
    /// Shares the iterations of a loop out among threads. Refuses loops over reduction axes, and
    /// loops whose points write the same element: their iterations depend on each other.
    Result<void> parallelize(std::string_view name);
    /// Makes a loop run over those rows only that the current tile of a group needs and that are
    /// not there yet (SlidingAxis). Refuses loops over tiles and over reduction axes.
    Result<void> slide(std::string_view name);
    /// Shares the iterations of a loop out among the work-items that do a task together, where the
    /// language has some (KernelLanguage::hasItems()); elsewhere they run one after the other.
    /// Refuses the same loops as parallelize().
    Result<void> distribute(std::string_view name);
    /// Stores read `read` of a constant in the order in which the loops need it. Refuses reads
    /// whose position depends on data or may be outside their tensor.
    Result<void> pack(ReadIndex read);
    bool isPackable(ReadIndex read) const { return m_packable[read]; }
    /// Fetches a packed operand into the cache so many bytes ahead of its loads: what is read once
    /// from a distant cache arrives too late otherwise. Refuses reads that are not packed.
    Result<void> prefetch(ReadIndex read, std::int64_t bytes);
    /// Fetches the part of a packed operand that the next tile reads, the iteration that follows in
    /// the innermost loop over space that it depends on. The loops inside that one use this tile's
    /// part meanwhile, again and again: each of their iterations fetches a share. Does nothing if
    /// the operand is one part, or one that more iterations use than it has elements. Refuses reads
    /// that are not packed.
    Result<void> prefetchTile(ReadIndex read);
    /// Reads an operand as an image, through the texture cache of a GPU, where the language has
    /// images of buffers (KernelLanguage::hasImages()); elsewhere it is read like others. The
    /// operand is of floats, in a buffer, and not written by the same kernel.
    Result<void> image(ReadIndex read);

    const Loops &loops() const { return m_loops; }
    const std::set<ReadIndex> &packed() const { return m_packed; }
    /// Returns the bytes that a read is prefetched ahead; 0: it is not.
    std::int64_t prefetchBytes(ReadIndex read) const;
    /// Returns the reads whose next tiles are fetched.
    const std::set<ReadIndex> &tilePrefetches() const { return m_tilePrefetches; }
    /// Returns the reads of images.
    const std::set<ReadIndex> &images() const { return m_images; }
    /// Checks whether the whole schedule is legal; the error tells what is not.
    Result<void> check() const;
    /// Returns the text, "tile o 64; tile o.i 16; …", which apply() reads.
    const std::string &text() const { return m_text; }
    /// Carries out the primitives of a text. Fails (Usage), naming the first one that cannot be
    /// carried out.
    Result<void> apply(std::string_view text);

    /// Tells whether iterations of the loop belong to a reduction.
    bool reduces(const Loop &loop) const { return m_reduces[loop.axis]; }
    /// Tells whether its iterations may write the same element.
    bool isOrdered(const Loop &loop) const { return m_ordered[loop.axis]; }

private:
    Result<LoopIndex> find(std::string_view name) const;
    Result<void> checkRead(ReadIndex read) const;
    Result<void> checkPacked(ReadIndex read) const;
    /// Refuses loops whose iterations depend on each other.
    Result<void> checkIndependent(LoopIndex at) const;
    Result<void> setKind(std::string_view name, Loop::Kind kind, std::string_view primitive);
    void note(const std::string &primitive);

    IndexedVector<AxisIndex, bool> m_reduces;
    IndexedVector<AxisIndex, bool> m_ordered;
    IndexedVector<AxisIndex, std::string> m_axes; // names
    IndexedVector<ReadIndex, bool> m_packable;
    Loops m_loops;
    std::set<ReadIndex> m_packed;
    std::map<ReadIndex, std::int64_t> m_prefetched; // bytes ahead
    std::set<ReadIndex> m_tilePrefetches;
    std::set<ReadIndex> m_images;
    std::string m_text;
};

/// Returns how far a loop's axis runs inside one iteration of the loops outside of it.
std::int64_t spanOf(const Loops &loops, LoopIndex at, const Nest &nest);

/// Holds the schedules of nests that run together.
using GroupSchedules = IndexedSpan<MemberIndex, const Schedule>;
/// Returns the text of these schedules, with " | " between them.
std::string textOf(GroupSchedules schedules);
/// Returns the texts of the schedules that such a text consists of.
IndexedVector<MemberIndex, std::string> schedulesIn(std::string_view text);

} // namespace graphloom
