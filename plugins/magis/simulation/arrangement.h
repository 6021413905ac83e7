// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/fission/fission_table.h"

namespace graphloom::magis {

/// Counts the evictions of a graph.
using EvictionIndex = TypedIndex<struct EvictionTag>;
/// Counts the fissions that an arrangement carries out, outer ones first, and the region of each.
using RegionIndex = TypedIndex<struct RegionTag>;

/// Describes a fission that is carried out: a node of the F-Tree with n > 1.
struct EnabledFission {
    FissionIndex fission;
    int number;
    int size = 0; // as in Cutting
    Cutting cutting() const { return {number, size}; }
    auto operator<=>(const EnabledFission &) const = default;
};

/// Describes a tensor that may leave memory between two of its uses: it is computed again or
/// swapped.
struct Eviction {
    BufferIndex buffer;
    StepIndex reader; // the step whose use begins the second lifetime
};
using Evictions = IndexedVector<EvictionIndex, Eviction>;

/// Describes parts of a step that are cut alike: by each fission around it, the innermost one
/// first.
struct StepParts {
    std::vector<CallWork::Cut> cuts;
    double count = 1;
};

class Arrangement;

/// Keeps arrangements that are no longer needed, to reuse their memory: an arrangement is some
/// twenty lists of as many elements as there are steps, and a search makes thousands of them in a
/// second. Safe to use from several threads. Arrangements that were taken may outlive the pool.
class ArrangementPool {
public:
    std::shared_ptr<Arrangement> take();

private:
    struct Shelf {
        std::mutex mutex;
        std::vector<std::unique_ptr<Arrangement>> unused;
    };
    std::shared_ptr<Shelf> m_shelf = std::make_shared<Shelf>();
};

/// Represents steps in an order in which the steps of every enabled fission are contiguous, with
/// the seconds of each step and the bytes of each buffer under these fissions. Parts run one after
/// the other, and one part stands for all: a step counts with the seconds of all parts, a buffer
/// inside with the bytes of the largest part. Immutable.
///
/// For example, take four steps in this order, with all tensors of 8 MiB and all steps of 1 ms,
///
///     0: a = f(x)      1: b = g(a)      2: c = h(b)      3: s = Sum over the batch of c
///
/// and the fission {1, 2, 3} along the batch in 4 parts (EnabledFission):
///
/// - Region: positions 1 to 3, which are contiguous whatever the order says.
/// - seconds(1) is the time of 4 calls of g on a quarter of a, which is more than 1 ms if a quarter
///   does not fill the device (CallWork, waves of tiles).
/// - bytes(b) and bytes(c) are 2 MiB: scope(b) and scope(c) are the region, and one part is alive
///   at a time. bytes(a) stays 8 MiB: it comes from outside.
/// - isSum(s): each part adds to s, which is alive as a whole from the first part on.
/// - Copy at position 1 if the quarters of a are not contiguous: 2 MiB and the time of copying.
///
/// The simulator (simulation.h) then runs positions 0 to 3 with these bytes and seconds; evictions
/// change nothing here except the lists drops() and needs().
class Arrangement {
public:
    /// Returns the arrangement; null if two fissions overlap without one containing the other, or
    /// if one has too few units left inside of another. Takes the memory from `pool` and returns it
    /// there, unless `pool` is null.
    static std::shared_ptr<const Arrangement> of(FissionTable &table, const StepOrder &order,
                                                 std::vector<EnabledFission> fissions,
                                                 const Evictions &evictions,
                                                 ArrangementPool *pool = nullptr);

    struct Region {
        Position begin, end; // of its first and last step
        RegionIndex parent;  // the region around it
        /// Shares of its seconds that its first, second and last part take.
        double firstShare, secondShare, lastShare;
    };
    /// Memory that a fission needs besides buffers: for a part that is copied, or added to the
    /// whole.
    struct Extra {
        Position begin, end;
        std::int64_t bytes;
    };

    /// A copy of a part of a tensor from outside, which a step reads. Steps that are computed again
    /// make a new copy, since the first one is gone by then.
    struct Copy {
        Position position;
        std::int64_t bytes;
        double seconds; // of all parts; 0 if the step's own seconds include them
    };

