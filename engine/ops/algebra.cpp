// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/algebra.h"

#include "engine/ops/analysis.h"
#include "engine/ops/stage_facts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What two-argument functions are, over the numbers that they are defined for.
struct BinaryFacts {
    Fn fn;
    bool commutative = false, associative = false, idempotent = false;
};
constexpr std::array binaryFacts{
    BinaryFacts{Fn::Add, true, true, false},    BinaryFacts{Fn::Mul, true, true, false},
    BinaryFacts{Fn::Min, true, true, true},     BinaryFacts{Fn::Max, true, true, true},
    BinaryFacts{Fn::And, true, true, true},     BinaryFacts{Fn::Or, true, true, true},
    BinaryFacts{Fn::Xor, true, true, false},    BinaryFacts{Fn::BitAnd, true, true, true},
    BinaryFacts{Fn::BitOr, true, true, true},   BinaryFacts{Fn::BitXor, true, true, false},
    BinaryFacts{Fn::Equal, true, false, false},
};
BinaryFacts factsOf(Fn fn)
{
    const auto found = std::ranges::find(binaryFacts, fn, &BinaryFacts::fn);
    return found != binaryFacts.end() ? *found : BinaryFacts{fn};
}

/// Does the value depend on where in the result it is (Trilu)?
bool dependsOnPlace(const Expr::Node &node)
{
    if (node.fn == Fn::Axis || node.fn == Fn::Inside)
        return true;
    return std::ranges::any_of(
        node.arguments, [](const auto &argument) { return argument && dependsOnPlace(*argument); });
}

} // namespace

bool isCommutative(Fn fn)
{
    return factsOf(fn).commutative;
}

bool isAssociative(Fn fn)
{
    return factsOf(fn).associative;
}

bool isIdempotent(Fn fn)
{
    return factsOf(fn).idempotent;
}

std::optional<double> identityOf(Fn fn, DataType type)
{
    switch (fn) {
    case Fn::Add:
    case Fn::Sub:
    case Fn::Or:
    case Fn::Xor:
    case Fn::BitOr:
    case Fn::BitXor:
    case Fn::ShiftLeft:
    case Fn::ShiftRight:
        return 0;
    case Fn::Mul:
    case Fn::Div:
    case Fn::Pow:
    case Fn::And:
        return 1;
    case Fn::Min:
        return rangeOf(type).most;
    case Fn::Max:
        return rangeOf(type).least;
    case Fn::BitAnd: // all bits
        return isUnsignedInteger(type) ? rangeOf(type).most : -1;
    default:
        return std::nullopt;
    }
}

std::optional<double> absorberOf(Fn fn, DataType type)
{
    switch (fn) {
    case Fn::Mul:
    case Fn::And:
    case Fn::BitAnd:
        return 0;
    case Fn::Or:
        return 1;
    case Fn::Min:
        return identityOf(Fn::Max, type);
    case Fn::Max:
        return identityOf(Fn::Min, type);
    case Fn::BitOr:
        return identityOf(Fn::BitAnd, type);
    default:
        return std::nullopt;
    }
}

std::optional<Undoing> undoingOf(Fn fn)
{
    switch (fn) {
    case Fn::Add:
        return Undoing{Fn::Sub};
    case Fn::Sub:
        return Undoing{Fn::Add};
    case Fn::Mul:
        return Undoing{Fn::Div, false};
    case Fn::Div:
        return Undoing{Fn::Mul, false};
    case Fn::Xor:
    case Fn::BitXor:
        return Undoing{fn};
    default:
        return std::nullopt;
    }
}

std::optional<Fn> groupOf(Fn fn)
{
    if (fn == Fn::Sub)
        return Fn::Add;
    return fn == Fn::Div ? std::optional(Fn::Mul) : std::nullopt;
}

