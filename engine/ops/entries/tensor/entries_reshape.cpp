// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <algorithm>
#include <array>
#include <optional>

/// Operators that keep the elements and their row-major order, and change the shape.
namespace graphloom::entries {

namespace {

/// Matches the dimensions of two shapes with the same elements in row-major order. The axes are the
/// finest common refinement of both shapes' dimensions, so that both maps are affine:
/// [12,64] -> [768] is axes i < 12, j < 64 from x[i,j] to y[64*i+j]. Runs of dimensions without
/// a refinement ([6,4] -> [4,6]) are read by division and remainder of the position in the run.
class CommonRefinement {
public:
    CommonRefinement(const Shape &from, const Shape &to) : m_read(from), m_write(to) { match(); }

    /// Returns a stage that copies input 0 from one shape to the other.
    Stage copyStage(DataType type) &&
    {
        Stage stage;
        stage.axes = std::move(m_axes);
        stage.reads = {build::readInput(0, std::move(m_read.map))};
        stage.write = std::move(m_write.map);
        stage.body = Expr::load(0, type);
        return stage;
    }

private:
    /// Visits the dimensions of one of the shapes, outermost first.
    struct Side {
        explicit Side(const Shape &extents) : shape(extents), map(extents.size()) {}

        /// Opens dimensions until one has factors to match; extents of one have no axis. Returns
        /// false behind the last one.
        bool advance()
        {
            while (left == Dim(1) && opened < shape.size())
                left = shape[opened++];
            return !(left == Dim(1));
        }
        /// Splits the outermost factor from the opened dimension.
        void split(int axis, const Dim &factor)
        {
            append(map[opened - 1], axis, factor);
            left = factor == Dim(0) ? Dim(1) : Dim::floorDiv(left, factor);
        }

        const Shape &shape;
        IndexMap map;
        std::size_t opened = 0; // dimensions
        Dim left = 1;           // the remaining extent of the last of them
    };

    static bool isMultiple(const Dim &a, const Dim &b) { return Dim::mod(a, b) == Dim(0); }

    static void append(Index &index, int axis, const Dim &extent)
    {
        for (auto &term : index.terms)
            term.coefficient *= extent; // earlier factors are further out
        index.terms.push_back({axis, 1});
    }

    int addAxis(const Dim &extent)
    {
        constexpr std::string_view letters = "ijklmpqtuvwabcdefgh";
        const std::size_t n = m_axes.size();
        m_axes.push_back({n < letters.size() ? std::string(1, letters[n]) : "a" + std::to_string(n),
                          extent, Axis::Kind::Space});
        return int(n);
    }

    void match()
    {
        // Both sides end together unless there are no elements: the caller has checked their
        // counts.
        while (m_read.advance() && m_write.advance()) {
            const Dim &left = m_read.left, &right = m_write.left;
            const bool equal = left == right;
            if (equal || isMultiple(left, right) || isMultiple(right, left)) {
                const Dim factor = equal || isMultiple(right, left) ? left : right;
                const int axis = addAxis(factor);
                m_read.split(axis, factor);
                m_write.split(axis, factor);
            } else {
                matchRun();
            }
        }
    }

    /// Takes dimensions without a common factor until both runs hold the same number of elements.
    void matchRun()
    {
        const std::size_t firstRead = m_read.opened - 1, firstWrite = m_write.opened - 1;
        const Dim openRead = m_read.left, openWrite = m_write.left;
        const std::size_t endRead = m_read.shape.size(), endWrite = m_write.shape.size();
        while (!(m_read.left == m_write.left) &&
               (m_read.opened < endRead || m_write.opened < endWrite)) {
            const auto difference = (m_read.left - m_write.left).constant();
            const bool isBehind = m_write.opened == endWrite || (difference && *difference < 0);
            Side &shorter = m_read.opened < endRead && isBehind ? m_read : m_write;
            shorter.left *= shorter.shape[shorter.opened++];
        }
        readRun(firstRead, openRead, writeRun(firstWrite, openWrite));
        m_read.left = m_write.left = 1;
    }

    /// Adds axes over the written dimensions of a run, and returns the row-major position in it.
    Index writeRun(std::size_t first, const Dim &open)
    {
        Index position;
        for (std::size_t d = first; d < m_write.opened; ++d) {
            const Dim &extent = d == first ? open : m_write.shape[d];
            const int axis = addAxis(extent);
            append(m_write.map[d], axis, extent);
            append(position, axis, extent);
        }
        return position;
    }

    void readRun(std::size_t first, const Dim &open, const Index &position)
    {
        Dim stride = 1;
        for (std::size_t d = m_read.opened; d-- > first;) {
            const Dim extent = d == first ? open : m_read.shape[d];
            Index &index = m_read.map[d];
            // Factors of the first dimension that were matched before are further out:
            // value = outer * open + floor(position / stride), by one division over both.
            for (auto &term : index.terms)
                term.coefficient *= extent * stride;
            index.terms.insert(index.terms.end(), position.terms.begin(), position.terms.end());
            index.divide = stride;
            index.modulo = d == first ? Dim(0) : extent;
            stride *= extent;
        }
    }

