// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Represents one tensor extent or shape value: an integer, or an integer polynomial over named
/// symbols ("batch", "len") and floor-division, remainder, maximum and minimum of such polynomials.
/// It is kept in a canonical form, so that equal polynomials compare equal: 2*(n+1)-2 == 2*n.
/// Integer overflow yields the poisoned value overflow(), which no arithmetic repairs; so does an
/// expression that gets too long to be of use. Divisors are assumed not to be zero: n*m/n is m.
class Dim {
public:
    Dim(std::int64_t value = 0) : m_value(value) {}
    static Dim symbol(const std::string &name);
    static Dim overflow();

    bool isConstant() const { return !m_sum && !m_overflow; }
    bool isOverflow() const { return m_overflow; }
    /// Tells whether the value is a single symbol.
    bool isSymbol() const;
    /// Returns the integer. Requires isConstant().
    std::int64_t value() const { return m_value; }
    std::optional<std::int64_t> constant() const;

    friend Dim operator+(const Dim &a, const Dim &b);
    friend Dim operator-(const Dim &a, const Dim &b);
    friend Dim operator*(const Dim &a, const Dim &b);
    Dim &operator+=(const Dim &b) { return *this = *this + b; }
    Dim &operator*=(const Dim &b) { return *this = *this * b; }
    /// Returns the quotient rounded towards minus infinity; division by zero poisons.
    static Dim floorDiv(const Dim &a, const Dim &b);
    static Dim ceilDiv(const Dim &a, const Dim &b);
    /// Returns a - b * floorDiv(a, b).
    static Dim mod(const Dim &a, const Dim &b);
    static Dim max(const Dim &a, const Dim &b);
    static Dim min(const Dim &a, const Dim &b);

    friend bool operator==(const Dim &a, const Dim &b);

    /// Returns the value of a symbol, or nothing if it has none.
    using Environment = std::function<std::optional<std::int64_t>(const std::string &)>;
    /// Returns the integer for the given symbol values; nothing if a symbol has no value, a
    /// division by zero occurs or the result overflows.
    std::optional<std::int64_t> evaluate(const Environment &symbols) const;
    /// Returns the polynomial with every symbol that has a value replaced by it.
    Dim substitute(const Environment &symbols) const;

    /// Returns a lower bound of the value, given that no symbol (an extent) is negative; nothing if
    /// the form does not show one.
    std::optional<std::int64_t> lowerBound() const;

    /// Returns "3", "n", "2*n+1", "floor(n/2)"; symbols that are not plain names are quoted.
    std::string text() const;
    std::uint64_t hash() const;

private:
    struct Atom;
    struct Term;
    struct Sum;
    static Dim fromAtom(Atom atom);
    static Dim fromTerms(std::vector<Term> terms, std::int64_t offset);
    std::vector<Term> terms() const;
    std::string operand(bool divisor) const;

    std::int64_t m_value = 0; // the constant, or the constant term of the sum
    bool m_overflow = false;
    std::shared_ptr<const Sum> m_sum; // null for constants
};

/// Extents, outermost first. Rank 0 is a scalar.
using Shape = std::vector<Dim>;
/// Highest permitted rank of a tensor; more dimensions would only be slow to work with.
inline constexpr std::size_t highestRank = 64;

/// Returns "1x3x224x224", "batchx128"; "scalar" for rank 0.
std::string text(const Shape &shape);
bool isStatic(const Shape &shape);
/// Returns the number of elements.
Dim elementsOf(const Shape &shape);
/// Returns the number of elements of a static shape; nothing if it is symbolic or negative, or if
/// the product of its nonzero extents exceeds 2^62.
std::optional<std::int64_t> staticElements(const Shape &shape);

} // namespace graphloom
