// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/gradient/scatter_axes.h"

#include "engine/ops/describe/index_edit.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::int64_t mostPoints = 1 << 16; // in a table
constexpr std::int64_t mostPhases = 64;      // each is a stage

std::int64_t magnitude(const Dim &coefficient)
{
    return std::abs(coefficient.constant().value_or(0));
}

} // namespace

ScatterAxes::ScatterAxes(const Scatter &scatter, const Shape &shape,
                         const std::vector<bool> &matched)
    : m_scatter(scatter), m_shape(shape), m_ways(shape.size(), Way::Match),
      m_solvedBy(scatter.axes.size(), -1), m_kept(scatter.axes.size(), false),
      m_axis(shape.size(), -1)
{
    for (const Index &index : scatter.target)
        m_indices.push_back(tidied(index, scatter.axes));
    std::vector<bool> open(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
        open[d] = !matched[d];
        if (open[d])
            chooseDirect(d);
        open[d] = open[d] && m_ways[d] == Way::Match;
    }
    chooseDecoded(open);
    std::int64_t phases = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!open[d] || m_ways[d] != Way::Match)
            continue;
        m_ways[d] = chosen(d);
        if (m_ways[d] == Way::Phase) {
            const std::int64_t stride = magnitude(
                std::ranges::find(m_indices[d].terms, m_axis[d], &Index::Term::axis)->coefficient);
            if (phases * stride > mostPhases)
                m_ways[d] = Way::Divided;
            else
                phases *= stride;
        }
        claim(d);
        keep(d);
    }
    for (std::size_t d = 0; d < shape.size(); ++d)
        keep(d);
}

bool ScatterAxes::isFree(const Index &index) const
{
    return std::ranges::all_of(index.terms, [this](const Index::Term &term) {
        return m_solvedBy[std::size_t(term.axis)] < 0 && !m_kept[std::size_t(term.axis)];
    });
}

/// Returns the count of consecutive numbers that the terms yield once each, or nothing if not so.
std::optional<Dim> ScatterAxes::countOf(const Index &index) const
{
    if (index.terms.empty())
        return std::nullopt;
    Dim count = 1;
    std::vector<Index::Term> left = index.terms;
    while (!left.empty()) {
        const auto next = std::ranges::find_if(
            left, [&](const Index::Term &term) { return term.coefficient == count; });
        if (next == left.end())
            return std::nullopt;
        count *= m_scatter.axes[std::size_t(next->axis)].extent;
        left.erase(next);
    }
    return count;
}

void ScatterAxes::claim(std::size_t d)
{
    if (m_ways[d] == Way::Direct || m_ways[d] == Way::Digits || m_ways[d] == Way::Table ||
        m_ways[d] == Way::Decoded)
        for (const Index::Term &term : m_indices[d].terms)
            m_solvedBy[std::size_t(term.axis)] = int(d);
    else if (m_axis[d] >= 0)
        m_solvedBy[std::size_t(m_axis[d])] = int(d);
}

/// Reserves the axes that the solution of a dimension leaves over.
void ScatterAxes::keep(std::size_t d)
{
    for (const Index::Term &term : m_indices[d].terms)
        if (m_solvedBy[std::size_t(term.axis)] < 0)
            m_kept[std::size_t(term.axis)] = true;
}

void ScatterAxes::chooseDirect(std::size_t d)
{
    const Index &index = m_indices[d];
    if (!index.isAffine() || !(index.offset == Dim(0)))
        return;
    if (index.terms.empty()) {
        if (m_shape[d] == Dim(1))
            m_ways[d] = Way::Constant;
        return;
    }
    const auto count = isFree(index) ? countOf(index) : std::nullopt;
    if (!count || !(*count == m_shape[d]))
        return;
    m_ways[d] = Way::Direct;
    claim(d);
}

