// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim.h"

#include "engine/base/hash.h"
#include "engine/base/integer_division.h"

#include <algorithm>
#include <map>

namespace graphloom {

enum class AtomKind { Symbol, FloorDiv, Mod, Max, Min };

/// A symbol, or a function of two polynomials that the polynomial form cannot express.
struct Dim::Atom {
    AtomKind kind;
    std::string key; // canonical text: equal keys mean equal atoms
    Dim left, right;
    std::string name; // of a symbol
};

/// coefficient * product of atoms; atoms sorted by key.
struct Dim::Term {
    std::int64_t coefficient;
    std::vector<std::shared_ptr<const Atom>> factors;

    std::string key() const
    {
        std::string text;
        for (const auto &factor : factors)
            text += (text.empty() ? "" : "*") + factor->key;
        return text;
    }
};

struct Dim::Sum {
    std::vector<Term> terms; // sorted by key, no zero coefficients
    std::string key;
};

namespace {

/// Returns the name, in quotes if it could be read as an expression.
std::string keyOfSymbol(const std::string &name)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80; // beyond ASCII
    };
    if (!name.empty() && std::ranges::all_of(name, plain) && !(name[0] >= '0' && name[0] <= '9') &&
        name != "overflow")
        return name;
    std::string quoted = "\"";
    for (const char c : name)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

// Beyond these limits a Dim is overflow(): repeated squaring doubles the length each time.
constexpr std::size_t longestKey = 1000, mostProducts = 1024;

} // namespace

Dim Dim::overflow()
{
    Dim poisoned;
    poisoned.m_overflow = true;
    return poisoned;
}

Dim Dim::fromAtom(Atom atom)
{
    return fromTerms({Term{1, {std::make_shared<const Atom>(std::move(atom))}}}, 0);
}

Dim Dim::symbol(const std::string &name)
{
    return fromAtom(Atom{AtomKind::Symbol, keyOfSymbol(name), {}, {}, name});
}

/// Returns the text as an operand of a division, in parentheses if necessary.
std::string Dim::operand(bool divisor) const
{
    const bool atom =
        m_sum && m_value == 0 && m_sum->terms.size() == 1 &&
        (!divisor || (m_sum->terms[0].coefficient == 1 && m_sum->terms[0].factors.size() == 1));
    return isConstant() || atom ? text() : "(" + text() + ")";
}

std::vector<Dim::Term> Dim::terms() const
{
    return m_sum ? m_sum->terms : std::vector<Term>{};
}

Dim Dim::fromTerms(std::vector<Term> terms, std::int64_t offset)
{
    std::map<std::string, Term> byKey;
    for (Term &term : terms) {
        auto [found, added] = byKey.try_emplace(term.key(), term);
        if (!added && __builtin_add_overflow(found->second.coefficient, term.coefficient,
                                             &found->second.coefficient))
            return overflow();
    }
    Dim result(offset);
    Sum sum;
    for (auto &[key, term] : byKey) {
        if (term.coefficient == 0)
            continue;
        sum.key += (term.coefficient < 0 || sum.key.empty() ? "" : "+") +
                   (term.coefficient == 1    ? std::string()
                    : term.coefficient == -1 ? std::string("-")
                                             : std::to_string(term.coefficient) + "*") +
                   key;
        sum.terms.push_back(std::move(term));
        if (sum.key.size() > longestKey)
            return overflow();
    }
    if (!sum.terms.empty())
        result.m_sum = std::make_shared<const Sum>(std::move(sum));
    return result;
}

bool Dim::isSymbol() const
{
    return m_sum && m_value == 0 && m_sum->terms.size() == 1 && m_sum->terms[0].coefficient == 1 &&
           m_sum->terms[0].factors.size() == 1 &&
           m_sum->terms[0].factors[0]->kind == AtomKind::Symbol;
}

std::optional<std::int64_t> Dim::constant() const
{
    return isConstant() ? std::optional(m_value) : std::nullopt;
}

Dim operator+(const Dim &a, const Dim &b)
{
    std::int64_t offset = 0;
    if (a.m_overflow || b.m_overflow || __builtin_add_overflow(a.m_value, b.m_value, &offset))
        return Dim::overflow();
    if (!a.m_sum || !b.m_sum) {
        Dim sum = a.m_sum ? a : b;
        sum.m_value = offset;
        return sum;
    }
    auto terms = a.terms();
    for (const auto &term : b.terms())
        terms.push_back(term);
    return Dim::fromTerms(std::move(terms), offset);
}

Dim operator-(const Dim &a, const Dim &b)
{
    return a + b * Dim(-1);
}

