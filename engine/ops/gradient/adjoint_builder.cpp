// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/gradient/adjoint_builder.h"

#include "engine/ops/describe/build.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns the expression with its reads renumbered.
Expr renumbered(const Expr &expr, const std::vector<int> &numbers)
{
    if (expr.empty())
        return expr;
    return rewritten(expr, [&](const Expr::Node &leaf) -> Expr {
        if (leaf.fn == Fn::Load)
            return Expr::load(numbers[std::size_t(leaf.index)], leaf.type);
        if (leaf.fn == Fn::Inside)
            return Expr::inside(numbers[std::size_t(leaf.index)]);
        return {};
    });
}

void renumber(IndexMap &map, const std::vector<int> &numbers)
{
    for (Index &index : map)
        if (index.lookup >= 0)
            index.lookup = numbers[std::size_t(index.lookup)];
}

bool sameAxes(const Stage &a, const Stage &b)
{
    const auto space = [](const Stage &stage) {
        std::vector<Dim> extents;
        for (const Axis &axis : stage.axes)
            if (axis.kind == Axis::Kind::Space)
                extents.push_back(axis.extent);
        return extents;
    };
    const auto same = [](const Index &x, const Index &y) {
        return x.isAffine() && y.isAffine() && x.offset == y.offset &&
               std::ranges::equal(x.terms, y.terms, [](const auto &s, const auto &t) {
                   return s.axis == t.axis && s.coefficient == t.coefficient;
               });
    };
    return space(a) == space(b) && std::ranges::equal(a.write, b.write, same);
}

/// Appends an elementwise stage over the same space axes to the result of another one.
void join(Stage &stage, const Stage &elementwise)
{
    std::vector<int> numbers;
    const auto first = int(stage.reads.size());
    for (std::size_t r = 0; r < elementwise.reads.size(); ++r)
        numbers.push_back(first + int(r));
    for (Read read : elementwise.reads) {
        renumber(read.map, numbers);
        stage.reads.push_back(std::move(read));
    }
    Expr &result = stage.combine == Combine::None ? stage.body : stage.finish;
    if (result.empty())
        result = Expr::accumulator(stage.body.type());
    result = sumOf(result, inType(renumbered(elementwise.body, numbers), result.type()));
}

/// Drops reads that neither the stage nor its indices use.
void dropReads(Stage &stage)
{
    std::set<int> used = loadedReads(stage);
    for (const Expr *part : {&stage.body, &stage.finish})
        for (const int read : part->empty() ? std::vector<int>() : readsOf(*part)) {
            used.insert(read);
            for (const Index &index : stage.reads[std::size_t(read)].map)
                if (index.lookup >= 0)
                    used.insert(index.lookup);
        }
    std::vector<int> numbers(stage.reads.size(), -1);
    std::vector<Read> kept;
    for (const int read : used) {
        numbers[std::size_t(read)] = int(kept.size());
        kept.push_back(stage.reads[std::size_t(read)]);
    }
    for (Read &read : kept)
        renumber(read.map, numbers);
    renumber(stage.write, numbers);
    stage.reads = std::move(kept);
    stage.body = renumbered(stage.body, numbers);
    stage.finish = renumbered(stage.finish, numbers);
}

} // namespace

AdjointBuilder::AdjointBuilder(const Call &call, const Description &description, int input,
                               const std::vector<bool> &given)
    : m_call(call), m_description(description), m_input(input), m_given(given)
{
    m_built.values.push_back({call.type(std::size_t(input)), call.shape(std::size_t(input)), {}});
}

bool AdjointBuilder::isGiven(int output) const
{
    return output < int(m_given.size()) && m_given[std::size_t(output)];
}

bool AdjointBuilder::hasOutput(int output) const
{
    const auto &outputs = m_call.node().outputs;
    return output < m_description.outputs && output < int(outputs.size()) &&
           outputs[std::size_t(output)].valid();
}

