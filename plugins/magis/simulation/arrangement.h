// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/fission/fission_table.h"

namespace graphloom::magis {

/// Describes a fission that is carried out: a node of the F-Tree with n > 1.
struct EnabledFission {
    int fission; // in the FissionTable
    int number;
    int size = 0; // as in Cutting
    Cutting cutting() const { return {number, size}; }
    auto operator<=>(const EnabledFission &) const = default;
};

/// Describes a tensor that may leave memory between two of its uses: it is computed again or
/// swapped.
struct Eviction {
    int buffer;
    int reader; // the step whose use begins the second lifetime
};

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
    static std::shared_ptr<const Arrangement> of(FissionTable &table, std::span<const int> order,
                                                 std::vector<EnabledFission> fissions,
                                                 std::span<const Eviction> evictions,
                                                 ArrangementPool *pool = nullptr);

    struct Region {
        int begin, end; // positions of its first and last step
        int parent;     // the region around it; -1: none
        int enabled;    // in fissions()
        /// Shares of its seconds that its first, second and last part take.
        double firstShare, secondShare, lastShare;
    };
    /// Memory that a fission needs besides buffers: for a part that is copied, or added to the
    /// whole.
    struct Extra {
        int begin, end; // positions
        std::int64_t bytes;
    };

    /// A copy of a part of a tensor from outside, which a step reads. Steps that are computed again
    /// make a new copy, since the first one is gone by then.
    struct Copy {
        int position;
        std::int64_t bytes;
        double seconds; // of all parts; 0 if the step's own seconds include them
    };

    const std::vector<EnabledFission> &fissions() const { return m_fissions; } // outer ones first
    const std::vector<int> &order() const { return m_order; }
    int position(int step) const { return m_position[std::size_t(step)]; }
    double seconds(int position) const { return m_seconds[std::size_t(position)]; }
    /// Returns the bytes of workspace that the kernel at a position needs, for the part that needs
    /// most.
    std::int64_t workspace(int position) const { return m_workspaces[std::size_t(position)]; }
    /// Returns the parts that the step at a position is computed in; outside of fissions, one part
    /// without cuts.
    std::vector<StepParts> partsAt(const FissionTable &table, int position) const;
    std::int64_t bytes(int buffer) const { return m_bytes[std::size_t(buffer)]; }
    const std::vector<Region> &regions() const { return m_regions; }
    /// Returns the innermost region at a position, or -1.
    int regionAt(int position) const { return m_regionAt[std::size_t(position)]; }
    /// Returns the innermost region that contains the whole lifetime of a buffer, or -1.
    int scope(int buffer) const { return m_scope[std::size_t(buffer)]; }
    /// Tells whether an outermost fission adds up the buffer. The buffer is then alive from the
    /// first part on, but not from the beginning of that part.
    bool isSum(int buffer) const { return m_isSum[std::size_t(buffer)]; }
    const std::vector<Extra> &extras() const { return m_extras; }
    const std::vector<Copy> &copies() const { return m_copies; } // by position
    /// Returns the outermost region around `region` that is inside of `scope`; -1 if both are the
    /// same.
    int outermostBelow(int region, int scope) const;

    /// Returns the evictions whose first lifetime ends with the step at a position.
    std::span<const int> drops(int position) const { return listed(m_drops, m_dropsAt, position); }
    /// Returns the evictions whose second lifetime has to begin before the step at a position
    /// because a region begins there that uses the tensor, rather than by the step's own use.
    std::span<const int> needs(int position) const { return listed(m_needs, m_needsAt, position); }
    /// Returns the buffers that nothing needs after a position, unless they are computed again.
    std::span<const int> ends(int position) const { return listed(m_ends, m_endsAt, position); }
    /// Returns the position after which nothing needs a buffer; the last position for buffers that
    /// are kept.
    int lastUse(int buffer) const { return m_lastUse[std::size_t(buffer)]; }
    /// The positions between which an evicted tensor is not in memory. There are none if the second
    /// use does not come after the first.
    struct Gap {
        int drop, need;
        bool isPossible() const { return drop + 1 < need; }
    };
    const Gap &gap(int eviction) const { return m_gaps[std::size_t(eviction)]; }

private:
    static std::span<const int> listed(const std::vector<int> &list, const std::vector<int> &at,
                                       int position)
    {
        const auto first = std::size_t(at[std::size_t(position)]);
        return {list.data() + first, std::size_t(at[std::size_t(position) + 1]) - first};
    }
    void forget();
    bool nest(FissionTable &table);
    bool arrange(const FissionTable &table, std::span<const int> order);
    void gather(const MemoryGraph &memory, const Fission &fission, const FissionFacts &facts);
    void price(FissionTable &table);
    std::uint64_t priceKey(const FissionTable &table, int position) const;
    StepPrice partPrice(const FissionTable &table, int position) const;
    void measure(FissionTable &table);
    void addCopies(FissionTable &table);
    void addInputCopies(FissionTable &table, int region);
    std::vector<Parts::Piece> piecesOf(FissionTable &table, int region) const;
    void addOutputCopies(FissionTable &table, int region);
    double largestTaken(const FissionTable &table, int region, NodeId node, TensorId tensor,
                        const SplitTensor &cut) const;
    bool isWithin(int region, int outer) const;
    double runsOf(int region) const;
    double largestShare(const FissionTable &table, int region, NodeId node) const;
    double sharesAround(FissionTable &table, int region, TensorId tensor,
                        std::span<const NodeId> nodes) const;
    void listEnds(const MemoryGraph &memory);
    void listEvictions(const MemoryGraph &memory, std::span<const Eviction> evictions);
    int endOfUse(int position, int scope) const;
    void listByPosition(std::span<const std::pair<int, int>> entries, std::vector<int> &list,
                        std::vector<int> &at) const;

    std::vector<EnabledFission> m_fissions;
    std::vector<int> m_parents; // of fissions
    std::vector<const Parts *> m_parts;
    std::vector<const FissionFacts *> m_facts;
    std::vector<double> m_largest; // share of the largest part in what is around it
    std::vector<int> m_order, m_position;
    std::vector<double> m_seconds;
    std::vector<std::int64_t> m_workspaces; // by position
    std::vector<std::int64_t> m_bytes;
    std::vector<bool> m_isSum;     // by buffer
    std::vector<Region> m_regions; // one for each fission
    std::vector<int> m_regionAt, m_scope;
    std::vector<Extra> m_extras;
    std::vector<Copy> m_copies;
    std::vector<int> m_drops, m_dropsAt, m_needs, m_needsAt;
    std::vector<int> m_ends, m_endsAt, m_lastUse;
    std::vector<Gap> m_gaps;
};

} // namespace graphloom::magis
