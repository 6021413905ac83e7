// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/scatter_axes.h"

#include "engine/ops/index_edit.h"
#include "engine/ops/stage_facts.h"

#include <algorithm>
#include <numeric>

namespace graphloom {

namespace {

constexpr std::int64_t mostPoints = 1 << 16; // that are listed in a table
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

/// How many numbers the terms count through, each once and without a gap; none if they do not.
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

/// What the way of a dimension leaves over must not be solved for by another one.
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

/// Dimensions whose indices are the digits of one position, as a Reshape without common factors
/// has them: the position counts all their elements.
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
            // A term may be left out where the remainder does not see it.
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

/// Solves for the axis of the positions rather than for one of the window, and for the longest.
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

/// Builds the solution for one combination of phases.
class SolutionBuilder {
public:
    SolutionBuilder(const ScatterAxes &ways, const std::vector<std::int64_t> &phases)
        : m_ways(ways), m_scatter(ways.m_scatter), m_phases(phases), m_images(m_scatter.axes.size())
    {
    }

    Solution build()
    {
        for (std::size_t d = 0; d < m_ways.m_shape.size(); ++d)
            addPosition(d);
        addReductions();
        if (m_solution.isEmpty)
            return std::move(m_solution);
        for (std::size_t d = 0; d < m_ways.m_shape.size(); ++d)
            solve(d);
        for (std::size_t a = 0; a < m_images.size(); ++a) {
            const auto &image = m_images[a];
            m_solution.images.push_back(image.value_or(Index::constant(0)));
            const bool isOwn = image && image->isAffine() && image->terms.size() == 1;
            if (image && m_ways.isSolved(int(a)) && !(isOwn && m_direct.contains(int(a))) &&
                !image->table && !staysWithin(*image, m_solution.axes, m_scatter.axes[a].extent))
                m_solution.guarded.push_back(int(a));
        }
        return std::move(m_solution);
    }

private:
    int add(std::string name, Dim extent, Axis::Kind kind)
    {
        const auto taken = [&] {
            return std::ranges::find(m_solution.axes, name, &Axis::name) != m_solution.axes.end();
        };
        while (taken())
            name += "'";
        m_solution.axes.push_back({std::move(name), std::move(extent), kind});
        return int(m_solution.axes.size()) - 1;
    }

    const Axis &axisOf(int axis) const { return m_scatter.axes[std::size_t(axis)]; }

    /// The axes over a dimension of the target.
    void addPosition(std::size_t d)
    {
        const Index &index = m_ways.m_indices[d];
        const Dim &extent = m_ways.m_shape[d];
        Index position = Index::constant(0);
        if (m_ways.m_ways[d] == Way::Direct) {
            for (const int axis : factorsOf(index, m_scatter.axes)) {
                const auto term = std::ranges::find(index.terms, axis, &Index::Term::axis);
                const int own = add(axisOf(axis).name, axisOf(axis).extent, Axis::Kind::Space);
                m_images[std::size_t(axis)] = Index::axis(own);
                m_direct.insert(axis);
                position.terms.push_back({own, term->coefficient});
            }
        } else if (m_ways.m_ways[d] == Way::Phase) {
            const std::int64_t stride = strideOf(d), phase = m_phases[d];
            const Dim count = Dim::floorDiv(extent + Dim(stride - 1 - phase), stride);
            position = Index::axis(add(nameOf(d), count, Axis::Kind::Space), stride, phase);
        } else if (!(extent == Dim(1))) {
            position = Index::axis(add(nameOf(d), extent, Axis::Kind::Space));
        }
        m_solution.write.push_back(std::move(position));
    }

    std::string nameOf(std::size_t d) const
    {
        const int axis = m_ways.m_axis[d];
        return axis >= 0 ? axisOf(axis).name : "x" + std::to_string(d);
    }

    std::int64_t strideOf(std::size_t d) const
    {
        const Index &index = m_ways.m_indices[d];
        return std::ranges::find(index.terms, m_ways.m_axis[d], &Index::Term::axis)
            ->coefficient.value();
    }