/// Chooses dimensions whose indices are the digits of one position, as in a Reshape without common
/// factors: the position counts all their elements.
void ScatterAxes::chooseDecoded(const std::vector<bool> &open)
{
    std::vector<std::size_t> digits;
    const Index *position = nullptr;
    for (std::size_t d = 0; d < m_shape.size(); ++d) {
        const Index &index = m_indices[d];
        if (!open[d] || index.table || index.lookup >= 0 || index.terms.empty() ||
            !(index.offset == Dim(0)))
            continue;
        digits.push_back(d);
        if (!position || index.terms.size() > position->terms.size())
            position = &index;
    }
    if (digits.size() < 2 || !isFree(*position))
        return;
    Dim place = 1;
    for (std::size_t k = digits.size(); k-- > 0;) {
        const Index &index = m_indices[digits[k]];
        const Dim &extent = m_shape[digits[k]];
        if (!(index.divide == place) || !(index.modulo == (k == 0 ? Dim(0) : extent)))
            return;
        place *= extent;
        for (const Index::Term &term : position->terms) {
            const auto own = std::ranges::find(index.terms, term.axis, &Index::Term::axis);
            // A term may be missing if it does not affect the remainder.
            if (own == index.terms.end() ? !(Dim::mod(term.coefficient, place) == Dim(0))
                                         : !(own->coefficient == term.coefficient))
                return;
        }
    }
    const auto count = countOf(*position);
    if (!count || !(*count == place))
        return;
    m_position = Index{position->terms, 0, 1, 0, nullptr, -1};
    for (const std::size_t d : digits) {
        m_ways[d] = Way::Decoded;
        claim(d);
    }
}

bool ScatterAxes::fitsTable(std::size_t d) const
{
    const Index &index = m_indices[d];
    if (index.lookup >= 0 || index.terms.empty() || !isFree(index) ||
        m_shape[d].constant().value_or(mostPoints + 1) > mostPoints || !index.offset.isConstant() ||
        !index.divide.isConstant() || !index.modulo.isConstant())
        return false;
    std::int64_t points = 1;
    for (const Index::Term &term : index.terms) {
        const auto extent = m_scatter.axes[std::size_t(term.axis)].extent.constant();
        if (!extent || !term.coefficient.isConstant() || *extent > mostPoints / points)
            return false;
        points *= std::max<std::int64_t>(*extent, 1);
    }
    return true;
}

Way ScatterAxes::chosen(std::size_t d)
{
    const Index &index = m_indices[d];
    const bool folds = m_scatter.outside == Read::Outside::Clamp ||
                       m_scatter.outside == Read::Outside::Reflect ||
                       m_scatter.outside == Read::Outside::Wrap;
    const bool isPlain =
        index.isAffine() && (!folds || staysWithin(index, m_scatter.axes, m_shape[d]));
    if (!isPlain)
        return fitsTable(d) ? Way::Table : Way::Match;
    if (index.terms.empty())
        return Way::Match;
    if (isFree(index) && index.terms.size() > 1 && countOf(index))
        return Way::Digits;
    return chosenWindow(d);
}

/// Prefers to solve for the axis of the positions over one of the window, and for the longest.
Way ScatterAxes::chosenWindow(std::size_t d)
{
    const Index &index = m_indices[d];
    const Index::Term *best = nullptr;
    const auto rank = [this](const Index::Term &term) {
        const Axis &axis = m_scatter.axes[std::size_t(term.axis)];
        return std::tuple(axis.kind == Axis::Kind::Space,
                          axis.extent.constant().value_or(std::int64_t{1} << 40));
    };
    for (const Index::Term &term : index.terms) {
        const bool isFree =
            m_solvedBy[std::size_t(term.axis)] < 0 && !m_kept[std::size_t(term.axis)];
        if (isFree && magnitude(term.coefficient) > 0 && (!best || rank(term) > rank(*best)))
            best = &term;
    }
    if (!best)
        return Way::Match;
    m_axis[d] = best->axis;
    if (magnitude(best->coefficient) == 1)
        return Way::Shift;
    const bool isPhased = index.terms.size() == 2 && isFree(index) &&
                          best->coefficient.value() > 0 && index.offset.isConstant() &&
                          std::ranges::all_of(index.terms, [&](const Index::Term &t) {
                              return t.coefficient.isConstant() &&
                                     (t.axis == best->axis ||
                                      m_scatter.axes[std::size_t(t.axis)].extent.isConstant());
                          });
    return isPhased ? Way::Phase : Way::Divided;
}

} // namespace graphloom