std::optional<Inverse> inverseOf(Fn fn)
{
    switch (fn) {
    case Fn::Negate:
    case Fn::Not:
    case Fn::BitNot:
        return Inverse{fn, {}};
    case Fn::Exp:
        return Inverse{Fn::Log, {}};
    case Fn::Log: // of 0 it is minus infinity, of which Exp is 0
        return Inverse{Fn::Exp, Range::atLeast(0)};
    case Fn::Sinh:
        return Inverse{Fn::Asinh, {}};
    case Fn::Asinh:
        return Inverse{Fn::Sinh, {}};
    case Fn::Cosh:
        return Inverse{Fn::Acosh, Range::atLeast(0)};
    case Fn::Acosh:
        return Inverse{Fn::Cosh, Range::atLeast(1)};
    case Fn::Tanh:
        return Inverse{Fn::Atanh, {}};
    case Fn::Atanh:
        return Inverse{Fn::Tanh, {-1, 1}};
    case Fn::Asin:
        return Inverse{Fn::Sin, {-1, 1}};
    case Fn::Acos:
        return Inverse{Fn::Cos, {-1, 1}};
    case Fn::Atan:
        return Inverse{Fn::Tan, {}};
    default:
        return std::nullopt;
    }
}

int Elementwise::readOf(int input) const
{
    const auto found = std::ranges::find(inputs, input);
    return found != inputs.end() ? int(found - inputs.begin()) : -1;
}

std::optional<Fn> Elementwise::function() const
{
    if (inputs.size() != 2 || arityOf(body->fn) != 2)
        return std::nullopt;
    for (const int i : {0, 1}) {
        const Expr argument = body.argument(i);
        if (argument->fn != Fn::Load || inputs[std::size_t(argument->index)] != i)
            return std::nullopt;
    }
    return body->fn;
}

std::optional<Elementwise> elementwiseOf(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1 || description.outputs != 1)
        return std::nullopt;
    const Stage &stage = description.stages.front();
    if (stage.combine != Combine::None || !stage.finish.empty() || stage.reads.empty())
        return std::nullopt;
    Elementwise result{stage.body, {}, {}};
    for (const Read &read : stage.reads) {
        if (read.operand.kind != Operand::Kind::Input || read.outside != Read::Outside::Never ||
            result.readOf(read.operand.index) >= 0)
            return std::nullopt;
        const auto type = mappingType(description, read.operand.index, 0);
        if (!type || (*type != MappingType::OneToOne && *type != MappingType::OneToMany))
            return std::nullopt;
        // Each dimension is one axis of the result, or a single element.
        for (const Index &index : read.map)
            if (!index.isAffine() || index.terms.size() > 1)
                return std::nullopt;
        result.inputs.push_back(read.operand.index);
        result.broadcast.push_back(read.map.size() < stage.write.size() ||
                                   *type != MappingType::OneToOne);
    }
    if (result.body->fn == Fn::Load || dependsOnPlace(*result.body))
        return std::nullopt;
    return result;
}

std::optional<Fn> reductionOf(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1)
        return std::nullopt;
    const Stage &stage = description.stages.front();
    if (stage.body->fn != Fn::Load || !stage.finish.empty() || stage.reads.size() != 1)
        return std::nullopt;
    // Every reduction axis runs over one whole dimension: no windows.
    for (const Index &index : stage.reads[0].map)
        if (!index.isAffine() || index.terms.size() != 1 || !(index.offset == Dim(0)))
            return std::nullopt;
    switch (stage.combine) {
    case Combine::Sum:
        return Fn::Add;
    case Combine::Product:
        return Fn::Mul;
    case Combine::Max:
        return Fn::Max;
    case Combine::Min:
        return Fn::Min;
    default:
        return std::nullopt;
    }
}

