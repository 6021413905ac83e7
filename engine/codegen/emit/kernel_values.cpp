// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_values.h"

#include "engine/codegen/emit/accumulator_start.h"
#include "engine/codegen/index/c_names.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/interpreter/stages/scalar_math.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Tells whether a text is a name or a number and therefore needs no name.
bool isPlain(const std::string &text)
{
    return std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    });
}

} // namespace

KernelValues::KernelValues(const NestJob &job, const CodeOptions &options)
    : m_job(job), m_nest(*job.nest), m_options(options),
      m_packed(packedOperandsOf(*job.nest, *job.schedule)),
      m_lane(variableOf(job.schedule->loops().nextIndex())),
      m_start(accumulatorStart(*job.nest, *job.tensors))
{
    for (const Loop &loop : job.schedule->loops())
        m_loopNames.push_back(cIdentifier(loop.name, m_loopNames.elements()));
    m_extents.assign(job.schedule->loops().size() + 1, 1);
    m_extents.back() = options.lanes;
    m_declarations = declarationsOf();
    for (const auto &[buffer, tensor] : m_declarations.buffers)
        m_declared.emplace(tensor.name, &tensor);
    for (const auto &[number, tensor] : m_declarations.scratch)
        m_declared.emplace(tensor.name, &tensor);
}

bool KernelValues::goesOn()
{
    if (!m_error && m_options.steps && m_options.steps->stopped())
        m_error = stoppedError().value();
    return !m_error;
}

void KernelValues::fail(const std::string &message)
{
    if (!m_error)
        m_error = Error{Error::Kind::Model,
                        "no C code for " + m_nest.name + ": " + message,
                        {},
                        std::source_location::current()};
}

std::string KernelValues::bufferOf(BlockTensorIndex tensor) const
{
    if (isLocal(tensor))
        return "s" + std::to_string(tensor.number());
    return argumentOf(m_job.buffers[tensor]);
}

NestDeclarations KernelValues::declarationsOf() const
{
    NestDeclarations declarations;
    // Comments state shapes, not names, so that equal kernels have equal code.
    const auto shapeOf = [&](BlockTensorIndex tensor) {
        std::string text;
        for (const std::int64_t extent : (*m_job.tensors)[tensor].extents)
            text += (text.empty() ? "" : " x ") + std::to_string(extent);
        return text;
    };
    IndexedVector<ReadIndex, bool> isPacked(m_nest.reads.size());
    for (const PackedIndex p : m_packed.indices()) {
        isPacked[m_packed[p].read] = true;
        const BufferIndex buffer = m_job.packedBuffers[p];
        declarations.buffers[buffer] = {.name = argumentOf(buffer),
                                        .type = cType((*m_job.tensors)[m_packed[p].tensor].type),
                                        .comment = shapeOf(m_packed[p].tensor) + ", packed",
                                        .isImage = isImage(m_packed[p].read)};
    }
    const auto declare = [&](BlockTensorIndex tensor, bool isWritten) {
        DeclaredTensor &declared = isLocal(tensor) ? declarations.scratch[tensor]
                                                   : declarations.buffers[m_job.buffers[tensor]];
        declared = {bufferOf(tensor), cType((*m_job.tensors)[tensor].type), shapeOf(tensor),
                    isWritten, isLocal(tensor) ? m_job.scratch[tensor] : -1};
    };
    for (const ReadIndex read : m_nest.reads.indices()) {
        const BlockTensorIndex tensor = m_nest.reads[read].tensor;
        if (isPacked[read])
            continue;
        if (const auto image = m_job.images.find(read); image != m_job.images.end())
            declarations.buffers[image->second] = {.name = argumentOf(image->second),
                                                   .type = cType((*m_job.tensors)[tensor].type),
                                                   .comment = shapeOf(tensor),
                                                   .isImage = true};
        else
            declare(tensor, false);
    }
    for (const NestStore &store : m_nest.stores)
        declare(store.tensor, true);
    return declarations;
}

void KernelValues::begin(int depth)
{
    m_levels.assign(1, Level{{}, {}, depth, {}});
    m_after.reset();
    m_undeclared.clear();
    m_runs.clear();
    m_startsThere = false;
}

std::string KernelValues::end()
{
    return m_levels.front().code + (m_after ? m_after->code : std::string());
}

void KernelValues::openLoop(LoopIndex loop, std::int64_t count)
{
    setExtent(loop, count);
    const int depth = m_levels.back().depth;
    m_levels.push_back(Level{{}, {}, depth + 1, loop});
}

void KernelValues::closeLoop()
{
    const Level done = std::move(m_levels.back());
    m_levels.pop_back();
    const std::string name = nameOf(done.loop);
    const std::string pad = padOf(m_levels.back().depth);
    m_levels.back().code += pad + "for (" + m_options.language->indexType() + " " + name +
                            " = 0; " + name + " < " +
                            std::to_string(m_extents[variableOf(done.loop)]) + "; ++" + name +
                            ") {\n" + done.code + pad + "}\n";
}

