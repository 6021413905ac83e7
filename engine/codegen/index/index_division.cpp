// SPDX-License-Identifier: Apache-2.0
#include "engine/base/integer_division.h"
#include "engine/codegen/index/index_form.h"

#include <algorithm>
#include <numeric>

/// Makes quotients and remainders of index forms canonical, and eliminates them if possible.
namespace graphloom {

namespace {

/// Returns the common divisors of the divisor and a coefficient, largest first: the widths at which
/// a form may be split.
std::vector<std::int64_t> widthsOf(const IndexForm &form, std::int64_t divisor)
{
    std::vector<std::int64_t> widths;
    for (const auto &[atom, coefficient] : form.terms())
        if (const std::int64_t width = std::gcd(coefficient, divisor); width > 1)
            widths.push_back(width);
    std::ranges::sort(widths, std::greater());
    const auto same = std::ranges::unique(widths);
    widths.erase(same.begin(), same.end());
    return widths;
}

/// Describes form = width * large + small, 0 <= small < width, where the width divides the divisor.
struct Parts {
    std::int64_t width;
    IndexForm large, small;
};
/// Splits a form at the largest possible width; returns none if there is no such width.
std::optional<Parts> apart(const IndexForm &form, std::int64_t divisor, const AxisExtents &extents)
{
    for (const std::int64_t width : widthsOf(form, divisor)) {
        Parts parts{width, floorDiv(form.offset(), width), 0};
        parts.small = form.offset() - parts.large.offset() * width;
        for (const auto &[atom, coefficient] : form.terms()) {
            const IndexForm term = IndexForm::ofAtom(atom);
            if (coefficient % width == 0)
                parts.large = parts.large + term * (coefficient / width);
            else
                parts.small = parts.small + term * coefficient;
        }
        const Bounds left = parts.small.bounds(extents);
        if (!parts.large.isConstant() && left.least >= 0 && left.most < width)
            return parts;
    }
    return std::nullopt;
}

} // namespace

IndexForm IndexForm::quotient(const IndexForm &form, std::int64_t divisor,
                              const AxisExtents &extents)
{
    if (divisor == 1)
        return form;
    if (divisor == 0) // of an axis without points
        return 0;
    IndexForm whole, rest;
    for (const Term &term : form.m_terms) {
        if (term.second % divisor == 0)
            whole.add(term.first, term.second / divisor);
        else
            rest.add(term.first, term.second);
    }
    whole.m_offset = floorDiv(form.m_offset, divisor);
    rest.m_offset = form.m_offset - whole.m_offset * divisor;
    if (rest.isConstant())
        return whole;
    const Bounds bounds = rest.bounds(extents);
    if (floorDiv(bounds.least, divisor) == floorDiv(bounds.most, divisor))
        return whole + IndexForm(floorDiv(bounds.least, divisor));
    // floor((g*a + b) / d) = floor(a / (d/g)) where 0 <= b < g and g divides d.
    if (const auto parts = apart(rest, divisor, extents))
        return whole + quotient(parts->large, divisor / parts->width, extents);
    // floor(floor(x / a) / b) = floor(x / (a*b)).
    if (rest.m_terms.size() == 1 && rest.m_terms[0].second == 1 && rest.m_offset == 0 &&
        rest.m_terms[0].first->kind == Kind::Quotient) {
        const Atom &inner = *rest.m_terms[0].first;
        return whole + quotient(inner.argument, inner.divisor * divisor, extents);
    }
    whole.add(makeDivision(Kind::Quotient, std::move(rest), divisor), 1);
    return whole;
}

IndexForm IndexForm::remainder(const IndexForm &form, std::int64_t divisor,
                               const AxisExtents &extents)
{
    if (divisor <= 1)
        return 0;
    IndexForm rest;
    for (const Term &term : form.m_terms)
        if (term.second % divisor != 0)
            rest.add(term.first, term.second);
    rest.m_offset = form.m_offset - floorDiv(form.m_offset, divisor) * divisor;
    if (rest.isConstant())
        return rest;
    const Bounds bounds = rest.bounds(extents);
    const std::int64_t low = floorDiv(bounds.least, divisor);
    if (low == floorDiv(bounds.most, divisor))
        return rest - IndexForm(low * divisor);
    // (g*a + b) mod d = g * (a mod (d/g)) + b where 0 <= b < g and g divides d.
    if (const auto parts = apart(rest, divisor, extents))
        return remainder(parts->large, divisor / parts->width, extents) * parts->width +
               parts->small;
    IndexForm result;
    result.add(makeDivision(Kind::Remainder, std::move(rest), divisor), 1);
    return result;
}

IndexForm IndexForm::joined() const
{
    for (const auto &[atom, coefficient] : m_terms) {
        if (atom->kind != Kind::Remainder)
            continue;
        const auto whole = std::ranges::find_if(m_terms, [&](const Term &term) {
            return term.first->kind == Kind::Quotient && term.first->divisor == atom->divisor &&
                   term.second == coefficient * atom->divisor &&
                   term.first->argument == atom->argument;
        });
        if (whole == m_terms.end())
            continue;
        IndexForm rest = *this;
        rest.add(atom, -coefficient);
        rest.add(whole->first, -whole->second);
        return (rest + atom->argument * coefficient).joined();
    }
    return *this;
}

} // namespace graphloom