bool isMean(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1)
        return false;
    Description sum = description;
    Stage &stage = sum.stages.front();
    const Expr finish = stage.finish;
    stage.finish = {};
    if (reductionOf(sum) != Fn::Add || finish.empty() || finish->fn != Fn::Div ||
        finish.argument(0)->fn != Fn::Accumulator)
        return false;
    Expr count = finish.argument(1);
    while (count->fn == Fn::Cast)
        count = count.argument(0);
    Dim points = 1;
    for (const Axis &axis : stage.axes)
        if (axis.kind == Axis::Kind::Reduce)
            points *= axis.extent;
    return count->fn == Fn::Table && count->table->size() == 1 && count->table->front() == points;
}

bool isMovement(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1 || description.outputs != 1)
        return false;
    const Stage &stage = description.stages.front();
    return stage.combine == Combine::None && stage.finish.empty() && stage.body->fn == Fn::Load &&
           stage.reads[std::size_t(stage.body->index)].operand ==
               Operand{Operand::Kind::Input, 0} &&
           stage.reads[std::size_t(stage.body->index)].outside != Read::Outside::Value;
}

namespace {

using Renaming = std::pair<int, int>; // two reads that change places

bool equalUnder(const Expr::Node &a, const Expr::Node &b, const Renaming &renaming);

/// The operands of nested applications of one associative function.
void collectOperands(Fn fn, const Expr::Node &node, std::vector<const Expr::Node *> &operands)
{
    if (node.fn != fn) {
        operands.push_back(&node);
        return;
    }
    for (const auto &argument : node.arguments)
        if (argument)
            collectOperands(fn, *argument, operands);
}

/// Whether the operands, in any order, are the same.
bool sameOperands(Fn fn, const Expr::Node &a, const Expr::Node &b, const Renaming &renaming)
{
    std::vector<const Expr::Node *> left, right;
    collectOperands(fn, a, left);
    collectOperands(fn, b, right);
    for (const Expr::Node *operand : left) {
        const auto partner = std::ranges::find_if(
            right, [&](const Expr::Node *other) { return equalUnder(*operand, *other, renaming); });
        if (partner == right.end())
            return false;
        right.erase(partner);
    }
    return right.empty();
}

/// Whether a equals b once two reads of a have changed places.
bool equalUnder(const Expr::Node &a, const Expr::Node &b, const Renaming &renaming)
{
    if (a.fn != b.fn || a.type != b.type || a.real != b.real || a.integer != b.integer)
        return false;
    if (a.fn == Fn::Load || a.fn == Fn::Inside) {
        const int renamed = a.index == renaming.first    ? renaming.second
                            : a.index == renaming.second ? renaming.first
                                                         : a.index;
        return renamed == b.index;
    }
    if (a.index != b.index || bool(a.table) != bool(b.table) || (a.table && *a.table != *b.table))
        return false;
    if (isAssociative(a.fn))
        return sameOperands(a.fn, a, b, renaming);
    const auto pairwise = [&](bool crossed) {
        for (std::size_t i = 0; i < a.arguments.size(); ++i) {
            const std::size_t j = crossed && i < 2 ? 1 - i : i;
            if (bool(a.arguments[i]) != bool(b.arguments[j]) ||
                (a.arguments[i] && !equalUnder(*a.arguments[i], *b.arguments[j], renaming)))
                return false;
        }
        return true;
    };
    return pairwise(false) || (isCommutative(a.fn) && pairwise(true));
}

bool sameExpression(const Expr &a, const Expr &b)
{
    return equalUnder(*a, *b, {-1, -1});
}

bool dependsOn(const Expr::Node &node, int read)
{
    std::set<int> reads;
    collectLoads(node, reads);
    return reads.contains(read);
}
bool dependsOn(const Expr &body, int read)
{
    return dependsOn(*body, read);
}

Monotony reversed(Monotony m)
{
    return m == Monotony::Increasing   ? Monotony::Decreasing
           : m == Monotony::Decreasing ? Monotony::Increasing
                                       : m;
}
Monotony composed(Monotony outer, Monotony inner)
{
    if (outer == Monotony::None || inner == Monotony::None)
        return Monotony::None;
    if (outer == Monotony::Constant || inner == Monotony::Constant)
        return Monotony::Constant;
    return outer == Monotony::Increasing ? inner : reversed(inner);
}
/// Of a sum, a maximum, a minimum.
Monotony joined(Monotony a, Monotony b)
{
    if (a == b || b == Monotony::Constant)
        return a;
    return a == Monotony::Constant ? b : Monotony::None;
}

/// Of functions of one argument, for arguments in a range.
Monotony monotonyOf(Fn fn, const Range &x)
{
    switch (fn) {
    case Fn::Cast:
    case Fn::Sign:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Exp:
    case Fn::Asin:
    case Fn::Atan:
    case Fn::Sinh:
    case Fn::Tanh:
    case Fn::Asinh:
    case Fn::Acosh:
    case Fn::Atanh:
    case Fn::Erf:
    case Fn::Sqrt: // where it is defined
    case Fn::Log:
        return Monotony::Increasing;
    case Fn::Negate:
    case Fn::Not:
    case Fn::BitNot:
    case Fn::Acos:
        return Monotony::Decreasing;
    case Fn::Abs:
    case Fn::Cosh:
        return x.least >= 0  ? Monotony::Increasing
               : x.most <= 0 ? Monotony::Decreasing
                             : Monotony::None;
    default:
        return Monotony::None;
    }
}

class MonotonyOf {
public:
    MonotonyOf(int read, std::span<const Range> loads) : m_read(read), m_loads(loads) {}