std::string KernelValues::typeOf(const Value &value) const
{
    if (value.vector)
        return value.kind == Value::Kind::Mask ? "vi" : "vf";
    switch (value.kind) {
    case Value::Kind::Float:
        return "float";
    case Value::Kind::Double:
        return "double";
    default:
        return value.isUnsigned ? "uint64_t" : "int64_t";
    }
}

KernelValues::Value KernelValues::named(Value value, const std::string &type)
{
    if (isPlain(value.text))
        return value;
    for (const LevelIndex at : IndexRange(outermost, value.level + 1))
        if (const auto known = m_levels[at].names.find(value.text);
            known != m_levels[at].names.end()) {
            value.text = known->second;
            return value;
        }
    Level &level = m_after ? *m_after : m_levels[value.level];
    const auto [at, isNew] = level.names.try_emplace(value.text, "v" + std::to_string(m_names));
    if (isNew) {
        ++m_names;
        level.code += padOf(level.depth) + type + " " + at->second + " = " + value.text + ";\n";
    }
    value.text = at->second;
    return value;
}

KernelValues::Value KernelValues::asVector(Value value)
{
    if (value.vector)
        return value;
    if (value.kind == Value::Kind::Integer)
        value = {"gv_splati(-(int32_t)(" + value.text + " != 0))", Value::Kind::Mask, true, false,
                 value.level};
    else
        value = {"gv_splat((float)" + value.text + ")", Value::Kind::Float, true, false,
                 value.level};
    return named(value, "const " + typeOf(value));
}

KernelValues::Value KernelValues::valueOf(const Expr &expr, const NestPoint &point)
{
    if (m_options.steps)
        m_options.steps->add();
    if (!goesOn())
        return {};
    if (arityOf(expr->fn) == 0)
        return made(expr, point);
    if (const auto known = m_known.find(&*expr); known != m_known.end())
        return known->second;
    Value value = made(expr, point);
    m_known.emplace(&*expr, value);
    return value;
}

KernelValues::Value KernelValues::made(const Expr &expr, const NestPoint &point)
{
    Value value;
    switch (expr->fn) {
    case Fn::Load:
        return loaded(readIn(*expr), point);
    case Fn::Inside:
        return insideOf(readIn(*expr), point);
    case Fn::Axis: {
        const IndexForm form = axisAt(axisIn(*expr), point);
        value.kind = Value::Kind::Integer;
        if (point.laneAxis.isValid() && form.dependsOn(m_lane))
            fail("a vectorized loop index as a value");
        value.level = levelOf(form);
        value.text = "(" + textOf(form, point) + ")";
        if (m_options.language->indexType() != typeOf(value))
            value.text = "(" + typeOf(value) + ")" + value.text;
        return value;
    }
    case Fn::Real:
    case Fn::Integer:
        value.kind = kindOf(expr->type);
        value.isUnsigned = expr->type == DataType::Uint64;
        if (!isIntegral(expr->type))
            value.text =
                cLiteral(expr->fn == Fn::Real ? expr->real : double(expr->integer), expr->type);
        else
            value.text = cLiteral(expr->fn == Fn::Real ? scalar::truncatedTo(expr->type, expr->real)
                                                       : expr->integer,
                                  expr->type);
        return value;
    case Fn::Accumulator: {
        value.text = m_accumulator;
        value.vector = m_accumulatorIsVector;
        value.kind = kindOf(m_nest.accumulator);
        value.isUnsigned = m_nest.accumulator == DataType::Uint64;
        return value;
    }
    case Fn::Table: {
        const Value index = valueOf(expr.argument(0), point);
        if (index.vector)
            fail("a table with vectorized indices");
        std::string entries;
        for (const Dim &entry : *expr->table)
            entries += (entries.empty() ? "" : ", ") + cLiteral(entry.value(), DataType::Int64);
        value.kind = Value::Kind::Integer;
        value.level = index.level;
        value.text = "((const int64_t[]){" + entries + "})[" + index.text + "]";
        return named(value, "const " + typeOf(value));
    }
    case Fn::Add:
        if (m_startsThere && addedToAccumulator(*expr).isValid())
            return made(Expr::accumulator(m_nest.accumulator), point);
        break;
    default:
        break;
    }
    std::vector<Value> arguments;
    for (int i = 0; i < arityOf(expr->fn); ++i)
        arguments.push_back(valueOf(expr.argument(i), point));
    return function(expr, std::move(arguments));
}

KernelValues::Value::Kind KernelValues::kindOf(DataType type)
{
    return type == DataType::Double ? Value::Kind::Double
           : isIntegral(type)       ? Value::Kind::Integer
                                    : Value::Kind::Float;
}

} // namespace graphloom
