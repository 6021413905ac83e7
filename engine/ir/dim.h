// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// One tensor extent or shape value: an integer, or an integer polynomial over named symbols
/// ("batch", "len") and floor-division, remainder, maximum and minimum of such polynomials.
/// Kept in a canonical form, so that equal polynomials compare equal: 2*(n+1)-2 == 2*n.
/// Integer overflow yields the poisoned value overflow(), which no arithmetic repairs; so does
/// an expression that gets too long to be of use. Divisors are taken not to be zero: n*m/n is m.
class Dim {
public:
    Dim(std::int64_t value = 0) : m_value(value) {}
    static Dim symbol(const std::string &name);
    static Dim overflow();

    bool isConstant() const { return !m_sum && !m_overflow; }
    bool isOverflow() const { return m_overflow; }
    /// One symbol and nothing else.
    bool isSymbol() const;
    /// Requires isConstant().
    std::int64_t value() const { return m_value; }
    std::optional<std::int64_t> constant() const;

    friend Dim operator+(const Dim &a, const Dim &b);
    friend Dim operator-(const Dim &a, const Dim &b);
    friend Dim operator*(const Dim &a, const Dim &b);
    Dim &operator+=(const Dim &b) { return *this = *this + b; }
    Dim &operator*=(const Dim &b) { return *this = *this * b; }
    /// Rounded towards minus infinity; division by zero poisons.
    static Dim floorDiv(const Dim &a, const Dim &b);
    static Dim ceilDiv(const Dim &a, const Dim &b);
    /// a - b * floorDiv(a, b).
    static Dim mod(const Dim &a, const Dim &b);
    static Dim max(const Dim &a, const Dim &b);
    static Dim min(const Dim &a, const Dim &b);

    friend bool operator==(const Dim &a, const Dim &b);

    /// The integer for given symbol values; none when a symbol has no value, a division by
    /// zero occurs or the result overflows.
    using Environment = std::function<std::optional<std::int64_t>(const std::string &)>;
    std::optional<std::int64_t> evaluate(const Environment &symbols) const;
    /// The same polynomial with the symbols that have a value replaced by it.
    Dim substitute(const Environment &symbols) const;

    /// A number that the value is not below, given that no symbol (an extent) is negative; none
    /// when that cannot be told from the form.
    std::optional<std::int64_t> lowerBound() const;

    /// "3", "n", "2*n+1", "floor(n/2)"; symbols that are no plain names stand in quotes.
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
/// No tensor has more dimensions: more would only make working with them slow.
inline constexpr std::size_t highestRank = 64;

/// "1x3x224x224", "batchx128"; "scalar" for rank 0.
std::string text(const Shape &shape);
bool isStatic(const Shape &shape);
/// Number of elements.
Dim elementsOf(const Shape &shape);
/// Number of elements of a static shape; none when it is symbolic or negative, or when the product
/// of its extents other than 0 is beyond 2^62.
std::optional<std::int64_t> staticElements(const Shape &shape);

} // namespace graphloom