Dim operator*(const Dim &a, const Dim &b)
{
    if (a.m_overflow || b.m_overflow)
        return Dim::overflow();
    std::int64_t offset = 0;
    if (__builtin_mul_overflow(a.m_value, b.m_value, &offset))
        return Dim::overflow();
    if (!a.m_sum && !b.m_sum)
        return offset;
    for (const auto &[factor, other] : {std::pair(&a, &b), std::pair(&b, &a)})
        if (!factor->m_sum && (factor->m_value == 0 || factor->m_value == 1))
            return factor->m_value == 0 ? Dim(0) : *other;
    auto left = a.terms(), right = b.terms();
    left.push_back({a.m_value, {}});
    right.push_back({b.m_value, {}});
    if (left.size() * right.size() > mostProducts)
        return Dim::overflow();
    std::vector<Dim::Term> products;
    for (const auto &l : left) {
        for (const auto &r : right) {
            if (l.factors.empty() && r.factors.empty())
                continue; // the constant term, computed above
            Dim::Term product{0, l.factors};
            if (__builtin_mul_overflow(l.coefficient, r.coefficient, &product.coefficient))
                return Dim::overflow();
            product.factors.insert(product.factors.end(), r.factors.begin(), r.factors.end());
            std::sort(product.factors.begin(), product.factors.end(),
                      [](const auto &x, const auto &y) { return x->key < y->key; });
            products.push_back(std::move(product));
        }
    }
    return Dim::fromTerms(std::move(products), offset);
}

Dim Dim::floorDiv(const Dim &a, const Dim &b)
{
    if (a.m_overflow || b.m_overflow || b == Dim(0) ||
        (a.isConstant() && b.isConstant() && a.m_value == INT64_MIN && b.m_value == -1))
        return overflow();
    if (b == Dim(1))
        return a;
    if (a == b)
        return 1;
    if (a == Dim(0))
        return 0;
    if (a.isConstant() && b.isConstant())
        return graphloom::floorDiv(a.m_value, b.m_value);
    if (b.isConstant() && b.m_value < 0)
        return b.m_value == INT64_MIN ? overflow() : floorDiv(a * Dim(-1), -b.m_value);
    if (b.isConstant()) {
        // Move whole multiples out of the division: floor((5*n+7)/2) = 2*n + 3 + floor((n+1)/2).
        std::vector<Term> whole, rest;
        for (const Term &term : a.terms()) {
            const std::int64_t quotient = graphloom::floorDiv(term.coefficient, b.m_value);
            const std::int64_t remainder = term.coefficient - quotient * b.m_value;
            if (quotient != 0)
                whole.push_back({quotient, term.factors});
            if (remainder != 0)
                rest.push_back({remainder, term.factors});
        }
        const std::int64_t quotient = graphloom::floorDiv(a.m_value, b.m_value);
        const Dim outside = fromTerms(std::move(whole), quotient);
        if (rest.empty())
            return outside;
        const Dim inside = fromTerms(std::move(rest), a.m_value - quotient * b.m_value);
        return outside + fromAtom({AtomKind::FloorDiv,
                                   "floor(" + inside.operand(false) + "/" + b.operand(true) + ")",
                                   inside,
                                   b,
                                   {}});
    } else if (a.m_value == 0 && b.m_value == 0 && b.m_sum->terms.size() == 1 && a.m_sum) {
        // A single product cancels if every term of the dividend contains it.
        const Term &divisor = b.m_sum->terms.front();
        std::vector<Term> quotient;
        for (Term term : a.m_sum->terms) {
            bool divides = divisor.coefficient != -1 && // INT64_MIN / -1 overflows
                           term.coefficient % divisor.coefficient == 0;
            for (const auto &factor : divisor.factors) {
                const auto found =
                    std::find_if(term.factors.begin(), term.factors.end(),
                                 [&](const auto &other) { return other->key == factor->key; });
                divides = divides && found != term.factors.end();
                if (divides)
                    term.factors.erase(found);
            }
            if (!divides) {
                quotient.clear();
                break;
            }
            term.coefficient /= divisor.coefficient;
            quotient.push_back(std::move(term));
        }
        if (!quotient.empty()) {
            std::int64_t offset = 0;
            std::erase_if(quotient, [&](const Term &term) {
                offset += term.factors.empty() ? term.coefficient : 0;
                return term.factors.empty();
            });
            return fromTerms(std::move(quotient), offset);
        }
    }
    return fromAtom(
        {AtomKind::FloorDiv, "floor(" + a.operand(false) + "/" + b.operand(true) + ")", a, b, {}});
}

Dim Dim::ceilDiv(const Dim &a, const Dim &b)
{
    return floorDiv(a + b - Dim(1), b);
}

Dim Dim::mod(const Dim &a, const Dim &b)
{
    const Dim quotient = floorDiv(a, b);
    if (quotient.isOverflow())
        return quotient;
    const Dim remainder = a - b * quotient;
    if (remainder.isConstant() || remainder.isOverflow())
        return remainder;
    if (!b.isConstant() || b.m_value < 0)
        return fromAtom({AtomKind::Mod, "mod(" + a.text() + "," + b.text() + ")", a, b, {}});
    // Drop multiples of b: mod(5*n+7, 4) = mod(n+3, 4).
    const auto reduce = [&](std::int64_t c) {
        return c - graphloom::floorDiv(c, b.m_value) * b.m_value;
    };
    std::vector<Term> terms = a.terms();
    for (Term &term : terms)
        term.coefficient = reduce(term.coefficient);
    const Dim reduced = fromTerms(std::move(terms), reduce(a.m_value));
    return fromAtom(
        {AtomKind::Mod, "mod(" + reduced.text() + "," + b.text() + ")", reduced, b, {}});
}

