// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/gradient/stage_adjoint.h"

#include "engine/ops/algebra/expr_equality.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/derivative.h"

#include <algorithm>

namespace graphloom {

namespace {

bool loads(const Expr &expr, int read)
{
    return !expr.empty() && dependsOn(expr, read);
}

Expr equal(const Expr &a, const Expr &b)
{
    return Expr::binary(Fn::Equal, a, b);
}

Expr choose(const Expr &condition, const Expr &value)
{
    return Expr::select(condition, value, Expr::real(0, value.type()));
}

} // namespace

Scatter copyOf(const Operand &operand, const Shape &shape, DataType type)
{
    Scatter copy;
    copy.axes = build::spaceAxes(shape);
    copy.target = build::identityMap(shape.size());
    copy.reads = {{operand, copy.target, Read::Outside::Never, 0}};
    copy.factor = Expr::load(0, type);
    return copy;
}

StageAdjoint::StageAdjoint(AdjointBuilder &builder, int number, const Operand &gradient,
                           std::optional<Expr> slope)
    : m_builder(builder), m_stage(builder.description().stages[std::size_t(number)]),
      m_number(number), m_slope(std::move(slope)), m_reads(m_stage.reads)
{
    for (Read &read : m_reads)
        if (read.operand.kind == Operand::Kind::Value)
            read.operand = m_builder.forwardBefore(read.operand.index, m_number);
    const DataType type = m_stage.finish.empty() ? m_stage.body.type() : m_stage.finish.type();
    m_incoming = inType(Expr::load(add(gradient), m_builder.typeOf(gradient)), type);
}

Expr StageAdjoint::result(const Description &description, int number)
{
    const Stage &stage = description.stages[std::size_t(number)];
    return Expr::accumulator(description.values[std::size_t(stage.value)].type);
}

/// Adds a read of a tensor at the element that the stage writes.
int StageAdjoint::add(const Operand &operand)
{
    m_reads.push_back({operand, m_stage.write, Read::Outside::Never, 0});
    return int(m_reads.size()) - 1;
}

std::vector<Axis> StageAdjoint::spaceAxes() const
{
    std::vector<Axis> axes = m_stage.axes;
    std::erase_if(axes, [](const Axis &axis) { return axis.kind == Axis::Kind::Reduce; });
    return axes;
}

bool StageAdjoint::reduces() const
{
    return std::ranges::any_of(m_stage.axes, isReduction);
}

tl::unexpected<Error> StageAdjoint::refuse() const
{
    return m_builder.call().refuse(
        m_builder.call().node().qualifiedOp() + " has no gradient with respect to input " +
        std::to_string(m_builder.input()) + ": one of its functions has no derivative");
}

/// Adds a copy of the stage with another body and without finish that writes a new value.
int StageAdjoint::gatherAgain(const char *name, Combine combine, double initial, Expr body,
                              DataType type)
{
    const Value &like = m_builder.description().values[std::size_t(m_stage.value)];
    Stage stage = m_stage;
    stage.name = name;
    stage.reads = m_reads;
    stage.combine = combine;
    stage.initial = initial;
    stage.body = std::move(body);
    stage.finish = {};
    stage.value = m_builder.addValue(type, *like.shape);
    const int value = stage.value;
    m_builder.add(std::move(stage));
    return add({Operand::Kind::Value, value});
}

/// Adds a read of the result of the reduction.
int StageAdjoint::accumulated()
{
    if (m_accumulated >= 0)
        return m_accumulated;
    // A rounded result can be compared with the elements only if they are not computed.
    const bool isStored = m_stage.finish.empty() && m_stage.body->fn == Fn::Load;
    const DataType type = m_stage.body.type();
    m_accumulated = isStored
                        ? add(m_builder.forward(m_stage.value))
                        : gatherAgain("gathered", m_stage.combine, m_stage.initial, m_stage.body,
                                      type == DataType::Double ? type : DataType::Double);
    return m_accumulated;
}

Expr StageAdjoint::loadAccumulated()
{
    const int read = accumulated();
    return Expr::load(read, m_builder.typeOf(m_reads[std::size_t(read)].operand));
}

/// Computes a gradient that a sum reads for each of its points only once.
Expr StageAdjoint::storedGradient(const Expr &gradient)
{
    const bool isPlain =
        std::ranges::all_of(readsOf(gradient),
                            [&](int read) { return read == int(m_stage.reads.size()); }) &&
        !dependsOnPosition(gradient);
    if (!reduces() || isPlain)
        return gradient;
    const Value &like = m_builder.description().values[std::size_t(m_stage.value)];
    Stage stage;
    stage.name = "gradient";
    stage.axes = spaceAxes();
    stage.reads = m_reads;
    stage.write = m_stage.write;
    stage.value = m_builder.addValue(gradient.type(), *like.shape);
    stage.body = gradient;
    const int value = stage.value;
    m_builder.add(std::move(stage));
    return Expr::load(add({Operand::Kind::Value, value}), gradient.type());
}

Result<void> StageAdjoint::prepare()
{
    if (m_isPrepared)
        return {};
    m_isPrepared = true;
    GL_TRY(throughFinish());
    if (m_stage.combine == Combine::Max || m_stage.combine == Combine::Min)
        shareTies();
    if (m_stage.combine == Combine::Product)
        findOthers();
    return {};
}

Result<void> StageAdjoint::throughFinish()
{
    m_gathered = m_incoming;
    const bool hasFinish = !m_stage.finish.empty();
    if (!hasFinish)
        return {};
    auto slope = m_slope ? m_slope : derivative(m_stage.finish, Variable::accumulator());
    if (!slope)
        return refuse();
    const DataType resultType = m_builder.description().values[std::size_t(m_stage.value)].type;
    int result = -1;
    const auto loadResult = [&] {
        if (result < 0)
            result = add(m_builder.forward(m_stage.value));
        return inType(Expr::load(result, resultType), m_stage.finish.type());
    };
    if (m_slope) {
        slope = withParts(*slope, [&](const Expr &part) {
            return part->fn == Fn::Accumulator ? loadResult() : Expr();
        });
    } else if (m_stage.finish->fn != Fn::Accumulator) {
        slope = withParts(*slope, [&](const Expr &part) {
            return sameExpression(part, m_stage.finish) ? loadResult() : Expr();
        });
    }
    if (contains(*slope, Fn::Accumulator)) {
        const Expr load = inType(loadAccumulated(), m_stage.body.type());
        slope = rewritten(*slope, [&](const Expr::Node &leaf) {
            return leaf.fn == Fn::Accumulator ? load : Expr();
        });
    }
    m_gathered = storedGradient(inType(productOf(*slope, m_incoming), m_stage.body.type()));
    return {};
}

/// Counts the gathered points for which a test holds.
Expr StageAdjoint::countOf(const Expr &test, const char *name)
{
    const DataType type = m_stage.body.type();
    const int read = gatherAgain(
        name, Combine::Sum, 0, Expr::select(test, Expr::real(1, type), Expr::real(0, type)), type);
    return Expr::load(read, type);
}

void StageAdjoint::shareTies()
{
    m_extreme = equal(m_stage.body, loadAccumulated());
    if (reduces())
        m_gathered = storedGradient(m_gathered / countOf(m_extreme, "ties"));
}

/// Computes the product of all points but one by division, with special cases for zeros.
void StageAdjoint::findOthers()
{
    const DataType type = m_stage.body.type();
    const Expr zero = Expr::real(0, type), one = Expr::real(1, type);
    const Expr isZero = equal(m_stage.body, zero);
    const Expr zeros = countOf(isZero, "zeros");
    const int read = gatherAgain("product without zeros", Combine::Product, 1,
                                 Expr::select(isZero, one, m_stage.body), type);
    const Expr rest = Expr::load(read, type);
    m_others = Expr::select(isZero, choose(equal(zeros, one), rest),
                            choose(equal(zeros, zero), rest / m_stage.body));
}

std::optional<Expr> StageAdjoint::slopeOf(const Expr &part, int read) const
{
    return derivative(part, Variable::load(read));
}

Expr StageAdjoint::slopeThroughCombination(const Expr &slope) const
{
    switch (m_stage.combine) {
    case Combine::Max:
    case Combine::Min:
        return choose(m_extreme, productOf(slope, m_gathered));
    case Combine::Product:
        return productOf(productOf(slope, m_gathered), m_others);
    default:
        return productOf(slope, m_gathered);
    }
}

Scatter StageAdjoint::scatterOf(int read, std::vector<Axis> axes, Expr factor) const
{
    const Read &to = m_stage.reads[std::size_t(read)];
    // Reads that are not used may be indexed with missing axes.
    std::vector<bool> used(m_reads.size(), false);
    const auto use = [&](const auto &self, int number) -> void {
        used[std::size_t(number)] = true;
        for (const Index &index : m_reads[std::size_t(number)].map)
            if (index.lookup >= 0)
                self(self, index.lookup);
    };
    for (const int number : readsOf(factor))
        use(use, number);
    for (const Index &index : to.map)
        if (index.lookup >= 0)
            use(use, index.lookup);
    std::vector<Read> reads = m_reads;
    for (std::size_t r = 0; r < reads.size(); ++r)
        if (!used[r])
            reads[r].map.clear();
    return {std::move(axes), std::move(reads), std::move(factor), to.map, to.outside};
}

Result<std::vector<Scatter>> StageAdjoint::into(int read)
{
    std::vector<Scatter> flows;
    if (m_stage.combine >= Combine::ArgMax)
        return flows;
    if (loads(m_stage.finish, read)) {
        auto slope = m_slope ? m_slope : slopeOf(m_stage.finish, read);
        if (!slope)
            return refuse();
        if (!isLiteral(*slope, 0)) {
            GL_TRY(prepare());
            // The slope of a sum's result applies to each gathered point.
            const bool sameSlope = m_slope.has_value();
            Expr factor = sameSlope ? m_gathered : Expr();
            if (!sameSlope) {
                const auto value = [&](const Expr::Node &leaf) {
                    return leaf.fn == Fn::Accumulator ? inType(loadAccumulated(), leaf.type)
                                                      : Expr();
                };
                factor = productOf(rewritten(*slope, value), m_incoming);
            }
            flows.push_back(scatterOf(read, spaceAxes(), factor));
        }
    }
    if (!loads(m_stage.body, read))
        return flows;
    const bool hasSlope = m_slope && m_stage.finish.empty();
    auto slope = hasSlope ? m_slope : slopeOf(m_stage.body, read);
    if (!slope)
        return refuse();
    if (isLiteral(*slope, 0))
        return flows;
    GL_TRY(prepare());
    if (hasSlope) {
        const int result = add(m_builder.forward(m_stage.value));
        const DataType type = m_builder.description().values[std::size_t(m_stage.value)].type;
        slope = withParts(*slope, [&](const Expr &part) {
            return part->fn == Fn::Accumulator
                       ? inType(Expr::load(result, type), m_stage.body.type())
                       : Expr();
        });
    }
    flows.push_back(scatterOf(read, m_stage.axes, slopeThroughCombination(*slope)));
    return flows;
}

Result<Operand> StageAdjoint::beforeOverwriting()
{
    const Operand gradient = m_reads[m_stage.reads.size()].operand;
    int own = -1;
    for (std::size_t r = 0; r < m_stage.reads.size(); ++r)
        if (m_stage.reads[r].operand == Operand{Operand::Kind::Value, m_stage.value})
            own = int(r);
    const auto slope =
        own < 0 ? std::optional(Expr::real(0, m_stage.body.type())) : slopeOf(m_stage.body, own);
    if (!slope)
        return refuse();
    if (isLiteral(*slope, 1))
        return gradient;
    const Value &like = m_builder.description().values[std::size_t(m_stage.value)];
    const int value = m_builder.addValue(like.type, *like.shape);
    m_builder.gather(copyOf(gradient, *like.shape, like.type), value);
    // Overwrites in the order of the call, so that several factors of one element multiply.
    Stage stage = m_stage;
    stage.name = "overwritten";
    stage.reads = m_reads;
    stage.reads.push_back({{Operand::Kind::Value, value}, m_stage.write, Read::Outside::Never, 0});
    stage.value = value;
    stage.body = productOf(*slope, Expr::load(int(stage.reads.size()) - 1, like.type));
    m_builder.add(std::move(stage));
    return Operand{Operand::Kind::Value, value};
}

} // namespace graphloom
