// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/passing.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/index_edit.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/gradient.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// Returns the constant value of an expression, or nothing if it depends on the axes or on data.
/// Inputs that are constants of one element are numbers.
std::optional<double> numberIn(const Expr &expr, const Stage &stage, const Call &call)
{
    switch (expr->fn) {
    case Fn::Real:
        return expr->real;
    case Fn::Integer:
        return double(expr->integer);
    case Fn::Table:
        if (const auto value = expr->table->front().constant(); value && expr->table->size() == 1)
            return double(*value);
        return std::nullopt;
    case Fn::Cast: {
        const auto value = numberIn(expr.argument(0), stage, call);
        const bool holds = value && (isFloatingPoint(expr.type()) || *value == 0 || *value == 1);
        return holds ? value : std::nullopt;
    }
    case Fn::Load: {
        const Read &read = stage.reads[std::size_t(expr->index)];
        const auto input = std::size_t(read.operand.index);
        if (read.operand.kind != Operand::Kind::Input || !call.isConstant(input) ||
            call.type(input) == DataType::String || call.input(input).constant->elements() != 1)
            return std::nullopt;
        return call.input(input).constant->real(0);
    }
    default:
        return std::nullopt;
    }
}

/// The elements that an index reaches, from the first to the last, if it ascends.
struct OffsetRange {
    Dim first, last;
};
std::optional<OffsetRange> reachOf(const Index &index, const std::vector<Axis> &axes)
{
    if (!index.isAffine())
        return std::nullopt;
    OffsetRange reach{index.offset, index.offset};
    for (const auto &term : index.terms) {
        if (runsOnce(axes[std::size_t(term.axis)]))
            continue;
        if (!term.coefficient.isConstant() && !term.coefficient.lowerBound())
            return std::nullopt;
        if (term.coefficient.lowerBound().value_or(-1) < 0)
            return std::nullopt;
        reach.last += term.coefficient * (axes[std::size_t(term.axis)].extent - Dim(1));
    }
    return reach;
}

/// Does the map reach every element of the tensor once, in row-major order of the space axes, and
/// nothing else? Requires a mapping type of Reorganize or below and as many points as elements.
bool reachesAll(const Stage &stage, const Read &read, const Shape &shape)
{
    if (read.map.size() != shape.size())
        return false;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const Index &index = read.map[d];
        if (!index.isAffine()) { // by row-major position, from the first element on
            if (!(index.offset == Dim(0)) || read.outside != Read::Outside::Never)
                return false;
            continue;
        }
        const auto reach = reachOf(index, stage.axes);
        if (!reach || !(reach->first == Dim(0)) || !(reach->last == shape[d] - Dim(1)))
            return false;
    }
    return true;
}

/// Does gathering a single element return it, because the initial value is neutral?
bool gathersOne(const Stage &stage)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (stage.combine) {
    case Combine::None:
        return true;
    case Combine::Sum:
        return stage.initial == 0;
    case Combine::Product:
        return stage.initial == 1;
    case Combine::Max:
        return stage.initial == -infinity;
    case Combine::Min:
        return stage.initial == infinity;
    default:
        return false;
    }
}

/// Removes parts without effect: conversions to the present type, known neutral operands, choices
/// with a known condition, and tests for positions outside a tensor that are always inside.
class Peeling {
public:
    Peeling(const Stage &stage, const Call &call) : m_stage(stage), m_call(call) {}

    Expr peeled(Expr expr) const
    {
        for (;;) {
            const Expr next = without(expr);
            if (next.empty())
                return expr;
            expr = next;
        }
    }

private:
    bool is(const Expr &expr, double value) const
    {
        return numberIn(expr, m_stage, m_call) == value;
    }
    /// Returns the expression without its root, or an empty one if the root has an effect.
    Expr without(const Expr &expr) const
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        switch (expr->fn) {
        case Fn::Cast:
            return kept(expr, 0);
        case Fn::Mul:
            return neutral(expr, 1, true);
        case Fn::Div:
        case Fn::Pow:
            return neutral(expr, 1, false);
        case Fn::Add:
            return neutral(expr, 0, true);
        case Fn::Sub:
            return neutral(expr, 0, false);
        case Fn::Max:
            return neutral(expr, -infinity, true);
        case Fn::Min:
            return neutral(expr, infinity, true);
        case Fn::And:
            return neutral(expr, 1, true);
        case Fn::Or:
            return neutral(expr, 0, true);
        case Fn::Select:
            return chosen(expr);
        default:
            return {};
        }
    }
    Expr neutral(const Expr &expr, double value, bool either) const
    {
        if (is(expr.argument(1), value))
            return kept(expr, 0);
        return either && is(expr.argument(0), value) ? kept(expr, 1) : Expr();
    }
    Expr chosen(const Expr &expr) const
    {
        const Expr condition = expr.argument(0);
        if (const auto known = numberIn(condition, m_stage, m_call))
            return kept(expr, *known != 0 ? 1 : 2);
        if (condition->fn != Fn::Inside)
            return {};
        const Read &read = m_stage.reads[std::size_t(condition->index)];
        const auto input = std::size_t(read.operand.index);
        const bool inside = read.operand.kind == Operand::Kind::Input && m_call.has(input) &&
                            m_call.input(input).shape &&
                            reachesAll(m_stage, read, m_call.shape(input));
        return inside ? kept(expr, 1) : Expr();
    }
    /// Returns the argument, if it has the type of the whole.
    static Expr kept(const Expr &expr, int argument)
    {
        return expr.argument(argument).type() == expr.type() ? expr.argument(argument) : Expr();
    }

    const Stage &m_stage;
    const Call &m_call;
};