Dim Dim::max(const Dim &a, const Dim &b)
{
    const Dim difference = a - b;
    if (difference.isConstant() || difference.isOverflow())
        return difference.isOverflow() ? difference : difference.m_value >= 0 ? a : b;
    const bool ordered = a.text() < b.text();
    const Dim &first = ordered ? a : b, &second = ordered ? b : a;
    return fromAtom(
        {AtomKind::Max, "max(" + first.text() + "," + second.text() + ")", first, second, {}});
}

Dim Dim::min(const Dim &a, const Dim &b)
{
    const Dim difference = a - b;
    if (difference.isConstant() || difference.isOverflow())
        return difference.isOverflow() ? difference : difference.m_value <= 0 ? a : b;
    const bool ordered = a.text() < b.text();
    const Dim &first = ordered ? a : b, &second = ordered ? b : a;
    return fromAtom(
        {AtomKind::Min, "min(" + first.text() + "," + second.text() + ")", first, second, {}});
}

bool operator==(const Dim &a, const Dim &b)
{
    if (a.m_value != b.m_value || a.m_overflow != b.m_overflow || !a.m_sum != !b.m_sum)
        return false;
    return !a.m_sum || a.m_sum == b.m_sum || a.m_sum->key == b.m_sum->key;
}

Dim Dim::substitute(const Environment &symbols) const
{
    if (!m_sum)
        return *this;
    Dim total(m_value);
    for (const Term &term : m_sum->terms) {
        Dim product(term.coefficient);
        for (const auto &factor : term.factors) {
            const auto operands = [&](Dim (*function)(const Dim &, const Dim &)) {
                return function(factor->left.substitute(symbols),
                                factor->right.substitute(symbols));
            };
            switch (factor->kind) {
            case AtomKind::Symbol: {
                const auto value = symbols(factor->name);
                product *= value ? Dim(*value) : fromTerms({Term{1, {factor}}}, 0);
                break;
            }
            case AtomKind::FloorDiv:
                product *= operands(&Dim::floorDiv);
                break;
            case AtomKind::Mod:
                product *= operands(&Dim::mod);
                break;
            case AtomKind::Max:
                product *= operands(&Dim::max);
                break;
            case AtomKind::Min:
                product *= operands(&Dim::min);
                break;
            }
        }
        total += product;
    }
    return total;
}

std::optional<std::int64_t> Dim::lowerBound() const
{
    if (m_overflow)
        return std::nullopt;
    for (const Term &term : terms()) {
        if (term.coefficient < 0)
            return std::nullopt;
        for (const auto &factor : term.factors) {
            const auto left = factor->left.lowerBound(), right = factor->right.lowerBound();
            const bool bothSigned = left && right && *left >= 0 && *right >= 0;
            const bool oneSigned = (left && *left >= 0) || (right && *right >= 0);
            if (factor->kind != AtomKind::Symbol && !bothSigned &&
                !(factor->kind == AtomKind::Max && oneSigned))
                return std::nullopt;
        }
    }
    return m_value;
}

std::optional<std::int64_t> Dim::evaluate(const Environment &symbols) const
{
    return substitute(symbols).constant();
}

std::string Dim::text() const
{
    if (m_overflow)
        return "overflow";
    if (!m_sum)
        return std::to_string(m_value);
    if (m_value == 0)
        return m_sum->key;
    return m_sum->key + (m_value > 0 ? "+" : "") + std::to_string(m_value);
}

std::uint64_t Dim::hash() const
{
    const auto offset = scramble(std::uint64_t(m_value) + (m_overflow ? 1 : 0));
    return m_sum ? combine(offset, hashText(m_sum->key)) : offset;
}

std::string text(const Shape &shape)
{
    if (shape.empty())
        return "scalar";
    std::string result;
    for (const Dim &dim : shape)
        result += (result.empty() ? "" : "x") + dim.text();
    return result;
}

bool isStatic(const Shape &shape)
{
    return std::all_of(shape.begin(), shape.end(), [](const Dim &d) { return d.isConstant(); });
}

Dim elementsOf(const Shape &shape)
{
    Dim product(1);
    for (const Dim &dim : shape)
        product *= dim;
    return product;
}

std::optional<std::int64_t> staticElements(const Shape &shape)
{
    if (!isStatic(shape))
        return std::nullopt;
    // Strides and other partial products are also computed for empty tensors.
    Dim product(1);
    bool empty = false;
    for (const Dim &dim : shape) {
        if (dim.value() < 0)
            return std::nullopt;
        empty = empty || dim.value() == 0;
        product *= dim.value() == 0 ? Dim(1) : dim;
    }
    if (product.isOverflow() || product.value() > std::int64_t{1} << 62)
        return std::nullopt;
    return empty ? 0 : product.value();
}

} // namespace graphloom
