// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/index_edit.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/scatter_axes.h"

#include <algorithm>
#include <numeric>

/// Solves the target of a scatter for its axes with the chosen methods.
namespace graphloom {

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

    /// Adds the axes over a dimension of the target.
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

    /// Adds the axes that no dimension determines.
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

    /// For s * h + d * r + offset = s * q + phase, adds the r with the right remainder by s.
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

    /// Sets the axes to the digits of a number; the outermost one takes the excess.
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

    /// Solves c * a + rest = x: a = (x - rest) / c.
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

    /// Lists the points that contribute to each element.
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
