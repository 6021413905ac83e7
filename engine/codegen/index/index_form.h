// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/typed_index.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace graphloom {

/// Counts the axes of a nest, which are the variables of its index forms.
using AxisIndex = TypedIndex<struct AxisTag>;
/// Counts the reads of a nest, to which lookups of its index forms refer.
using ReadIndex = TypedIndex<struct ReadTag>;

/// Holds the extents to which variables run, from 0, exclusive.
using AxisExtents = IndexedVector<AxisIndex, std::int64_t>;

/// Holds the least and the greatest value, both included.
struct Bounds {
    std::int64_t least = 0, most = 0;
    bool operator==(const Bounds &) const = default;
};

/// Represents an integer expression of loop variables in a canonical form,
///     offset + sum of coefficient * atom
/// where an atom is a variable, floor(form / d), form mod d, a table indexed by a form, or an
/// integer loaded from a tensor. Equal forms compare equal. Variables run from 0 to an extent; with
/// extents, divisions and remainders vanish wherever that can be proved (a reshape after a tiled
/// loop).
class IndexForm {
public:
    enum class Kind : std::uint8_t { Variable, Quotient, Remainder, Table, Lookup };
    struct Atom;
    using AtomPointer = std::shared_ptr<const Atom>;
    using Term = std::pair<AtomPointer, std::int64_t>;
    using Table = std::shared_ptr<const std::vector<std::int64_t>>;

    IndexForm(std::int64_t offset = 0) : m_offset(offset) {}
    static IndexForm variable(AxisIndex axis);
    static IndexForm ofAtom(const AtomPointer &atom);
    /// Returns the entry of a table at index `entry`; indices outside are a defect of the
    /// description and stay at the border.
    static IndexForm table(Table values, const IndexForm &entry);
    /// Returns the integer that read `read` of the nest loads; negative ones count from `extent`.
    static IndexForm lookup(ReadIndex read, std::int64_t extent);
    /// Returns the quotient rounded towards minus infinity. `divisor` >= 0; it is 0 only if it is
    /// the extent of an axis without points, for which any form will do.
    static IndexForm quotient(const IndexForm &form, std::int64_t divisor,
                              const AxisExtents &extents);
    static IndexForm remainder(const IndexForm &form, std::int64_t divisor,
                               const AxisExtents &extents);

    friend IndexForm operator+(const IndexForm &a, const IndexForm &b);
    friend IndexForm operator-(const IndexForm &a, const IndexForm &b) { return a + b * -1; }
    friend IndexForm operator*(const IndexForm &a, std::int64_t factor);
    bool operator==(const IndexForm &other) const;

    std::int64_t offset() const { return m_offset; }
    std::span<const Term> terms() const { return m_terms; }
    bool isConstant() const { return m_terms.empty(); }
    /// Returns the variable if the form is just a variable.
    std::optional<AxisIndex> asVariable() const;
    /// Returns what one step of the variable adds, or nothing if that is not the same everywhere.
    std::optional<std::int64_t> stepOf(AxisIndex variable) const;
    bool dependsOn(AxisIndex variable) const;
    bool hasLookup() const;
    /// Tells whether the form is affine: a sum of variables and nothing else.
    bool isAffine() const;
    /// Returns the number of terms when it is written out, including those of arguments.
    std::int64_t size() const;

    /// Returns the form with d * floor(f / d) + f mod d written as f.
    IndexForm joined() const;
    Bounds bounds(const AxisExtents &extents) const;
    /// Returns the form with variables replaced; `extents` are those of the variables afterwards.
    /// Variables for which `of` returns nothing stay.
    IndexForm substituted(const std::function<std::optional<IndexForm>(AxisIndex)> &of,
                          const AxisExtents &extents) const;
    /// Returns the form with the reads of lookups renumbered.
    IndexForm renumbered(const std::function<ReadIndex(ReadIndex)> &read) const;
    void forEachVariable(const std::function<void(AxisIndex)> &visit) const;
    void forEachLookup(const std::function<void(ReadIndex)> &visit) const;

    /// Returns the form as C and as users read it, with variables by name.
    std::string text(const std::function<std::string(AxisIndex)> &name) const;

private:
    static AtomPointer makeVariable(AxisIndex axis);
    static AtomPointer makeLookup(ReadIndex read, std::int64_t extent);
    /// Makes a quotient or a remainder.
    static AtomPointer makeDivision(Kind kind, IndexForm argument, std::int64_t divisor);
    static AtomPointer makeTable(Table table, std::string key, Bounds entries, IndexForm argument);
    /// Returns the atom with another argument.
    static IndexForm withArgument(const Atom &atom, IndexForm argument, const AxisExtents &extents);
    void add(const AtomPointer &atom, std::int64_t coefficient);

    std::vector<Term> m_terms; // by key of the atom, coefficients not 0
    std::int64_t m_offset = 0;
};

struct IndexForm::Atom {
    Kind kind = Kind::Variable;
    AxisIndex variable; // of a variable
    ReadIndex read;     // of a lookup
    IndexForm argument;
    std::int64_t divisor = 1; // for a lookup, the extent
    Table table;
    Bounds entries = {};       // of the table
    std::string tableKey = {}; // short text for what it holds
    std::string key = {};      // canonical text
    std::int64_t size = 1;     // IndexForm::size() of the term
    bool looksUp = false;      // whether it or its argument is a lookup
};

/// Holds the axes of a nest as forms over the axes of another one.
using AxisForms = IndexedVector<AxisIndex, IndexForm>;

} // namespace graphloom