    Monotony of(const Expr &e) const
    {
        if (!dependsOn(e, m_read))
            return Monotony::Constant;
        if (e->fn == Fn::Load)
            return Monotony::Increasing;
        if (e->fn == Fn::Select)
            return ofSelect(e);
        if (arityOf(e->fn) == 1)
            return composed(monotonyOf(e->fn, range(e.argument(0))), of(e.argument(0)));
        if (arityOf(e->fn) != 2)
            return Monotony::None;
        const Expr a = e.argument(0), b = e.argument(1);
        switch (e->fn) {
        case Fn::Add:
        case Fn::Max:
        case Fn::Min:
            return joined(of(a), of(b));
        case Fn::Sub:
            return joined(of(a), reversed(of(b)));
        case Fn::Mul:
            if (sameExpression(a, b))
                return composed(monotonyOf(Fn::Abs, range(a)), of(a));
            return joined(scaled(of(a), range(b)), scaled(of(b), range(a)));
        case Fn::Div: {
            // The reciprocal falls on either side of 0.
            const Range divisor = range(b);
            const bool oneSide = divisor.least > 0 || divisor.most < 0;
            if (!dependsOn(b, m_read))
                return oneSide || divisor.least >= 0 || divisor.most <= 0 ? scaled(of(a), divisor)
                                                                          : Monotony::None;
            return oneSide && !dependsOn(a, m_read) ? scaled(reversed(of(b)), range(a))
                                                    : Monotony::None;
        }
        default:
            return Monotony::None;
        }
    }

private:
    Range range(const Expr &e) const { return rangeOf(e, m_loads); }
    static Monotony scaled(Monotony m, const Range &factor)
    {
        if (m == Monotony::Constant)
            return m;
        return factor.least >= 0 ? m : factor.most <= 0 ? reversed(m) : Monotony::None;
    }