Operand AdjointBuilder::output(int number) const
{
    return inputOf(int(m_call.inputCount()) + number);
}

Operand AdjointBuilder::gradientOf(int output) const
{
    return inputOf(int(m_call.inputCount() + m_call.outputCount()) + output);
}

Operand AdjointBuilder::forward(int value)
{
    if (hasOutput(value))
        return output(value);
    return {Operand::Kind::Value, recompute(value, int(m_description.stages.size()))};
}

Operand AdjointBuilder::forwardBefore(int value, int before)
{
    const auto &stages = m_description.stages;
    const bool isFinal = std::none_of(stages.begin() + before, stages.end(),
                                      [&](const Stage &s) { return s.value == value; });
    return isFinal ? forward(value) : Operand{Operand::Kind::Value, recompute(value, before)};
}

Operand AdjointBuilder::forward(const Operand &operand)
{
    return operand.kind == Operand::Kind::Input ? operand : forward(operand.index);
}

int AdjointBuilder::recompute(int value, int before)
{
    const auto known = m_recomputed.find({value, before});
    if (known != m_recomputed.end())
        return known->second;
    const Value &facts = m_description.values[std::size_t(value)];
    const int copy = addValue(facts.type, facts.shape.value_or(Shape()));
    m_recomputed[{value, before}] = copy;
    for (int s = 0; s < before; ++s) {
        Stage stage = m_description.stages[std::size_t(s)];
        if (stage.value != value)
            continue;
        stage.value = copy;
        for (Read &read : stage.reads)
            read.operand = read.operand == Operand{Operand::Kind::Value, value}
                               ? Operand{Operand::Kind::Value, copy}
                               : forward(read.operand);
        add(std::move(stage));
    }
    return copy;
}

Shape AdjointBuilder::shapeOf(const Operand &operand) const
{
    if (operand.kind == Operand::Kind::Value)
        return m_built.values[std::size_t(operand.index)].shape.value_or(Shape());
    const auto inputs = int(m_call.inputCount()), outputs = int(m_call.outputCount());
    if (operand.index < inputs)
        return m_call.shape(std::size_t(operand.index));
    return m_description.values[std::size_t((operand.index - inputs) % outputs)].shape.value_or(
        Shape());
}

DataType AdjointBuilder::typeOf(const Operand &operand) const
{
    if (operand.kind == Operand::Kind::Value)
        return m_built.values[std::size_t(operand.index)].type;
    const auto inputs = int(m_call.inputCount()), outputs = int(m_call.outputCount());
    if (operand.index < inputs)
        return m_call.type(std::size_t(operand.index));
    return m_description.values[std::size_t((operand.index - inputs) % outputs)].type;
}

int AdjointBuilder::addValue(DataType type, Shape shape)
{
    m_built.values.push_back({type, std::move(shape), {}});
    return int(m_built.values.size()) - 1;
}

void AdjointBuilder::add(Stage stage)
{
    dropReads(stage);
    m_built.stages.push_back(std::move(stage));
}

std::vector<Stage> AdjointBuilder::stagesOf(const Scatter &scatter, const Shape &shape)
{
    const OperandFacts facts{[this](const Operand &operand) { return shapeOf(operand); },
                             [this](const Operand &operand) { return typeOf(operand); }};
    const DataType type = scatter.factor.type();
    // 16-bit reals are accumulated in a longer type.
    const DataType sumType = bitsOf(type) < 32 ? DataType::Float : type;
    if (accumulated(scatter, shape, 0, sumType)) {
        const int sum = addValue(sumType, shape);
        accumulate(scatter, sum);
        Stage copy;
        copy.axes = build::spaceAxes(shape);
        copy.write = build::identityMap(shape.size());
        copy.reads = {build::readValue(sum, copy.write)};
        copy.body = inType(Expr::load(0, sumType), type);
        return {copy};
    }
    auto split = compact(scatter, shape);
    if (!split)
        return gathered(scatter, shape, facts);
    const int value = addValue(type, split->shape);
    gather(split->sum, value);
    split->place.reads[0].operand = {Operand::Kind::Value, value};
    split->place.factor = Expr::load(0, type);
    return gathered(split->place, shape, facts);
}

