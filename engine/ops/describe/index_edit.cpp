// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/index_edit.h"

#include "engine/base/integer_division.h"
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

using entries::known;

bool sameTerms(const Index &a, const Index &b)
{
    return a.offset == b.offset &&
           std::ranges::equal(a.terms, b.terms, [](const auto &x, const auto &y) {
               return x.axis == y.axis && x.coefficient == y.coefficient;
           });
}

Index withoutQuotient(Index index)
{
    index.divide = 1;
    index.modulo = 0;
    return index;
}

/// Reassembles a number from its digits: the sum of coefficient * image is that number times a
/// factor.
std::optional<Index> reassembled(const std::vector<Index::Term> &digits,
                                 const std::vector<Index> &images)
{
    const Index number = withoutQuotient(images[std::size_t(digits.front().axis)]);
    Dim place = 1, factor = 0;
    for (std::size_t taken = 0; taken < digits.size(); ++taken) {
        const auto digit = std::ranges::find_if(digits, [&](const Index::Term &term) {
            const Index &image = images[std::size_t(term.axis)];
            return !image.table && image.divide == place && sameTerms(image, number);
        });
        if (digit == digits.end())
            return std::nullopt;
        if (taken == 0)
            factor = digit->coefficient;
        if (!(digit->coefficient == factor * place))
            return std::nullopt;
        const Dim &base = images[std::size_t(digit->axis)].modulo;
        if ((base == Dim(0)) != (taken + 1 == digits.size()))
            return std::nullopt;
        place *= base;
    }
    return scaled(number, factor);
}

/// Returns an index of one axis whose image is a table.
std::optional<Index> throughTable(const Index &index, Index image)
{
    const auto coefficient = index.terms.front().coefficient.constant(),
               offset = index.offset.constant(), divide = index.divide.constant(),
               modulo = index.modulo.constant();
    if (index.terms.size() != 1 || index.lookup >= 0 || !coefficient || !offset || !divide ||
        !modulo)
        return std::nullopt;
    std::vector<std::int64_t> values;
    for (const std::int64_t entry : *image.table) {
        std::int64_t value = floorDiv(*coefficient * entry + *offset, *divide);
        if (*modulo != 0)
            value -= floorDiv(value, *modulo) * *modulo;
        if (index.table) {
            if (value < 0 || value >= std::int64_t(index.table->size()))
                return std::nullopt;
            value = (*index.table)[std::size_t(value)];
        }
        values.push_back(value);
    }
    image.table = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
    return image;
}

} // namespace

Index tidied(const Index &index, const std::vector<Axis> &axes)
{
    Index result = index;
    result.terms.clear();
    for (const Index::Term &term : index.terms) {
        if (runsOnce(axes[std::size_t(term.axis)]))
            continue;
        const auto same = std::ranges::find(result.terms, term.axis, &Index::Term::axis);
        if (same == result.terms.end())
            result.terms.push_back(term);
        else
            same->coefficient += term.coefficient;
    }
    std::erase_if(result.terms, [](const Index::Term &t) { return t.coefficient == Dim(0); });
    return result;
}

Index scaled(Index index, const Dim &factor, const Dim &offset)
{
    for (Index::Term &term : index.terms)
        term.coefficient *= factor;
    index.offset = index.offset * factor + offset;
    return index;
}

Index plus(Index a, const Index &b)
{
    for (const Index::Term &term : b.terms) {
        const auto same = std::ranges::find(a.terms, term.axis, &Index::Term::axis);
        if (same == a.terms.end())
            a.terms.push_back(term);
        else
            same->coefficient += term.coefficient;
    }
    std::erase_if(a.terms, [](const Index::Term &t) { return t.coefficient == Dim(0); });
    a.offset += b.offset;
    return a;
}

std::optional<Index> composed(const Index &index, const std::vector<Index> &images)
{
    Index affine = Index::constant(index.offset);
    std::vector<Index::Term> others; // whose images are not affine
    for (const Index::Term &term : index.terms) {
        const Index &image = images[std::size_t(term.axis)];
        if (image.isAffine())
            affine = plus(std::move(affine), scaled(image, term.coefficient));
        else
            others.push_back(term);
    }
    const auto asIndex = [&](Index sum) {
        sum.divide = index.divide;
        sum.modulo = index.modulo;
        sum.table = index.table;
        sum.lookup = index.lookup;
        return sum;
    };
    if (others.empty())
        return asIndex(std::move(affine));
    const Index &image = images[std::size_t(others.front().axis)];
    if (image.table)
        return throughTable(index, image);
    if (others.size() > 1) {
        const auto number = reassembled(others, images);
        return number ? std::optional(asIndex(plus(std::move(affine), *number))) : std::nullopt;
    }
    if (!index.isAffine() || !(others.front().coefficient == Dim(1)))
        return std::nullopt;
    const bool alone = affine.terms.empty() && affine.offset == Dim(0);
    if (!alone && !(image.modulo == Dim(0)))
        return std::nullopt;
    Index sum = plus(withoutQuotient(image), scaled(std::move(affine), image.divide));
    sum.divide = image.divide;
    sum.modulo = image.modulo;
    return sum;
}