    Side m_read, m_write;
    std::vector<Axis> m_axes;
};

Result<Description> reshapeTo(const Call &call, const Shape &to)
{
    const Dim difference = elementsOf(call.shape(0)) - elementsOf(to);
    if (difference.constant().value_or(0) != 0)
        return call.refuse("cannot reshape " + text(call.shape(0)) + " to " + text(to) +
                           ": the number of elements differs");
    if (!(difference == Dim(0)))
        return build::opaque("whether shape " + text(to) + " holds the elements of " +
                                 text(call.shape(0)) + " is known only at run time",
                             {{call.type(0), to, {}}});
    return build::single(call.type(0), CommonRefinement(call.shape(0), to).copyStage(call.type(0)));
}

Result<Description> reshape(const Call &call)
{
    const auto wanted = call.values(1);
    if (!wanted)
        return build::unknownShape(call, 1, call.type(0));
    const bool allowZero = call.attributes().integer("allowzero", 0) != 0;
    Shape to;
    int inferred = -1;
    for (std::size_t d = 0; d < wanted->size(); ++d) {
        Dim extent = (*wanted)[d];
        if (extent == Dim(0) && !allowZero) {
            if (d >= call.rank(0))
                return call.refuse("dimension " + std::to_string(d) +
                                   " cannot be copied from an input of rank " +
                                   std::to_string(call.rank(0)));
            extent = call.shape(0)[d];
        }
        if (extent == Dim(-1)) {
            if (inferred >= 0)
                return call.refuse("at most one dimension can be inferred");
            inferred = int(d);
            extent = 1;
        }
        to.push_back(extent);
    }
    if (inferred >= 0) {
        const Dim total = elementsOf(call.shape(0)), rest = elementsOf(to);
        if (rest == Dim(0) || !(Dim::mod(total, rest).constant().value_or(0) == 0))
            return call.refuse("cannot reshape " + text(call.shape(0)) +
                               ": the other dimensions hold " + rest.text() + " elements");
        to[std::size_t(inferred)] = Dim::floorDiv(total, rest);
    }
    return reshapeTo(call, to);
}

Result<Description> flatten(const Call &call)
{
    const std::int64_t rank = std::int64_t(call.rank(0));
    std::int64_t axis = call.attributes().integer("axis", 1);
    if (axis < -rank || axis > rank)
        return call.refuse("axis " + std::to_string(axis) + " is out of range for rank " +
                           std::to_string(rank));
    axis += axis < 0 ? rank : 0;
    const Shape &x = call.shape(0);
    return reshapeTo(call, {elementsOf(Shape(x.begin(), x.begin() + axis)),
                            elementsOf(Shape(x.begin() + axis, x.end()))});
}

/// Describes the removal or insertion of dimensions that are known only at run time.
Description withUnknownAxes(const Call &call, std::optional<std::size_t> rank)
{
    Value value{call.type(0), std::nullopt, {}};
    if (rank)
        value.shape = Shape(*rank, build::unknownExtent());
    return build::opaque("its axes are computed at run time", {std::move(value)});
}

Result<Description> squeeze(const Call &call)
{
    if (build::hasUnknownAxes(call, 1)) {
        const auto removed = build::lengthOf(call, 1);
        return withUnknownAxes(call, removed && *removed <= call.rank(0)
                                         ? std::optional(call.rank(0) - *removed)
                                         : std::nullopt);
    }
    GL_TRY_CONST(axes, build::axesOf(call, 1, call.rank(0)));
    Shape to;
    for (std::size_t d = 0; d < call.rank(0); ++d) {
        const Dim &extent = call.shape(0)[d];
        const bool named = *axes && std::ranges::find(**axes, int(d)) != (**axes).end();
        if (named && extent.constant().value_or(1) != 1)
            return call.refuse("cannot remove dimension " + std::to_string(d) + " of extent " +
                               extent.text());
        if (!named && !(!*axes && extent == Dim(1)))
            to.push_back(extent);
    }
    if (!(elementsOf(to) == elementsOf(call.shape(0)))) // a symbol that must be 1
        return build::opaque(
            "whether the removed dimensions have extent 1 is known only at run time",
            {{call.type(0), to, {}}});
    return reshapeTo(call, to);
}

Result<Description> unsqueeze(const Call &call)
{
    if (build::hasUnknownAxes(call, 1)) {
        const auto added = build::lengthOf(call, 1);
        return withUnknownAxes(call, added ? std::optional(call.rank(0) + *added) : std::nullopt);
    }
    const std::size_t rank = call.rank(0) + call.integers(1)->size();
    GL_TRY_CONST(axes, build::axesOf(call, 1, rank));
    Shape to;
    for (std::size_t d = 0, source = 0; d < rank; ++d)
        to.push_back(std::ranges::find(**axes, int(d)) != (**axes).end() ? Dim(1)
                                                                         : call.shape(0)[source++]);
    return reshapeTo(call, to);
}

constexpr std::array reshapeEntries{
    Operator{"", "Flatten", 1, 1, 1, 1, flatten}.like("[2,8,6,6]"),
    Operator{"", "Reshape", 5, 2, 2, 1, reshape}.like("[2,8,6,6] (2,8,-1)").shapedBy(1),
    Operator{"", "Squeeze", 13, 1, 2, 1, squeeze}.like("[2,8,1,1] (2,3)"),
    Operator{"", "Unsqueeze", 13, 2, 2, 1, unsqueeze}.like("[2,8] (2,3)"),
};

} // namespace

std::span<const Operator> reshaping()
{
    return reshapeEntries;
}

} // namespace graphloom::entries