    /// x < c ? f(x) : g(x), and c < x ? g(x) : f(x), rise where f and g do and f(c) <= g(c).
    Monotony ofSelect(const Expr &e) const
    {
        const Expr condition = e.argument(0);
        if (condition->fn != Fn::Less)
            return Monotony::None;
        const bool below = condition.argument(0)->fn == Fn::Load;
        const Expr bound = condition.argument(below ? 1 : 0), x = condition.argument(below ? 0 : 1);
        if (x->fn != Fn::Load || x->index != m_read ||
            (bound->fn != Fn::Real && bound->fn != Fn::Integer))
            return Monotony::None;
        const double c = bound->fn == Fn::Real ? bound->real : double(bound->integer);
        const Expr left = e.argument(below ? 1 : 2), right = e.argument(below ? 2 : 1);
        std::vector<Range> loads(m_loads.begin(), m_loads.end());
        loads.resize(std::max(loads.size(), std::size_t(m_read) + 1));
        Range &own = loads[std::size_t(m_read)];
        const Range all = own;
        own = {std::min(all.least, c), std::min(all.most, c)};
        const Monotony first = MonotonyOf(m_read, loads).of(left);
        own = {std::max(all.least, c), std::max(all.most, c)};
        const Monotony second = MonotonyOf(m_read, loads).of(right);
        own = Range::exactly(c);
        const Range atLeft = rangeOf(left, loads), atRight = rangeOf(right, loads);
        const Monotony both = joined(first, second);
        if (both != Monotony::Decreasing && atLeft.most <= atRight.least)
            return both == Monotony::Constant ? Monotony::Increasing : both;
        if (both != Monotony::Increasing && atLeft.least >= atRight.most)
            return both == Monotony::Constant ? Monotony::Decreasing : both;
        return Monotony::None;
    }

    int m_read;
    std::span<const Range> m_loads;
};

enum class Parity { Neither, Even, Odd };

Parity parityOf(Fn fn)
{
    switch (fn) {
    case Fn::Abs:
    case Fn::Cos:
    case Fn::Cosh:
    case Fn::IsNan:
    case Fn::IsInf:
        return Parity::Even;
    case Fn::Cast:
    case Fn::Negate:
    case Fn::Sign:
    case Fn::Round:
    case Fn::Sin:
    case Fn::Tan:
    case Fn::Asin:
    case Fn::Atan:
    case Fn::Sinh:
    case Fn::Tanh:
    case Fn::Asinh:
    case Fn::Atanh:
    case Fn::Erf:
        return Parity::Odd;
    default:
        return Parity::Neither;
    }
}

Parity parityOf(const Expr &e, int read)
{
    if (!dependsOn(e, read))
        return Parity::Even;
    if (e->fn == Fn::Load)
        return Parity::Odd;
    if (arityOf(e->fn) == 1) {
        const Parity inner = parityOf(e.argument(0), read);
        return inner == Parity::Odd ? parityOf(e->fn) : inner;
    }
    if (arityOf(e->fn) != 2)
        return Parity::Neither;
    const Parity a = parityOf(e.argument(0), read), b = parityOf(e.argument(1), read);
    if (a == Parity::Neither || b == Parity::Neither)
        return Parity::Neither;
    switch (e->fn) {
    case Fn::Add:
    case Fn::Sub:
        return a == b ? a : Parity::Neither;
    case Fn::Mul:
    case Fn::Div:
        return a == b ? Parity::Even : Parity::Odd;
    default:
        return a == Parity::Even && b == Parity::Even ? Parity::Even : Parity::Neither;
    }
}

/// What a function of one argument makes of another function of two, for arguments in a range:
/// t(fn(x), fn(y)) = fn(from(x, y)).
void addImages(Fn fn, Fn from, const Range &x, std::set<Fn> &images)
{
    switch (fn) {
    case Fn::Exp:
        if (from == Fn::Add)
            images.insert(Fn::Mul);
        if (from == Fn::Sub)
            images.insert(Fn::Div);
        break;
    case Fn::Log:
        if (x.least >= 0 && from == Fn::Mul)
            images.insert(Fn::Add);
        if (x.least >= 0 && from == Fn::Div)
            images.insert(Fn::Sub);
        break;
    case Fn::Sqrt:
        if (x.least >= 0 && (from == Fn::Mul || from == Fn::Div))
            images.insert(from);
        break;
    case Fn::Abs:
    case Fn::Sign:
        if (from == Fn::Mul || (from == Fn::Div && fn == Fn::Abs))
            images.insert(from);
        break;
    case Fn::Negate:
        if (from == Fn::Add || from == Fn::Sub)
            images.insert(from);
        break;
    case Fn::Not:
    case Fn::BitNot: { // De Morgan
        constexpr std::pair<Fn, Fn> duals[] = {
            {Fn::And, Fn::Or}, {Fn::Or, Fn::And}, {Fn::BitAnd, Fn::BitOr}, {Fn::BitOr, Fn::BitAnd}};
        for (const auto &[a, b] : duals)
            if (from == a)
                images.insert(b);
        break;
    }
    default:
        break;
    }
}

class Images {
public:
    Images(int read, std::span<const Range> loads) : m_read(read), m_loads(loads) {}