    /// The axes that no dimension determines.
    void addReductions()
    {
        for (std::size_t d = 0; d < m_ways.m_shape.size(); ++d)
            if (m_ways.m_ways[d] == Way::Phase)
                addTaps(d);
        for (std::size_t a = 0; a < m_images.size(); ++a) {
            if (m_images[a] || m_ways.isSolved(int(a)))
                continue;
            const Axis &axis = m_scatter.axes[a];
            m_images[a] = runsOnce(axis)
                              ? Index::constant(0)
                              : Index::axis(add(axis.name, axis.extent, Axis::Kind::Reduce));
        }
    }

    /// Of s * h + d * r + offset = s * q + phase: the r that leave the right remainder by s.
    void addTaps(std::size_t d)
    {
        const Index &index = m_ways.m_indices[d];
        const auto &other = index.terms[index.terms[0].axis == m_ways.m_axis[d] ? 1 : 0];
        const std::int64_t stride = strideOf(d), dilation = other.coefficient.value();
        const std::int64_t extent = axisOf(other.axis).extent.value();
        const std::int64_t step = stride / std::gcd(stride, dilation);
        const std::int64_t rest = m_phases[d] - index.offset.value();
        std::int64_t first = 0;
        while (first < step && (rest - dilation * first) % stride != 0)
            ++first;
        const std::int64_t taps =
            first < step && first < extent ? (extent - first + step - 1) / step : 0;
        m_solution.isEmpty = m_solution.isEmpty || taps == 0;
        Index image = Index::constant(first);
        if (taps > 1)
            image =
                Index::axis(add(axisOf(other.axis).name, taps, Axis::Kind::Reduce), step, first);
        m_images[std::size_t(other.axis)] = image;
        // h = q + (phase - offset - d * first) / s - t * d * step / s
        Index position = m_solution.write[d];
        position.terms[0].coefficient = 1;
        position.offset = (rest - dilation * first) / stride;
        image.offset = 0;
        for (Index::Term &term : image.terms)
            term.coefficient = -dilation * step / stride;
        m_images[std::size_t(m_ways.m_axis[d])] = plus(std::move(position), image);
    }

    void solve(std::size_t d)
    {
        switch (m_ways.m_ways[d]) {
        case Way::Digits:
            return addDigits(
                d, plus(m_solution.write[d], Index::constant(Dim(0) - m_ways.m_indices[d].offset)));
        case Way::Decoded:
            return decode();
        case Way::Shift:
        case Way::Divided:
            return divide(d);
        case Way::Table:
            return list(d);
        case Way::Match:
            m_solution.matches.emplace_back(m_solution.write[d], int(d));
            return;
        default:
            return;
        }
    }

    /// The axes as the digits of a number; the outermost one takes what is beyond.
    void addDigits(std::size_t d, const Index &number, const Index *terms = nullptr)
    {
        const Index &index = terms ? *terms : m_ways.m_indices[d];
        const auto factors = factorsOf(index, m_scatter.axes);
        for (const int axis : factors) {
            Index image = number;
            image.divide = std::ranges::find(index.terms, axis, &Index::Term::axis)->coefficient;
            if (axis != factors.front())
                image.modulo = axisOf(axis).extent;
            m_images[std::size_t(axis)] = std::move(image);
        }
    }

    void decode()
    {
        if (m_decoded)
            return;
        m_decoded = true;
        Index number = Index::constant(0);
        Dim place = 1;
        for (std::size_t d = m_ways.m_shape.size(); d-- > 0;)
            if (m_ways.m_ways[d] == Way::Decoded) {
                number = plus(std::move(number), scaled(m_solution.write[d], place));
                place *= m_ways.m_shape[d];
            }
        addDigits(0, number, &m_ways.m_position);
    }

    /// c * a + rest = x: a = (x - rest) / c.
    void divide(std::size_t d)
    {
        const Index &index = m_ways.m_indices[d];
        const int solved = m_ways.m_axis[d];
        Index rest = Index::constant(index.offset);
        Dim coefficient = 1;
        for (const Index::Term &term : index.terms)
            if (term.axis == solved)
                coefficient = term.coefficient;
            else
                rest = plus(std::move(rest),
                            scaled(*m_images[std::size_t(term.axis)], term.coefficient));
        Index image = plus(m_solution.write[d], scaled(std::move(rest), -1));
        if (coefficient.value() < 0)
            image = scaled(std::move(image), -1);
        image.divide = std::abs(coefficient.value());
        if (m_ways.m_ways[d] == Way::Divided) {
            Index remainder = image;
            remainder.divide = 1;
            remainder.modulo = image.divide;
            m_solution.conditions.push_back(
                Expr::binary(Fn::Equal, exprOf(remainder), Expr::integer(0)));
        }
        m_images[std::size_t(solved)] = std::move(image);
    }