bool AdjointBuilder::accumulate(const Scatter &scatter, int value)
{
    const Value facts = m_built.values[std::size_t(value)];
    auto stages = accumulated(scatter, facts.shape.value_or(Shape()), value, facts.type);
    if (!stages || bitsOf(facts.type) < 32)
        return false;
    for (Stage &stage : *stages)
        add(std::move(stage));
    return true;
}

void AdjointBuilder::gather(const Scatter &scatter, int value)
{
    gather(std::vector<Scatter>{scatter}, value);
}

void AdjointBuilder::gather(const std::vector<Scatter> &scatters, int value)
{
    const Value facts = m_built.values[std::size_t(value)];
    const Shape shape = facts.shape.value_or(Shape());
    if (scatters.size() == 1 && accumulate(scatters.front(), value))
        return;
    std::vector<std::vector<Stage>> parts;
    for (const Scatter &scatter : scatters) {
        auto stages = stagesOf(scatter, shape);
        const auto partner = std::ranges::find_if(parts, [&](const std::vector<Stage> &part) {
            return part.size() == 1 && stages.size() == 1 && sameAxes(part[0], stages[0]) &&
                   (part[0].combine == Combine::None || stages[0].combine == Combine::None);
        });
        if (partner == parts.end()) {
            parts.push_back(std::move(stages));
            continue;
        }
        Stage &stage = partner->front();
        if (stage.combine == Combine::None && stages[0].combine != Combine::None)
            std::swap(stage, stages[0]);
        join(stage, stages[0]);
    }
    if (parts.size() == 1) {
        for (Stage &stage : parts[0]) {
            stage.value = value;
            add(std::move(stage));
        }
        return;
    }
    Stage sum;
    sum.name = "sum";
    sum.axes = build::spaceAxes(shape);
    sum.write = build::identityMap(shape.size());
    sum.value = value;
    for (std::vector<Stage> &part : parts) {
        const int partial = addValue(facts.type, shape);
        for (Stage &stage : part) {
            stage.value = partial;
            add(std::move(stage));
        }
        const Expr load = Expr::load(int(sum.reads.size()), facts.type);
        sum.body = sum.body.empty() ? load : sum.body + load;
        sum.reads.push_back(build::readValue(partial, sum.write));
    }
    add(std::move(sum));
}

std::optional<Description> AdjointBuilder::finish() &&
{
    std::vector<bool> needed(m_built.values.size(), false);
    needed[0] = true;
    std::vector<Stage> kept;
    for (auto stage = m_built.stages.rbegin(); stage != m_built.stages.rend(); ++stage) {
        if (!needed[std::size_t(stage->value)])
            continue;
        for (const Read &read : stage->reads)
            if (read.operand.kind == Operand::Kind::Value)
                needed[std::size_t(read.operand.index)] = true;
        kept.push_back(std::move(*stage));
    }
    std::ranges::reverse(kept);
    const auto writesResult = [](const Stage &stage) { return stage.value == 0; };
    if (std::ranges::none_of(kept, writesResult))
        return std::nullopt;
    std::vector<int> numbers(needed.size(), -1);
    std::vector<Value> values;
    for (std::size_t v = 0; v < needed.size(); ++v)
        if (needed[v]) {
            numbers[v] = int(values.size());
            values.push_back(std::move(m_built.values[v]));
        }
    for (Stage &stage : kept) {
        stage.value = numbers[std::size_t(stage.value)];
        for (Read &read : stage.reads)
            if (read.operand.kind == Operand::Kind::Value)
                read.operand.index = numbers[std::size_t(read.operand.index)];
    }
    m_built.values = std::move(values);
    m_built.stages = std::move(kept);
    return std::move(m_built);
}

} // namespace graphloom