    std::set<Fn> of(const Expr &e, Fn from) const
    {
        std::set<Fn> images;
        if (!dependsOn(e, m_read))
            return images;
        if (e->fn == Fn::Load)
            return {from};
        if (from == Fn::Min || from == Fn::Max) {
            const Monotony m = monotonyOf(e, m_read, m_loads);
            if (m == Monotony::Increasing)
                images.insert(from);
            if (m == Monotony::Decreasing)
                images.insert(from == Fn::Min ? Fn::Max : Fn::Min);
            return images;
        }
        if (arityOf(e->fn) == 1) {
            for (const Fn between : of(e.argument(0), from))
                addImages(e->fn, between, rangeOf(e.argument(0), m_loads), images);
            return images;
        }
        if (arityOf(e->fn) != 2)
            return images;
        const Expr a = e.argument(0), b = e.argument(1);
        const bool left = dependsOn(a, m_read), right = dependsOn(b, m_read);
        if (e->fn == Fn::Div && a->fn == Fn::Real && a->real == 1) { // the reciprocal
            for (const Fn between : of(b, from))
                if (between == Fn::Mul || between == Fn::Div)
                    images.insert(between);
            return images;
        }
        if (left && right)
            addProducts(e->fn, of(a, from), of(b, from), images);
        else
            for (const Fn between : of(left ? a : b, from))
                addPartial(e->fn, left, between, images);
        return images;
    }

private:
    /// Products of what turns into products turn into products.
    static void addProducts(Fn fn, const std::set<Fn> &a, const std::set<Fn> &b,
                            std::set<Fn> &images)
    {
        if (fn != Fn::Mul && fn != Fn::Div)
            return;
        for (const Fn to : {Fn::Mul, Fn::Div})
            if (a.contains(to) && b.contains(to))
                images.insert(to);
    }

    /// fn(x, c), or fn(c, x), as a function of x.
    static void addPartial(Fn fn, bool left, Fn from, std::set<Fn> &images)
    {
        const auto keeps = [&](std::initializer_list<Fn> all) {
            if (std::ranges::find(all, from) != all.end())
                images.insert(from);
        };
        switch (fn) {
        case Fn::Mul:
            return keeps({Fn::Add, Fn::Sub});
        case Fn::Div:
            if (left)
                keeps({Fn::Add, Fn::Sub});
            return;
        case Fn::And:
            return keeps({Fn::And, Fn::Or, Fn::Xor});
        case Fn::BitAnd:
            return keeps({Fn::BitAnd, Fn::BitOr, Fn::BitXor});
        case Fn::Or:
            return keeps({Fn::And, Fn::Or});
        case Fn::BitOr:
            return keeps({Fn::BitAnd, Fn::BitOr});
        case Fn::ShiftLeft:
            if (left)
                keeps({Fn::Add, Fn::Sub, Fn::BitAnd, Fn::BitOr, Fn::BitXor});
            return;
        case Fn::ShiftRight:
            if (left)
                keeps({Fn::BitAnd, Fn::BitOr, Fn::BitXor});
            return;
        default:
            return;
        }
    }

    int m_read;
    std::span<const Range> m_loads;
};

} // namespace

bool isCommutative(const Description &description, int first, int second)
{
    // Further inputs are parameters, such as Clip's bounds, which have another shape.
    const auto call = elementwiseOf(description);
    if (!call || call->inputs.size() != 2)
        return false;
    const Renaming reads{call->readOf(first), call->readOf(second)};
    return reads.first >= 0 && reads.second >= 0 && equalUnder(*call->body, *call->body, reads);
}

