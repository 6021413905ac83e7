// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/codegen/nests/nest.h"

#include <functional>
#include <unordered_map>

/// The reads of a nest, which expressions and lookups know by their numbers.
namespace graphloom {

/// Which ones an index of a read or store looks its value up in, by number.
std::vector<bool> lookedUpReads(const Nest &nest);
/// Those that nothing needs go, and what is left is numbered anew. Gives the new numbers, -1 for
/// those that went.
std::vector<int> dropUnusedReads(Nest &nest);

/// Finds equal reads of one nest. Those that lookups use are apart from those that are values.
class KnownReads {
public:
    KnownReads() = default;
    explicit KnownReads(const Nest &nest);

    bool isLookedUp(int read) const { return m_lookedUp[std::size_t(read)]; }
    /// How many different elements of the tensor the nest reads.
    int count(int tensor) const;
    /// The number of the first read that is equal; of this one, when the nest has none.
    int add(Nest &nest, NestRead read, bool lookedUp);
    /// The first one that is equal to a read of the nest; itself when there is none before.
    int first(const Nest &nest, int read) const;

private:
    int find(const Nest &nest, const NestRead &read, bool lookedUp) const;
    void index(const Nest &nest, int number);

    std::unordered_map<std::uint64_t, std::vector<int>> m_equal; // by what is read
    std::unordered_map<int, int> m_count;                        // by tensor
    std::vector<bool> m_lookedUp;
};

/// Takes what another nest computes into a nest; `axes` are that nest's axes as forms over this
/// one's. Its reads come along as they are asked for.
class ReadAdoption {
public:
    ReadAdoption(Nest &nest, KnownReads &known, const Nest &other,
                 const std::vector<IndexForm> &axes, Steps &steps)
        : m_nest(nest), m_known(known), m_other(other), m_axes(axes), m_extents(nest.extents()),
          m_lookedUp(lookedUpReads(other)), m_numbers(other.reads.size(), -1), m_steps(steps)
    {
    }

    /// The number here of a read of the other nest.
    int numberOf(int read, bool lookedUp = false);
    /// A value of the other nest. `instead` gives what a leaf becomes; an empty Expr: as the
    /// others. `lookedUp`: a lookup is to use the value.
    Expr adopted(const Expr &value, bool lookedUp = false,
                 const std::function<Expr(const Expr::Node &leaf)> &instead = {});

private:
    Nest &m_nest;
    KnownReads &m_known;
    const Nest &m_other;
    const std::vector<IndexForm> &m_axes;
    std::vector<std::int64_t> m_extents;
    std::vector<bool> m_lookedUp; // by read of the other one
    std::vector<int> m_numbers;   // the same; -1: not yet
    Steps &m_steps;
};

} // namespace graphloom