/// Returns the read that the stage copies, if it copies one.
const Read *readCopied(const Stage &stage, const Call &call)
{
    const bool gathersMany =
        std::ranges::any_of(stage.axes, [](const Axis &axis) { return isReduction(axis); });
    if (gathersMany || !gathersOne(stage))
        return nullptr;
    const Peeling peeling(stage, call);
    const Expr body = peeling.peeled(stage.body);
    const bool finishes =
        stage.finish.empty() || peeling.peeled(stage.finish)->fn == Fn::Accumulator;
    if (body->fn != Fn::Load || !finishes)
        return nullptr;
    const Read &read = stage.reads[std::size_t(body->index)];
    return read.operand.kind == Operand::Kind::Input ? &read : nullptr;
}

} // namespace

namespace {

/// Returns the only stage that writes the output, or null if there are several.
const Stage *writerOf(const Description &description, int output)
{
    const Stage *writer = nullptr;
    for (const Stage &stage : description.stages)
        if (stage.value == output) {
            if (writer)
                return nullptr;
            writer = &stage;
        }
    return writer;
}

/// Returns the row-major stride in a tensor for each axis, or nothing if a stride is not constant.
std::optional<std::vector<Dim>> strides(const IndexMap &map, const Shape &shape,
                                        const std::vector<Axis> &axes)
{
    std::vector<Dim> result(axes.size(), Dim(0));
    Dim elements = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (!map[d].isAffine())
            return std::nullopt;
        for (const Index::Term &term : map[d].terms)
            if (!runsOnce(axes[std::size_t(term.axis)]))
                result[std::size_t(term.axis)] += term.coefficient * elements;
        elements = elements * shape[d];
    }
    return result;
}

} // namespace

std::optional<int> inputRunHandedOn(const Description &description, const Call &call, int output)
{
    if (description.isOpaque())
        return std::nullopt;
    const auto &value = description.values[std::size_t(output)];
    const Stage *writer = writerOf(description, output);
    const Read *read = writer && value.shape ? readCopied(*writer, call) : nullptr;
    if (!read)
        return std::nullopt;
    const Tensor &given = call.input(std::size_t(read->operand.index));
    if (!given.shape || given.type != value.type || given.shape->size() != read->map.size() ||
        value.shape->size() != writer->write.size())
        return std::nullopt;
    for (std::size_t d = 0; d < read->map.size(); ++d)
        if (!staysWithin(read->map[d], writer->axes, (*given.shape)[d]))
            return std::nullopt;
    const auto from = strides(read->map, *given.shape, writer->axes);
    const auto to = strides(writer->write, *value.shape, writer->axes);
    return from && to && *from == *to ? std::optional(read->operand.index) : std::nullopt;
}

std::optional<int> inputHandedOn(const Description &description, const Call &call, int output)
{
    if (description.isOpaque())
        return std::nullopt;
    const Stage *writer = writerOf(description, output);
    const auto &value = description.values[std::size_t(output)];
    const Read *read = writer && value.shape ? readCopied(*writer, call) : nullptr;
    if (!read)
        return std::nullopt;
    const int input = read->operand.index;
    const Tensor &given = call.input(std::size_t(input));
    const auto type = mappingType(description, input, output);
    if (!given.shape || given.type != value.type || !type || *type > MappingType::Reorganize ||
        !(elementsOf(*given.shape) == elementsOf(*value.shape)) ||
        !reachesAll(*writer, *read, *given.shape))
        return std::nullopt;
    return input;
}

std::optional<int> inputReturned(const Description &description, const Call &call, int output)
{
    const auto input = inputHandedOn(description, call, output);
    if (!input ||
        !(*call.input(std::size_t(*input)).shape == *description.values[std::size_t(output)].shape))
        return std::nullopt;
    return input;
}

namespace {

bool isAxis(const Index &index, int axis)
{
    return index.isAffine() && index.offset == Dim(0) && index.terms.size() == 1 &&
           index.terms[0].axis == axis && index.terms[0].coefficient == Dim(1);
}

} // namespace

