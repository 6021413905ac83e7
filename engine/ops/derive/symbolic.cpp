// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/symbolic.h"

#include "engine/base/truncate.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>

namespace graphloom {

namespace {

using Known = std::optional<Dim>;

constexpr std::int64_t mostElements = 1024, mostSteps = 65536;

/// Decides a comparison as far as the forms of both sides allow.
Known compare(Fn fn, const Dim &a, const Dim &b)
{
    const Dim difference = b - a;
    if (const auto known = difference.constant())
        return Dim(fn == Fn::Equal ? *known == 0 : fn == Fn::Less ? *known > 0 : *known >= 0);
    const auto above = difference.lowerBound(), below = (a - b).lowerBound();
    if (above && *above > 0) // a < b
        return Dim(fn != Fn::Equal);
    if (below && *below > 0) // a > b
        return Dim(0);
    return std::nullopt;
}

/// Divides integers, rounding to zero.
Known quotient(const Dim &a, const Dim &b)
{
    if (b == Dim(0))
        return std::nullopt;
    if (a.isConstant() && b.isConstant())
        return a.value() == INT64_MIN ? std::nullopt : Known(Dim(a.value() / b.value()));
    // Rounding to zero and rounding down agree for nonnegative numbers such as extents.
    const bool positive = a.lowerBound().value_or(-1) >= 0 && b.lowerBound().value_or(-1) >= 0;
    return positive ? Known(Dim::floorDiv(a, b)) : std::nullopt;
}

/// Decides And, Or and Xor of truth values that are known.
Known connective(Fn fn, const Dim &a, const Dim &b)
{
    if (!a.isConstant() || !b.isConstant())
        return std::nullopt;
    const bool p = a.value() != 0, q = b.value() != 0;
    return Dim(fn == Fn::And ? p && q : fn == Fn::Or ? p || q : p != q);
}

/// Applies a function of one or two integers.
Known applied(Fn fn, const Dim &a, const Dim &b)
{
    switch (fn) {
    case Fn::Negate:
        return Dim(0) - a;
    case Fn::Abs:
        return a.lowerBound().value_or(-1) >= 0 ? Known(a)
               : a.isConstant()                 ? Known(Dim(0) - a)
                                                : std::nullopt;
    case Fn::Not:
        return a.isConstant() ? Known(Dim(a.value() == 0)) : std::nullopt;
    case Fn::Add:
        return a + b;
    case Fn::Sub:
        return a - b;
    case Fn::Mul:
        return a * b;
    case Fn::Div:
        return quotient(a, b);
    case Fn::FloorDiv:
        return b == Dim(0) ? std::nullopt : Known(Dim::floorDiv(a, b));
    case Fn::Mod:
        return b == Dim(0) ? std::nullopt : Known(Dim::mod(a, b));
    case Fn::Min:
        return Dim::min(a, b);
    case Fn::Max:
        return Dim::max(a, b);
    case Fn::Equal:
    case Fn::Less:
    case Fn::LessOrEqual:
        return compare(fn, a, b);
    case Fn::And:
    case Fn::Or:
    case Fn::Xor:
        return connective(fn, a, b);
    default:
        return std::nullopt;
    }
}

/// Converts an integer of one type to another type.
Known converted(const Known &a, DataType from, DataType to)
{
    if (!a || !isIntegral(to) || !isIntegral(from))
        return std::nullopt;
    if (to == DataType::Bool && from != DataType::Bool) {
        const Known isZero = compare(Fn::Equal, *a, 0);
        return isZero ? Known(Dim(1) - *isZero) : std::nullopt;
    }
    // Narrowing a known number could wrap around; an expression is assumed to fit.
    const int bits = bitsOf(to);
    if (a->isConstant() && bits < 64 && (a->value() >> (bits - 1)) != 0 &&
        (a->value() >> (bits - 1)) != -1)
        return std::nullopt;
    return a;
}

class Evaluator {
public:
    Evaluator(const Description &description, const Call &call)
        : m_description(description), m_call(call), m_values(description.values.size())
    {
    }