Monotony monotonyOf(const Expr &body, int read, std::span<const Range> loads)
{
    return MonotonyOf(read, loads).of(body);
}

bool isEven(const Expr &body, int read)
{
    return dependsOn(body, read) && parityOf(body, read) == Parity::Even;
}

bool isOdd(const Expr &body, int read)
{
    return parityOf(body, read) == Parity::Odd;
}

bool isAffine(const Expr &e, int read)
{
    if (!dependsOn(e, read) || e->fn == Fn::Load)
        return true;
    const auto affine = [&](int i) { return isAffine(e.argument(i), read); };
    const auto free = [&](int i) { return !dependsOn(e.argument(i), read); };
    switch (e->fn) {
    case Fn::Negate:
        return affine(0);
    case Fn::Add:
    case Fn::Sub:
        return affine(0) && affine(1);
    case Fn::Mul:
        return (affine(0) && free(1)) || (free(0) && affine(1));
    case Fn::Div:
        return affine(0) && free(1);
    default:
        return false;
    }
}

std::set<Fn> imagesOf(const Expr &body, int read, Fn from, std::span<const Range> loads)
{
    return Images(read, loads).of(body, from);
}

std::optional<Range> fixedPointsOf(const Expr &e, int read)
{
    if (e->fn == Fn::Load)
        return e->index == read ? std::optional(Range()) : std::nullopt;
    const auto number = [&](int i) -> std::optional<double> {
        const Expr a = e.argument(i);
        if (a->fn == Fn::Real)
            return a->real;
        return a->fn == Fn::Integer ? std::optional(double(a->integer)) : std::nullopt;
    };
    const auto isRead = [&](int i) {
        return e.argument(i)->fn == Fn::Load && e.argument(i)->index == read;
    };
    const auto meet = [](Range a, const Range &b) {
        return Range{std::max(a.least, b.least), std::min(a.most, b.most)};
    };
    switch (e->fn) {
    case Fn::Abs:
        return isRead(0) ? std::optional(Range::atLeast(0)) : std::nullopt;
    case Fn::Max:
    case Fn::Min: {
        const auto bound = number(1);
        const auto inner = bound ? fixedPointsOf(e.argument(0), read) : std::nullopt;
        if (!inner)
            return std::nullopt;
        return meet(*inner, e->fn == Fn::Max ? Range::atLeast(*bound) : Range{-infinity, *bound});
    }
    case Fn::Mul: // by a literal 1, as Selu's scale is not
        return number(1) == 1.0 ? fixedPointsOf(e.argument(0), read) : std::nullopt;
    case Fn::Add: // what is 0 there: Celu
        for (const int i : {0, 1})
            if (const auto inner = fixedPointsOf(e.argument(i), read)) {
                const std::vector<Range> loads(std::size_t(read) + 1, *inner);
                if (rangeOf(e.argument(1 - i), loads) == Range::exactly(0))
                    return inner;
            }
        return std::nullopt;
    case Fn::Select: {
        const Expr condition = e.argument(0);
        if (condition->fn != Fn::Less)
            return std::nullopt;
        const bool below = condition.argument(0)->fn == Fn::Load;
        const Expr x = condition.argument(below ? 0 : 1), c = condition.argument(below ? 1 : 0);
        if (x->fn != Fn::Load || x->index != read || (c->fn != Fn::Real && c->fn != Fn::Integer))
            return std::nullopt;
        const double bound = c->fn == Fn::Real ? c->real : double(c->integer);
        // x < c ? f : x is x from c on; c < x ? x : f only behind it.
        if (below && isRead(2))
            return Range::atLeast(bound);
        return !below && isRead(1) ? std::optional(Range::atLeast(std::nextafter(bound, infinity)))
                                   : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

} // namespace graphloom