    /// Lists which points go to each element.
    void list(std::size_t d)
    {
        const Index &index = m_ways.m_indices[d];
        const std::int64_t extent = m_ways.m_shape[d].value();
        std::vector<std::vector<std::vector<std::int64_t>>> points{std::size_t(extent)};
        std::vector<std::int64_t> at(index.terms.size(), 0);
        forEachPoint(index, at, 0, [&] {
            if (const auto place = placed(valueAt(index, at), m_scatter.outside, extent))
                points[std::size_t(*place)].push_back(at);
        });
        std::size_t most = 0;
        for (const auto &list : points)
            most = std::max(most, list.size());
        m_solution.isEmpty = m_solution.isEmpty || most == 0;
        if (most == 0)
            return;
        Index entry = scaled(m_solution.write[d], std::int64_t(most));
        if (most > 1)
            entry = plus(
                std::move(entry),
                Index::axis(add("t" + std::to_string(d), std::int64_t(most), Axis::Kind::Reduce)));
        const auto column = [&](auto value) {
            std::vector<std::int64_t> values;
            for (const auto &list : points)
                for (std::size_t k = 0; k < most; ++k)
                    values.push_back(k < list.size() ? value(list[k]) : 0);
            Index listed = entry;
            listed.table = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
            return listed;
        };
        for (std::size_t t = 0; t < index.terms.size(); ++t)
            m_images[std::size_t(index.terms[t].axis)] =
                column([t](const auto &point) { return point[t]; });
        if (std::ranges::any_of(points, [&](const auto &list) { return list.size() < most; }))
            m_solution.conditions.push_back(Expr::binary(
                Fn::Equal, exprOf(column([](const auto &) { return 1; })), Expr::integer(1)));
    }

    template <class Visit>
    void forEachPoint(const Index &index, std::vector<std::int64_t> &at, std::size_t term,
                      const Visit &visit) const
    {
        if (term == index.terms.size()) {
            visit();
            return;
        }
        const std::int64_t extent = axisOf(index.terms[term].axis).extent.value();
        for (at[term] = 0; at[term] < extent; ++at[term])
            forEachPoint(index, at, term + 1, visit);
    }

    static std::int64_t valueAt(const Index &index, const std::vector<std::int64_t> &at)
    {
        Dim value = index.offset;
        for (std::size_t t = 0; t < at.size(); ++t)
            value += index.terms[t].coefficient * Dim(at[t]);
        value = Dim::floorDiv(value, index.divide);
        if (!(index.modulo == Dim(0)))
            value = Dim::mod(value, index.modulo);
        return index.table ? (*index.table)[std::size_t(value.value())] : value.value();
    }

    const ScatterAxes &m_ways;
    const Scatter &m_scatter;
    const std::vector<std::int64_t> &m_phases;
    Solution m_solution;
    std::vector<std::optional<Index>> m_images;
    std::set<int> m_direct;
    bool m_decoded = false;
};

std::vector<Solution> ScatterAxes::solutions() const
{
    std::vector<Solution> found;
    std::vector<std::int64_t> phases(m_shape.size(), 0);
    const std::function<void(std::size_t)> combine = [&](std::size_t d) {
        if (d == m_shape.size()) {
            found.push_back(SolutionBuilder(*this, phases).build());
            return;
        }
        const auto term = std::ranges::find(m_indices[d].terms, m_axis[d], &Index::Term::axis);
        const std::int64_t count = m_ways[d] == Way::Phase ? term->coefficient.value() : 1;
        for (phases[d] = 0; phases[d] < count; ++phases[d])
            combine(d + 1);
        phases[d] = 0;
    };
    combine(0);
    return found;
}

} // namespace graphloom