bool isBroadcast(const Description &description, const Call &call)
{
    if (description.isOpaque() || description.outputs != 1 || description.stages.size() != 1)
        return false;
    const Stage &stage = description.stages[0];
    if (stage.combine != Combine::None || stage.write.size() != stage.axes.size() ||
        dependsOnPosition(stage.body) || dependsOnPosition(stage.finish))
        return false;
    const int rank = int(stage.axes.size());
    for (int d = 0; d < rank; ++d)
        if (!isAxis(stage.write[std::size_t(d)], d))
            return false;
    return std::ranges::all_of(stage.reads, [&](const Read &read) {
        const auto input = std::size_t(read.operand.index);
        const int missing = rank - int(read.map.size());
        if (read.operand.kind != Operand::Kind::Input || !call.has(input) || missing < 0)
            return false;
        for (int d = 0; d < int(read.map.size()); ++d) {
            const Index &index = read.map[std::size_t(d)];
            const bool first = index.isAffine() && index.terms.empty() && index.offset == Dim(0) &&
                               call.shape(input)[std::size_t(d)] == Dim(1);
            // An axis that ends before the tensor reads a part of it, like Slice.
            const bool whole =
                isAxis(index, d + missing) &&
                call.shape(input)[std::size_t(d)] == stage.axes[std::size_t(d + missing)].extent;
            if (!first && !whole)
                return false;
        }
        return true;
    });
}

bool isExpansion(const Description &description, const Call &call)
{
    if (!isBroadcast(description, call))
        return false;
    const Stage &stage = description.stages[0];
    return stage.body->fn == Fn::Load && stage.finish.empty() &&
           stage.reads[std::size_t(stage.body->index)].operand == Operand{Operand::Kind::Input, 0};
}

namespace {

bool isOwnPlace(const IndexMap &map, const Stage &stage)
{
    if (map.size() != stage.axes.size())
        return false;
    for (std::size_t d = 0; d < map.size(); ++d) {
        const Index &index = map[d];
        const bool single = index.isAffine() && index.terms.size() == 1 &&
                            index.terms[0].axis == int(d) && index.terms[0].coefficient == Dim(1) &&
                            index.offset == Dim(0);
        const bool constant = index.isAffine() && index.terms.empty() && index.offset == Dim(0) &&
                              runsOnce(stage.axes[d]);
        if (!single && !constant)
            return false;
    }
    return true;
}

} // namespace

std::vector<int> inputsOverwritable(const Description &description, const Call &call)
{
    std::vector<int> inputs;
    if (description.isOpaque())
        return inputs;
    if (addsToSum(call.node())) // regardless of the stages before
        return {int(call.inputCount()) - 1};
    // An optimizer's step has a stage for each of its results.
    std::map<int, bool> same;
    for (const Stage &stage : description.stages) {
        if (stage.combine != Combine::None || !isOwnPlace(stage.write, stage))
            return inputs;
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            const bool identity = isOwnPlace(read.map, stage);
            if (read.operand.kind == Operand::Kind::Input) {
                const auto [at, added] = same.try_emplace(read.operand.index, true);
                at->second = at->second && identity;
            } else if (!identity) {
                return inputs;
            }
        }
    }
    for (const auto &[input, identity] : same)
        if (identity && call.input(std::size_t(input)).shape == description.values[0].shape)
            inputs.push_back(input);
    return inputs;
}

std::optional<std::vector<std::int64_t>> permutationOf(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1 || description.outputs != 1)
        return std::nullopt;
    const Stage &stage = description.stages.front();
    if (stage.reads.size() != 1 || stage.body->fn != Fn::Load || stage.combine != Combine::None ||
        !stage.finish.empty() || stage.reads[0].operand != Operand{Operand::Kind::Input, 0})
        return std::nullopt;
    const auto axisOf = [](const Index &index) {
        const bool plain = index.isAffine() && index.terms.size() == 1 &&
                           index.terms[0].coefficient == Dim(1) && index.offset == Dim(0);
        return plain ? index.terms[0].axis : -1;
    };
    std::vector<std::int64_t> permutation;
    for (const Index &written : stage.write) {
        const int axis = axisOf(written);
        const auto read = std::ranges::find(stage.reads[0].map, axis, axisOf);
        if (axis < 0 || read == stage.reads[0].map.end())
            return std::nullopt;
        permutation.push_back(read - stage.reads[0].map.begin());
    }
    const std::set<std::int64_t> dimensions(permutation.begin(), permutation.end());
    if (dimensions.size() != permutation.size() || permutation.size() != stage.axes.size() ||
        permutation.size() != stage.reads[0].map.size())
        return std::nullopt;
    return permutation;
}

} // namespace graphloom
