// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/codegen/nests/nest.h"

#include <functional>
#include <unordered_map>

/// Declares functions and classes for the reads of a nest, which expressions and lookups refer to
/// by number.
namespace graphloom {

/// Tells, by number, whether an index of a read or store looks its value up in the read.
std::vector<bool> lookedUpReads(const Nest &nest);
/// Drops the reads that nothing needs and renumbers the others. Returns the new numbers, -1 for
/// dropped reads.
std::vector<int> dropUnusedReads(Nest &nest);

/// Finds equal reads of one nest. Reads that lookups use are kept apart from those that are values.
class KnownReads {
public:
    KnownReads() = default;
    explicit KnownReads(const Nest &nest);

    bool isLookedUp(int read) const { return m_lookedUp[std::size_t(read)]; }
    /// Returns how many different elements of the tensor the nest reads.
    int count(int tensor) const;
    /// Returns the number of the first equal read; adds this one if the nest has none.
    int add(Nest &nest, NestRead read, bool lookedUp);
    /// Returns the first read that is equal to a read of the nest; that read itself if there is
    /// none before it.
    int first(const Nest &nest, int read) const;

private:
    int find(const Nest &nest, const NestRead &read, bool lookedUp) const;
    void index(const Nest &nest, int number);

    std::unordered_map<std::uint64_t, std::vector<int>> m_equal; // by what is read
    std::unordered_map<int, int> m_count;                        // by tensor
    std::vector<bool> m_lookedUp;
};

/// Copies what another nest computes into a nest; `axes` are that nest's axes as forms over this
/// one's. Its reads are added when they are first needed.
class ReadAdoption {
public:
    ReadAdoption(Nest &nest, KnownReads &known, const Nest &other,
                 const std::vector<IndexForm> &axes, Steps &steps)
        : m_nest(nest), m_known(known), m_other(other), m_axes(axes), m_extents(nest.extents()),
          m_lookedUp(lookedUpReads(other)), m_numbers(other.reads.size(), -1), m_steps(steps)
    {
    }

    /// Returns the number in this nest of a read of the other nest.
    int numberOf(int read, bool lookedUp = false);
    /// Returns a value of the other nest as a value of this one. `instead` gives the replacement of
    /// a leaf, or an empty Expr to treat it like the others. `lookedUp`: a lookup is to use the
    /// value.
    Expr adopted(const Expr &value, bool lookedUp = false,
                 const std::function<Expr(const Expr::Node &leaf)> &instead = {});

private:
    Nest &m_nest;
    KnownReads &m_known;
    const Nest &m_other;
    const std::vector<IndexForm> &m_axes;
    std::vector<std::int64_t> m_extents;
    std::vector<bool> m_lookedUp; // by read of the other nest
    std::vector<int> m_numbers;   // by read of the other nest; -1: not yet added
    Steps &m_steps;
};

} // namespace graphloom
