// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/entries/entries.h"

#include <algorithm>
#include <array>
#include <optional>

/// Operators that keep the elements and their row-major order, and change the shape.
namespace graphloom::entries {

namespace {

/// Copies input 0 from one shape to another with the same elements in row-major order. The axes
/// are the finest common refinement of both shapes' dimensions, so that both maps are affine:
/// [12,64] -> [768] is axes i < 12, j < 64 from x[i,j] to y[64*i+j]. Runs of dimensions without
/// a refinement ([6,4] -> [4,6]) are read by division and remainder of the position in the run.
Stage reshapeStage(const Call &call, const Shape &from, const Shape &to)
{
    Stage stage;
    constexpr std::string_view letters = "ijklmpqtuvwabcdefgh";
    const auto add = [&](const Dim &extent) {
        const std::size_t n = stage.axes.size();
        stage.axes.push_back(
            {n < letters.size() ? std::string(1, letters[n]) : "a" + std::to_string(n), extent,
             Axis::Kind::Space});
        return int(n);
    };
    IndexMap read(from.size()), write(to.size());
    // Extents left of the dimensions being matched, outermost factors first.
    std::size_t i = 0, j = 0;
    Dim left = 1, right = 1;
    bool inRead = false, inWrite = false; // a dimension has been opened
    const auto append = [](Index &index, int axis, const Dim &extent) {
        for (auto &term : index.terms)
            term.coefficient *= extent; // earlier factors are further out
        index.terms.push_back({axis, 1});
    };
    const auto divides = [](const Dim &a, const Dim &b) { return Dim::mod(a, b) == Dim(0); };
    while (true) {
        if (!inRead && i < from.size()) {
            left = from[i];
            inRead = true;
        }
        if (!inWrite && j < to.size()) {
            right = to[j];
            inWrite = true;
        }
        if (!inRead && !inWrite)
            break;
        // Extents of one have no axis; they close by themselves.
        if (inRead && left == Dim(1)) {
            inRead = false;
            ++i;
            continue;
        }
        if (inWrite && right == Dim(1)) {
            inWrite = false;
            ++j;
            continue;
        }
        if (!inRead || !inWrite)
            break; // element counts differ; the caller has checked that they do not
        if (left == right || divides(left, right) || divides(right, left)) {
            const Dim extent = left == right || divides(right, left) ? left : right;
            const int axis = add(extent);
            append(read[i], axis, extent);
            append(write[j], axis, extent);
            left = extent == Dim(0) ? Dim(1) : Dim::floorDiv(left, extent);
            right = extent == Dim(0) ? Dim(1) : Dim::floorDiv(right, extent);
            continue;
        }
        // No common factor: take dimensions until both runs hold the same number of elements.
        const std::size_t firstRead = i, firstWrite = j;
        const Dim openLeft = left, openRight = right;
        std::size_t endRead = i + 1, endWrite = j + 1;
        while (!(left == right) && (endRead < from.size() || endWrite < to.size())) {
            const auto difference = (left - right).constant();
            if (endRead < from.size() && (endWrite == to.size() || (difference && *difference < 0)))
                left *= from[endRead++];
            else
                right *= to[endWrite++];
        }
        Index position; // row-major position within the run, over the written dimensions
        for (std::size_t d = firstWrite; d < endWrite; ++d) {
            const Dim extent = d == firstWrite ? openRight : to[d];
            const int axis = add(extent);
            append(write[d], axis, extent);
            append(position, axis, extent);
        }
        Dim stride = 1;
        for (std::size_t d = endRead; d-- > firstRead;) {
            Index index = position;
            index.divide = stride;
            const Dim extent = d == firstRead ? openLeft : from[d];
            index.modulo = d == firstRead ? Dim(0) : extent;
            // Factors of this dimension that were matched before are further out.
            if (d == firstRead && !read[d].terms.empty()) {
                // value = outer * openLeft + floor(position / stride): one division over both.
                Index merged = read[d];
                for (auto &term : merged.terms)
                    term.coefficient *= openLeft * stride;
                merged.terms.insert(merged.terms.end(), position.terms.begin(),
                                    position.terms.end());
                merged.divide = stride;
                index = std::move(merged);
            }
            read[d] = std::move(index);
            stride *= extent;
        }
        i = endRead;
        j = endWrite;
        inRead = inWrite = false;
    }
    stage.reads = {build::readInput(0, std::move(read))};
    stage.write = std::move(write);
    stage.body = Expr::load(0, call.type(0));
    return stage;
}

Result<Description> reshapeTo(const Call &call, const Shape &to)
{
    const Dim difference = elementsOf(call.shape(0)) - elementsOf(to);
    if (difference.constant().value_or(0) != 0)
        return call.refuse("cannot reshape " + text(call.shape(0)) + " to " + text(to) +
                           ": the number of elements differs");
    if (!(difference == Dim(0)))
        return build::opaque("that shape " + text(to) + " holds the elements of " +
                                 text(call.shape(0)) + " is known only while the model runs",
                             {{call.type(0), to, {}}});
    return build::single(call.type(0), reshapeStage(call, call.shape(0), to));
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
                                   " is to be copied from an input of rank " +
                                   std::to_string(call.rank(0)));
            extent = call.shape(0)[d];
        }
        if (extent == Dim(-1)) {
            if (inferred >= 0)
                return call.refuse("more than one dimension is to be inferred");
            inferred = int(d);
            extent = 1;
        }
        to.push_back(extent);
    }
    if (inferred >= 0) {
        const Dim total = elementsOf(call.shape(0)), rest = elementsOf(to);
        if (rest == Dim(0) || !(Dim::mod(total, rest).constant().value_or(0) == 0))
            return call.refuse("cannot reshape " + text(call.shape(0)) +
                               " so that the rest holds " + rest.text() + " elements");
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

/// Of dimensions that are removed or inserted where only the running model tells.
Description withUnknownAxes(const Call &call, std::optional<std::size_t> rank)
{
    Value value{call.type(0), std::nullopt, {}};
    if (rank)
        value.shape = Shape(*rank, build::unknownExtent());
    return build::opaque("its axes are computed while the model runs", {std::move(value)});
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
            "that the removed dimensions have extent 1 is known only while the model runs",
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
