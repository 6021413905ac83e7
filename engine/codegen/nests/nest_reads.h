// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/codegen/nests/nest.h"

#include <functional>
#include <unordered_map>

/// Declares functions and classes for the reads of a nest, to which expressions and lookups refer.
namespace graphloom {

/// Tells of each read whether an index of a read or store looks its value up in it.
IndexedVector<ReadIndex, bool> lookedUpReads(const Nest &nest);
/// Drops the reads that nothing needs and renumbers the others. Returns the new index of each read,
/// an invalid one if it is dropped.
IndexedVector<ReadIndex, ReadIndex> dropUnusedReads(Nest &nest);

/// Finds equal reads of one nest. Reads that lookups use are kept apart from those that are values.
class KnownReads {
public:
    KnownReads() = default;
    explicit KnownReads(const Nest &nest);

    bool isLookedUp(ReadIndex read) const { return m_lookedUp[read]; }
    /// Returns how many different elements of the tensor the nest reads.
    int count(BlockTensorIndex tensor) const;
    /// Returns the first equal read; adds this one if the nest has none.
    ReadIndex add(Nest &nest, NestRead read, bool lookedUp);
    /// Returns the first read that is equal to a read of the nest; that read itself if there is
    /// none before it.
    ReadIndex first(const Nest &nest, ReadIndex read) const;

private:
    ReadIndex find(const Nest &nest, const NestRead &read, bool lookedUp) const;
    void index(const Nest &nest, ReadIndex number);

    std::unordered_map<std::uint64_t, std::vector<ReadIndex>> m_equal; // by what is read
    std::unordered_map<BlockTensorIndex, int> m_count;
    IndexedVector<ReadIndex, bool> m_lookedUp;
};

/// Copies what another nest computes into a nest; `axes` are that nest's axes as forms over this
/// one's. Its reads are added when they are first needed.
class ReadAdoption {
public:
    ReadAdoption(Nest &nest, KnownReads &known, const Nest &other, const AxisForms &axes,
                 Steps &steps)
        : m_nest(nest), m_known(known), m_other(other), m_axes(axes), m_extents(nest.extents()),
          m_lookedUp(lookedUpReads(other)), m_adopted(other.reads.size()), m_steps(steps)
    {
    }

    /// Returns the read of this nest that a read of the other nest becomes.
    ReadIndex adopted(ReadIndex read, bool lookedUp = false);
    /// Returns a value of the other nest as a value of this one. `instead` gives the replacement of
    /// a leaf, or an empty Expr to treat it like the others. `lookedUp`: a lookup is to use the
    /// value.
    Expr adopted(const Expr &value, bool lookedUp = false,
                 const std::function<Expr(const Expr::Node &leaf)> &instead = {});

private:
    Nest &m_nest;
    KnownReads &m_known;
    const Nest &m_other;
    const AxisForms &m_axes;
    AxisExtents m_extents;
    // By read of the other nest:
    IndexedVector<ReadIndex, bool> m_lookedUp;
    IndexedVector<ReadIndex, ReadIndex> m_adopted; // invalid until it is added
    Steps &m_steps;
};

} // namespace graphloom