std::optional<std::pair<Dim, Dim>> boundsOf(const Index &index, const std::vector<Axis> &axes)
{
    Dim least = index.offset, most = index.offset;
    for (const Index::Term &term : index.terms) {
        const Dim span = term.coefficient * (axes[std::size_t(term.axis)].extent - Dim(1));
        if (term.coefficient.lowerBound().value_or(-1) >= 0)
            most += span;
        else if ((Dim(0) - term.coefficient).lowerBound().value_or(-1) >= 0)
            least += span;
        else
            return std::nullopt;
    }
    least = Dim::floorDiv(least, index.divide);
    most = Dim::floorDiv(most, index.divide);
    if (!(index.modulo == Dim(0)))
        return std::pair(Dim(0), index.modulo - Dim(1));
    return std::pair(least, most);
}

bool staysWithin(const Index &index, const std::vector<Axis> &axes, const Dim &extent)
{
    if (index.table || index.lookup >= 0)
        return false;
    const auto bounds = boundsOf(index, axes);
    return bounds && bounds->first.lowerBound().value_or(-1) >= 0 &&
           (extent - Dim(1) - bounds->second).lowerBound().value_or(-1) >= 0;
}

Expr exprOf(const Index &index, const Expr &lookup)
{
    Expr sum = lookup;
    for (const Index::Term &term : index.terms) {
        Expr part = Expr::axis(term.axis);
        if (!(term.coefficient == Dim(1)))
            part = part * known(term.coefficient);
        sum = sum.empty() ? part : sum + part;
    }
    if (sum.empty() || !(index.offset == Dim(0)))
        sum = sum.empty() ? known(index.offset) : sum + known(index.offset);
    if (!(index.divide == Dim(1)))
        sum = Expr::binary(Fn::FloorDiv, sum, known(index.divide));
    if (!(index.modulo == Dim(0)))
        sum = Expr::binary(Fn::Mod, sum, known(index.modulo));
    return index.table ? Expr::table({index.table->begin(), index.table->end()}, sum) : sum;
}

Expr composed(const Expr &expr, const std::vector<Index> &images)
{
    return rewritten(expr, [&](const Expr::Node &leaf) {
        return leaf.fn == Fn::Axis ? exprOf(images[std::size_t(leaf.index)]) : Expr();
    });
}

std::optional<std::int64_t> placed(std::int64_t position, Read::Outside outside,
                                   std::int64_t extent)
{
    if (position >= 0 && position < extent)
        return position;
    const auto modulo = [](std::int64_t a, std::int64_t b) { return a - floorDiv(a, b) * b; };
    if (extent < 1)
        return std::nullopt;
    switch (outside) {
    case Read::Outside::Clamp:
        return std::clamp<std::int64_t>(position, 0, extent - 1);
    case Read::Outside::Wrap:
        return modulo(position, extent);
    case Read::Outside::Reflect: {
        if (extent == 1)
            return 0;
        const std::int64_t along = modulo(position, 2 * (extent - 1));
        return std::min(along, 2 * (extent - 1) - along);
    }
    default:
        return std::nullopt;
    }
}

Expr placed(const Expr &position, Read::Outside outside, const Dim &extent)
{
    const Expr last = known(extent - Dim(1)), zero = Expr::integer(0);
    switch (outside) {
    case Read::Outside::Clamp:
        return Expr::binary(Fn::Max, Expr::binary(Fn::Min, position, last), zero);
    case Read::Outside::Wrap:
        return Expr::binary(Fn::Mod, position, known(extent));
    case Read::Outside::Reflect: {
        const Dim period = Dim::max((extent - Dim(1)) * Dim(2), 1);
        const Expr along = Expr::binary(Fn::Mod, position, known(period));
        return Expr::binary(Fn::Min, along, known(period) - along);
    }
    default:
        return position;
    }
}

} // namespace graphloom