    bool run(const Stage &stage);
    const std::vector<Known> &value(int index) const { return m_values[std::size_t(index)]; }

private:
    Known load(const Stage &stage, int read);
    Known evaluate(const Stage &stage, const Expr::Node &node);
    std::optional<std::int64_t> position(const Stage &stage, const IndexMap &map,
                                         const Shape &shape, const Read *read);
    bool finishPoint(const Stage &stage, const Known &gathered);

    const Description &m_description;
    const Call &m_call;
    std::vector<std::vector<Known>> m_values;
    std::vector<std::int64_t> m_axes;
    Known m_accumulator;
    std::int64_t m_steps = 0;
};

/// Returns the flat position of an index map's element, or -1 outside the tensor.
std::optional<std::int64_t> Evaluator::position(const Stage &stage, const IndexMap &map,
                                                const Shape &shape, const Read *read)
{
    std::int64_t flat = 0;
    bool outside = false;
    for (std::size_t d = 0; d < map.size(); ++d) {
        const Index &index = map[d];
        Dim at = index.offset;
        for (const auto &term : index.terms)
            at += term.coefficient * Dim(m_axes[std::size_t(term.axis)]);
        at = Dim::floorDiv(at, index.divide);
        if (!(index.modulo == Dim(0)))
            at = Dim::mod(at, index.modulo);
        if (index.lookup >= 0) {
            const Known looked = load(stage, index.lookup);
            if (!looked || !looked->isConstant())
                return std::nullopt;
            at += looked->value() < 0 ? *looked + shape[d] : *looked;
        }
        if (!at.isConstant() || !shape[d].isConstant())
            return std::nullopt;
        std::int64_t i = at.value();
        if (index.table) {
            if (i < 0 || i >= std::int64_t(index.table->size()))
                return std::nullopt;
            i = (*index.table)[std::size_t(i)];
        }
        if (i < 0 || i >= shape[d].value()) {
            if (!read || read->outside != Read::Outside::Value)
                return std::nullopt;
            outside = true;
        }
        flat = flat * shape[d].value() + i;
    }
    return outside ? -1 : flat;
}

Known Evaluator::load(const Stage &stage, int number)
{
    const Read &read = stage.reads[std::size_t(number)];
    if (read.operand.kind == Operand::Kind::Value) {
        const auto &values = m_values[std::size_t(read.operand.index)];
        const auto &shape = m_description.values[std::size_t(read.operand.index)].shape;
        const auto at = shape ? position(stage, read.map, *shape, nullptr) : std::nullopt;
        return at && *at < std::int64_t(values.size()) ? values[std::size_t(*at)] : std::nullopt;
    }
    const auto input = std::size_t(read.operand.index);
    const auto known = m_call.values(input);
    if (!known)
        return std::nullopt;
    const auto at = position(stage, read.map, m_call.shape(input), &read);
    if (!at)
        return std::nullopt;
    if (*at < 0)
        return Dim(truncated(read.outsideValue));
    return std::size_t(*at) < known->size() ? Known((*known)[std::size_t(*at)]) : std::nullopt;
}

Known Evaluator::evaluate(const Stage &stage, const Expr::Node &node)
{
    const auto argument = [&](int i) { return evaluate(stage, *node.arguments[std::size_t(i)]); };
    switch (node.fn) {
    case Fn::Load:
        return load(stage, node.index);
    case Fn::Axis:
        return Dim(m_axes[std::size_t(node.index)]);
    case Fn::Integer:
        return Dim(node.integer);
    case Fn::Accumulator:
        return m_accumulator;
    case Fn::Table: {
        const Known at = argument(0);
        if (!at || !at->isConstant() || at->value() < 0 ||
            at->value() >= std::int64_t(node.table->size()))
            return std::nullopt;
        return (*node.table)[std::size_t(at->value())];
    }
    case Fn::Cast:
        return converted(argument(0), node.arguments[0]->type, node.type);
    case Fn::Select: {
        const Known condition = argument(0);
        if (condition && condition->isConstant())
            return argument(condition->value() != 0 ? 1 : 2);
        const Known a = argument(1), b = argument(2);
        return a && b && *a == *b ? a : std::nullopt;
    }
    default: {
        if (!isIntegral(node.type) || arityOf(node.fn) == 0)
            return std::nullopt;
        const Known a = argument(0);
        const Known b = arityOf(node.fn) > 1 ? argument(1) : Known(Dim(0));
        return a && b && isIntegral(node.arguments[0]->type) ? applied(node.fn, *a, *b)
                                                             : std::nullopt;
    }
    }
}

bool Evaluator::finishPoint(const Stage &stage, const Known &gathered)
{
    const Shape &shape = *m_description.values[std::size_t(stage.value)].shape;
    const auto at = position(stage, stage.write, shape, nullptr);
    auto &values = m_values[std::size_t(stage.value)];
    if (!at || *at >= std::int64_t(values.size()))
        return false;
    m_accumulator = gathered;
    values[std::size_t(*at)] = stage.finish.empty() ? gathered : evaluate(stage, *stage.finish);
    return true;
}

bool Evaluator::run(const Stage &stage)
{
    const auto &shape = m_description.values[std::size_t(stage.value)].shape;
    const auto elements = shape ? staticElements(*shape) : std::nullopt;
    if (!elements || *elements > mostElements ||
        !(stage.combine == Combine::None || stage.combine == Combine::Sum ||
          stage.combine == Combine::Product || stage.combine == Combine::Max ||
          stage.combine == Combine::Min))
        return false;
    m_values[std::size_t(stage.value)].resize(std::size_t(*elements));
    for (const Axis &axis : stage.axes)
        if (!axis.extent.isConstant())
            return false;
        else if (axis.extent.value() == 0)
            return axis.kind == Axis::Kind::Space; // nothing to write
    const auto firstReduction =
        std::size_t(std::ranges::count(stage.axes, Axis::Kind::Space, &Axis::kind));
    m_axes.assign(stage.axes.size(), 0);
    // Count through all axes like an odometer; reductions are innermost.
    Known gathered;
    bool fresh = true;
    while (true) {
        if (++m_steps > mostSteps)
            return false;
        const Known point = evaluate(stage, *stage.body);
        if (fresh) {
            gathered = point;
        } else if (gathered && point) {
            gathered = stage.combine == Combine::Product ? *gathered * *point
                       : stage.combine == Combine::Max   ? Dim::max(*gathered, *point)
                       : stage.combine == Combine::Min   ? Dim::min(*gathered, *point)
                                                         : *gathered + *point;
        } else {
            gathered = std::nullopt;
        }
        fresh = false;
        std::size_t a = m_axes.size();
        while (a > 0 && ++m_axes[a - 1] == stage.axes[a - 1].extent.value()) {
            m_axes[a - 1] = 0;
            --a;
        }
        if (a <= firstReduction) { // the reductions have wrapped around: the point is complete
            const auto next = m_axes;
            // Step the space axes back to the point that was completed.
            std::size_t s = firstReduction;
            while (s > 0 && m_axes[s - 1]-- == 0) {
                m_axes[s - 1] = stage.axes[s - 1].extent.value() - 1;
                --s;
            }
            if (!finishPoint(stage, gathered))
                return false;
            m_axes = next;
            fresh = true;
        }
        if (a == 0)
            return true;
    }
}

} // namespace

std::optional<std::vector<Dim>> symbolicValues(const Description &description, const Call &call,
                                               int output)
{
    if (description.isOpaque() || !isIntegral(description.values[std::size_t(output)].type))
        return std::nullopt;
    Evaluator evaluator(description, call);
    for (const Stage &stage : description.stages)
        if (stage.value == output || stage.value >= description.outputs)
            if (!evaluator.run(stage))
                return std::nullopt;
    std::vector<Dim> values;
    for (const Known &value : evaluator.value(output)) {
        if (!value || value->isOverflow())
            return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

} // namespace graphloom