    const IndexedVector<RegionIndex, EnabledFission> &fissions() const { return m_fissions; }
    const StepOrder &order() const { return m_order; }
    /// Returns how many calls all steps are together, each part counted: about the nodes of the
    /// realized graph.
    std::int64_t calls() const;
    Position position(StepIndex step) const { return m_position[step]; }
    double seconds(Position position) const { return m_seconds[position]; }
    /// Returns the bytes of workspace that the kernel at a position needs, for the part that needs
    /// most.
    std::int64_t workspace(Position position) const { return m_workspaces[position]; }
    /// Returns the parts that the step at a position is computed in; outside of fissions, one part
    /// without cuts.
    std::vector<StepParts> partsAt(const FissionTable &table, Position position) const;
    std::int64_t bytes(BufferIndex buffer) const { return m_bytes[buffer]; }
    const IndexedVector<RegionIndex, Region> &regions() const { return m_regions; }
    /// Returns the innermost region at a position; invalid outside of regions.
    RegionIndex regionAt(Position position) const { return m_regionAt[position]; }
    /// Returns the innermost region that contains the whole lifetime of a buffer; invalid if there
    /// is none.
    RegionIndex scope(BufferIndex buffer) const { return m_scope[buffer]; }
    /// Tells whether an outermost fission adds up the buffer. The buffer is then alive from the
    /// first part on, but not from the beginning of that part.
    bool isSum(BufferIndex buffer) const { return m_isSum[buffer]; }
    const std::vector<Extra> &extras() const { return m_extras; }
    const std::vector<Copy> &copies() const { return m_copies; } // by position
    /// Returns the outermost region around `region` that is inside of `scope`; invalid if both are
    /// the same.
    RegionIndex outermostBelow(RegionIndex region, RegionIndex scope) const;

    /// Returns the evictions whose first lifetime ends with the step at a position.
    std::span<const EvictionIndex> drops(Position position) const { return m_drops[position]; }
    /// Returns the evictions whose second lifetime has to begin before the step at a position
    /// because a region begins there that uses the tensor, rather than by the step's own use.
    std::span<const EvictionIndex> needs(Position position) const { return m_needs[position]; }
    /// Returns the buffers that nothing needs after a position, unless they are computed again.
    std::span<const BufferIndex> ends(Position position) const { return m_ends[position]; }
    /// Returns the position after which nothing needs a buffer; the last position for buffers that
    /// are kept.
    Position lastUse(BufferIndex buffer) const { return m_lastUse[buffer]; }
    /// The positions between which an evicted tensor is not in memory. There are none if the second
    /// use does not come after the first.
    struct Gap {
        Position drop, need;
        bool isPossible() const { return drop + 1 < need; }
    };
    const Gap &gap(EvictionIndex eviction) const { return m_gaps[eviction]; }

private:
    void forget();
    bool nest(FissionTable &table);
    bool arrange(const FissionTable &table, const StepOrder &order);
    void gather(const MemoryGraph &memory, const Fission &fission, const FissionFacts &facts);
    void price(FissionTable &table);
    std::uint64_t priceKey(const FissionTable &table, Position position) const;
    StepPrice partPrice(const FissionTable &table, Position position) const;
    void measure(FissionTable &table);
    void addCopies(FissionTable &table);
    void addInputCopies(FissionTable &table, RegionIndex region);
    std::vector<Parts::Piece> piecesOf(FissionTable &table, RegionIndex region) const;
    void addOutputCopies(FissionTable &table, RegionIndex region);
    double largestTaken(const FissionTable &table, RegionIndex region, NodeId node, TensorId tensor,
                        const SplitTensor &cut) const;
    bool isWithin(RegionIndex region, RegionIndex outer) const;
    double runsOf(RegionIndex region) const;
    const Fission &fissionOf(const FissionTable &table, RegionIndex region) const
    {
        return table.fission(m_fissions[region].fission);
    }
    double largestShare(const FissionTable &table, RegionIndex region, NodeId node) const;
    double sharesAround(FissionTable &table, RegionIndex region, TensorId tensor,
                        std::span<const NodeId> nodes) const;
    void listEnds(const MemoryGraph &memory);
    void listEvictions(const MemoryGraph &memory, const Evictions &evictions);
    Position endOfUse(Position position, RegionIndex scope) const;

    IndexedVector<RegionIndex, EnabledFission> m_fissions;
    IndexedVector<RegionIndex, RegionIndex> m_parents;
    IndexedVector<RegionIndex, const Parts *> m_parts;
    IndexedVector<RegionIndex, const FissionFacts *> m_facts;
    IndexedVector<RegionIndex, double> m_largest; // share of the largest part in what is around it
    StepOrder m_order;
    IndexedVector<StepIndex, Position> m_position;
    IndexedVector<Position, double> m_seconds;
    IndexedVector<Position, std::int64_t> m_workspaces;
    IndexedVector<BufferIndex, std::int64_t> m_bytes;
    IndexedVector<BufferIndex, bool> m_isSum;
    IndexedVector<RegionIndex, Region> m_regions;
    IndexedVector<Position, RegionIndex> m_regionAt;
    IndexedVector<BufferIndex, RegionIndex> m_scope;
    std::vector<Extra> m_extras;
    std::vector<Copy> m_copies;
    JoinedLists<Position, EvictionIndex> m_drops, m_needs;
    JoinedLists<Position, BufferIndex> m_ends;
    IndexedVector<BufferIndex, Position> m_lastUse;
    IndexedVector<EvictionIndex, Gap> m_gaps;
};

} // namespace graphloom::magis
