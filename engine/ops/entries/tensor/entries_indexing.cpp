// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/gradient/adjoint_builder.h"

#include <algorithm>
#include <array>

/// Operators that read or write at positions in other tensors, or that depend on positions only.
namespace graphloom::entries {

namespace {

/// Returns the value of the stage's read `number` as an index.
Index lookedUp(int number)
{
    Index index = Index::constant(0);
    index.lookup = number;
    return index;
}

Result<void> checkIndices(const Call &call, std::size_t input)
{
    if (call.type(input) == DataType::Int32 || call.type(input) == DataType::Int64)
        return {};
    return call.refuse("its indices must be int32 or int64, not " +
                       std::string(nameOf(call.type(input))));
}

/// Do the indices have the input's rank and, except along the axis, extents no larger than its own?
bool coversWithin(const Shape &indices, const Shape &x, int axis)
{
    bool fits = indices.size() == x.size();
    for (std::size_t d = 0; fits && d < x.size(); ++d)
        fits = int(d) == axis || (x[d] - indices[d]).constant().value_or(0) >= 0;
    return fits;
}

/// y[i…] = x[i…] with the index along the axis replaced by indices[i…].
Result<Description> gatherElements(const Call &call)
{
    const Shape &x = call.shape(0), &indices = call.shape(1);
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", 0), x.size()));
    GL_TRY(checkIndices(call, 1));
    if (!coversWithin(indices, x, *axis))
        return call.refuse("its indices of shape " + text(indices) +
                           " do not match its input of shape " + text(x));
    Stage stage;
    stage.axes = build::spaceAxes(indices);
    IndexMap from = build::identityMap(x.size());
    from[std::size_t(*axis)] = lookedUp(1);
    stage.reads = {build::readInput(0, std::move(from)),
                   build::readInput(1, build::identityMap(x.size()))};
    stage.write = build::identityMap(x.size());
    stage.body = Expr::load(0, call.type(0));
    return build::single(call.type(0), std::move(stage));
}

/// Adds the reads of index tuples to a stage and returns the looked-up indices. The parts of a
/// tuple are the last dimension of input 1; the other dimensions of input 1 are the stage's first
/// axes.
IndexMap addTuples(Stage &stage, std::size_t indexRank, std::int64_t parts)
{
    IndexMap tuple;
    for (std::int64_t part = 0; part < parts; ++part) {
        IndexMap map = build::identityMap(indexRank - 1);
        map.push_back(Index::constant(part));
        tuple.push_back(lookedUp(int(stage.reads.size())));
        stage.reads.push_back(build::readInput(1, std::move(map)));
    }
    return tuple;
}

/// Returns the number of parts of each index tuple, if it is known.
Result<std::optional<std::int64_t>> tupleLength(const Call &call, std::size_t most)
{
    if (call.rank(1) == 0)
        return call.refuse("its indices must have a dimension for the index tuples");
    GL_TRY(checkIndices(call, 1));
    const auto parts = call.shape(1).back().constant();
    if (parts && (*parts < 0 || *parts > std::int64_t(most)))
        return call.refuse("its indices of shape " + text(call.shape(1)) +
                           " have more components than its input of shape " + text(call.shape(0)) +
                           " has dimensions to index");
    return parts;
}

/// y[b…, i…, rest…] = x[b…, tuple of indices[b…, i…]…, rest…].
Result<Description> gatherNd(const Call &call)
{
    const Shape &x = call.shape(0), &indices = call.shape(1);
    const std::int64_t given = call.attributes().integer("batch_dims", 0);
    if (given < 0 || given >= std::int64_t(std::min(x.size(), indices.size())))
        return call.refuse("batch_dims " + std::to_string(given) +
                           " does not match inputs of shapes " + text(x) + " and " + text(indices));
    const auto batch = std::size_t(given);
    for (std::size_t d = 0; d < batch; ++d)
        if (contradict(x[d], indices[d]))
            return call.refuse("its inputs of shapes " + text(x) + " and " + text(indices) +
                               " differ in a batch dimension");
    GL_TRY_CONST(parts, tupleLength(call, x.size() - batch));
    if (!*parts)
        return build::opaque("the length of its index tuples is known only at run time",
                             {{call.type(0), std::nullopt, {}}});
    Shape to(indices.begin(), indices.end() - 1);
    const std::size_t tuples = to.size(), skipped = batch + std::size_t(**parts);
    to.insert(to.end(), x.begin() + std::ptrdiff_t(skipped), x.end());
    Stage stage;
    stage.axes = build::spaceAxes(to);
    stage.reads.push_back(build::readInput(0, {}));
    IndexMap from = build::identityMap(batch);
    for (Index &index : addTuples(stage, indices.size(), **parts))
        from.push_back(std::move(index));
    for (std::size_t d = tuples; d < to.size(); ++d)
        from.push_back(Index::axis(int(d)));
    stage.reads[0].map = std::move(from);
    stage.write = build::identityMap(to.size());
    stage.body = Expr::load(0, call.type(0));
    return build::single(call.type(0), std::move(stage));
}

/// Describes a copy of input 0, into which other stages write.
Description copyOfData(const Call &call)
{
    Stage copy;
    copy.name = "copy";
    copy.axes = build::spaceAxes(call.shape(0));
    copy.reads = {build::readInput(0, build::identityMap(call.rank(0)))};
    copy.write = build::identityMap(call.rank(0));
    copy.body = Expr::load(0, call.type(0));
    return build::single(call.type(0), std::move(copy));
}

/// Returns the update, or its combination with the present element. Points run in row-major order,
/// so the last of several updates of one element wins.
Result<Expr> updated(const Call &call, Stage &stage, int update)
{
    const std::string reduction = call.attributes().text("reduction", "none");
    const Expr value = Expr::load(update, call.type(2));
    if (reduction == "none")
        return value;
    const std::pair<std::string_view, Fn> functions[] = {
        {"add", Fn::Add}, {"mul", Fn::Mul}, {"max", Fn::Max}, {"min", Fn::Min}};
    const auto known =
        std::ranges::find(functions, reduction, &std::pair<std::string_view, Fn>::first);
    if (known == std::end(functions))
        return call.refuse("reduction \"" + reduction + "\" is not none, add, mul, max or min");
    if (call.type(0) == DataType::String)
        return call.refuse("cannot reduce strings");
    const int present = int(stage.reads.size());
    stage.reads.push_back(build::readValue(0, stage.write));
    return Expr::binary(known->second, Expr::load(present, call.type(0)), value);
}

Result<void> checkUpdates(const Call &call)
{
    if (call.type(2) == call.type(0))
        return {};
    return call.refuse("its updates are " + std::string(nameOf(call.type(2))) +
                       ", but its input is " + std::string(nameOf(call.type(0))));
}

Result<Description> scatterElements(const Call &call)
{
    const Shape &x = call.shape(0), &indices = call.shape(1), &updates = call.shape(2);
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", 0), x.size()));
    bool fits = coversWithin(indices, x, *axis) && updates.size() == indices.size();
    for (std::size_t d = 0; fits && d < indices.size(); ++d)
        fits = !contradict(indices[d], updates[d]);
    if (!fits)
        return call.refuse("its indices of shape " + text(indices) + " and updates of shape " +
                           text(updates) + " do not match its input of shape " + text(x));
    for (const auto &check : {checkIndices(call, 1), checkUpdates(call)})
        if (!check)
            return tl::unexpected(check.error());
    Description description = copyOfData(call);
    Stage stage;
    stage.name = "scatter";
    stage.axes = build::spaceAxes(indices);
    stage.reads = {build::readInput(1, build::identityMap(x.size())),
                   build::readInput(2, build::identityMap(x.size()))};
    stage.write = build::identityMap(x.size());
    stage.write[std::size_t(*axis)] = lookedUp(0);
    GL_TRY_RESULT(body, updated(call, stage, 1));
    stage.body = std::move(*body);
    description.stages.push_back(std::move(stage));
    return description;
}

Result<Description> scatterNd(const Call &call)
{
    const Shape &x = call.shape(0), &indices = call.shape(1), &updates = call.shape(2);
    GL_TRY_CONST(parts, tupleLength(call, x.size()));
    GL_TRY(checkUpdates(call));
    if (!*parts)
        return build::opaque("the length of its index tuples is known only at run time",
                             {{call.type(0), x, {}}});
    Shape needed(indices.begin(), indices.end() - 1);
    const std::size_t tuples = needed.size();
    needed.insert(needed.end(), x.begin() + **parts, x.end());
    bool fits = needed.size() == updates.size();
    for (std::size_t d = 0; fits && d < needed.size(); ++d)
        fits = !contradict(needed[d], updates[d]);
    if (!fits)
        return call.refuse("its updates have shape " + text(updates) + "; expected " +
                           text(needed));
    Description description = copyOfData(call);
    Stage stage;
    stage.name = "scatter";
    stage.axes = build::spaceAxes(needed);
    stage.write = addTuples(stage, indices.size(), **parts);
    for (std::size_t d = tuples; d < needed.size(); ++d)
        stage.write.push_back(Index::axis(int(d)));
    const int update = int(stage.reads.size());
    stage.reads.push_back(build::readInput(2, build::identityMap(needed.size())));
    GL_TRY_RESULT(body, updated(call, stage, update));
    stage.body = std::move(*body);
    description.stages.push_back(std::move(stage));
    return description;
}

/// y[…, d, …] = on where the index is d, else off, along a new dimension of the given depth.
Result<Description> oneHot(const Call &call)
{
    if (call.rank(2) != 1 || contradict(call.shape(2)[0], 2))
        return call.refuse("its values must have shape 2, not " + text(call.shape(2)));
    if (!(elementsOf(call.shape(1)).constant().value_or(1) == 1))
        return call.refuse("its depth must be a single number");
    if (call.type(0) == DataType::String || call.type(1) == DataType::String)
        return call.refuse("its indices and depth must be numbers");
    const std::size_t rank = call.rank(0) + 1;
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", -1), rank));
    Shape to = call.shape(0);
    std::optional<Dim> depth;
    if (const auto known = call.values(1))
        depth = (*known)[0];
    else if (const auto real = call.reals(1); real && real->front() >= 0 && real->front() < 1e15)
        depth = std::int64_t(real->front());
    to.insert(to.begin() + *axis, depth.value_or(build::unknownExtent()));
    if (!depth)
        return build::opaque("its depth is computed at run time",
                             {{call.type(2), std::move(to), {}}});
    Stage stage;
    stage.axes = build::spaceAxes(to);
    IndexMap from;
    for (int d = 0; d < int(rank); ++d)
        if (d != *axis)
            from.push_back(Index::axis(d));
    stage.reads = {build::readInput(0, std::move(from)), build::readInput(2, {Index::constant(0)}),
                   build::readInput(2, {Index::constant(1)})};
    stage.write = build::identityMap(rank);
    const Expr zero = Expr::integer(0),
               index = Expr::cast(Expr::load(0, call.type(0)), DataType::Int64);
    const Expr extent = Expr::table({*depth}, zero);
    const Expr fromStart = Expr::select(Expr::binary(Fn::Less, index, zero), index + extent, index);
    stage.body = Expr::select(Expr::binary(Fn::Equal, Expr::axis(*axis), fromStart),
                              Expr::load(2, call.type(2)), Expr::load(1, call.type(2)));
    return build::single(call.type(2), std::move(stage));
}

Expr literal(double value, DataType type)
{
    return isIntegral(type) ? Expr::integer(std::int64_t(value), type) : Expr::real(value, type);
}

Result<Description> eyeLike(const Call &call)
{
    if (call.rank(0) != 2)
        return call.refuse("its input must be a matrix, but has shape " + text(call.shape(0)));
    const auto type = dataTypeFromOnnx(int(call.attributes().integer("dtype", int(call.type(0)))));
    if (!type || !(isFloatingPoint(*type) || isIntegral(*type)))
        return call.refuse("attribute \"dtype\" must be a numeric type");
    Stage stage;
    stage.axes = build::spaceAxes(call.shape(0));
    stage.write = build::identityMap(2);
    const Expr diagonal = Expr::axis(1) - Expr::axis(0);
    const Expr on =
        Expr::binary(Fn::Equal, diagonal, Expr::integer(call.attributes().integer("k", 0)));
    stage.body = Expr::select(on, literal(1, *type), literal(0, *type));
    return build::single(*type, std::move(stage));
}

/// Keeps the elements on, and above or below, the diagonal that input 1 selects.
Result<Description> trilu(const Call &call)
{
    const std::size_t rank = call.rank(0);
    if (rank < 2)
        return call.refuse("its input must be matrices, but has shape " + text(call.shape(0)));
    Stage stage;
    stage.axes = build::spaceAxes(call.shape(0));
    stage.reads = {build::readInput(0, build::identityMap(rank))};
    stage.write = build::identityMap(rank);
    Expr diagonal = Expr::integer(0);
    if (call.has(1)) {
        if (elementsOf(call.shape(1)).constant().value_or(1) != 1)
            return call.refuse("its diagonal must be a single number");
        stage.reads.push_back(build::readInput(1, IndexMap(call.rank(1), Index::constant(0))));
        diagonal = Expr::load(1, call.type(1));
    }
    const Expr here = Expr::axis(int(rank) - 1) - Expr::axis(int(rank) - 2);
    const bool upper = call.attributes().integer("upper", 1) != 0;
    stage.body = Expr::select(
        Expr::binary(Fn::LessOrEqual, upper ? diagonal : here, upper ? here : diagonal),
        Expr::load(0, call.type(0)), literal(0, call.type(0)));
    return build::single(call.type(0), std::move(stage));
}

/// Reverses the first length[b] elements of each sequence.
Result<Description> reverseSequence(const Call &call)
{
    const std::int64_t batch = call.attributes().integer("batch_axis", 1);
    const std::int64_t time = call.attributes().integer("time_axis", 0);
    const Shape &x = call.shape(0);
    if (x.size() < 2 || batch + time != 1 || batch * time != 0)
        return call.refuse("its input must have rank 2 or more and begin with batch and time");
    if (call.rank(1) != 1 || contradict(call.shape(1)[0], x[std::size_t(batch)]) ||
        !isIntegral(call.type(1)))
        return call.refuse("its lengths of shape " + text(call.shape(1)) + " do not match the " +
                           x[std::size_t(batch)].text() + " sequences of its input");
    Stage stage;
    stage.axes = build::spaceAxes(x);
    stage.write = build::identityMap(x.size());
    // length[b] - 1 - t, which is not used where it leaves the sequence.
    IndexMap reversed = build::identityMap(x.size());
    Index &index = reversed[std::size_t(time)];
    index = Index::axis(int(time), -1, -1);
    index.lookup = 1;
    stage.reads = {build::readInput(0, std::move(reversed)),
                   build::readInput(1, {Index::axis(int(batch))}),
                   build::readInput(0, build::identityMap(x.size()))};
    stage.reads[0].outside = Read::Outside::Clamp;
    stage.body =
        Expr::select(Expr::binary(Fn::Less, Expr::axis(int(time)), Expr::load(1, call.type(1))),
                     Expr::load(0, call.type(0)), Expr::load(2, call.type(0)));
    return build::single(call.type(0), std::move(stage));
}

/// Reverses the gradients of reversed sequences.
Result<bool> reverseSequenceGradient(AdjointBuilder &builder)
{
    if (!builder.isGiven(0))
        return false;
    Stage stage = builder.description().stages.front();
    for (Read &read : stage.reads)
        if (read.operand == Operand{Operand::Kind::Input, 0})
            read.operand = builder.gradientOf(0);
    stage.value = 0;
    builder.add(std::move(stage));
    return true;
}

constexpr std::array indexingEntries{
    Operator{"", "EyeLike", 9, 1, 1, 1, eyeLike}.like("[8,8]"),
    Operator{"", "GatherElements", 11, 2, 2, 1, gatherElements}.like("[8,6] int64[8,3] axis=1"),
    Operator{"", "GatherND", 11, 2, 2, 1, gatherNd}.like("[8,6,4] int64[3,2]"),
    Operator{"", "OneHot", 9, 3, 3, 1, oneHot}.like("int64[8] (=4) [2]"),
    Operator{"", "ReverseSequence", 10, 2, 2, 1, reverseSequence}
        .like("[8,2,4] int64[2]")
        .withGradient(reverseSequenceGradient),
    Operator{"", "ScatterElements", 11, 3, 3, 1, scatterElements}.like(
        "[8,6] int64[8,3] [8,3] axis=1"),
    Operator{"", "ScatterND", 11, 3, 3, 1, scatterNd}.like("[8,6,4] int64[3,2] [3,4]"),
    Operator{"", "Trilu", 14, 1, 2, 1, trilu}.like("[2,8,8]"),
};

} // namespace

std::span<const Operator> indexing()
{
    return indexingEntries;
}

} // namespace graphloom::entries
