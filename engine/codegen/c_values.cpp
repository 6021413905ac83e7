// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/c_values.h"

#include "engine/codegen/c_names.h"
#include "engine/codegen/expr_edit.h"
#include "engine/runtime/scalar_math.h"

#include <algorithm>
#include <limits>

namespace graphloom {

namespace {

std::string padOf(int depth)
{
    return std::string(std::size_t(depth) * 4, ' ');
}

/// A name or a number, which needs no name.
bool isPlain(const std::string &text)
{
    return std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    });
}

bool isPosition(Combine combine)
{
    return combine >= Combine::ArgMax;
}

/// An assignment to an element.
std::string stored(DataType type, const std::string &pointer, std::int64_t at,
                   const std::string &value)
{
    const std::string place = std::to_string(at);
    return cHalf(type).empty()
               ? pointer + "[" + place + "] = " + value
               : "gs_store_" + cHalf(type) + "(" + pointer + " + " + place + ", " + value + ")";
}

std::string laneMask(int lanes, int width)
{
    std::string text = "(vi){";
    for (int lane = 0; lane < width; ++lane)
        text += lane < lanes ? (lane > 0 ? ", -1" : "-1") : ", 0";
    return text + "}";
}

} // namespace

CValues::CValues(const NestJob &job, const CodeOptions &options)
    : m_job(job), m_nest(*job.nest), m_options(options),
      m_packed(packedOperandsOf(*job.nest, *job.schedule)),
      m_lane(int(job.schedule->loops().size()))
{
    for (const Loop &loop : job.schedule->loops())
        m_loopNames.push_back(cIdentifier(loop.name, m_loopNames));
    m_extents.assign(std::size_t(m_lane) + 1, 1);
    m_extents.back() = options.lanes;
}

void CValues::fail(const std::string &message)
{
    if (!m_error)
        m_error = Error{Error::Kind::Model,
                        "no C code for " + m_nest.name + ": " + message,
                        {},
                        std::source_location::current()};
}

std::string CValues::bufferOf(int tensor) const
{
    if (isLocal(tensor))
        return "s" + std::to_string(tensor);
    return "b" + std::to_string(m_job.buffers[std::size_t(tensor)]);
}

std::string CValues::bufferDeclarations() const
{
    std::map<int, std::string> lines;
    // Shapes, not names: equal kernels have equal code.
    const auto shapeOf = [&](int tensor) {
        std::string text;
        for (const std::int64_t extent : (*m_job.tensors)[std::size_t(tensor)].extents)
            text += (text.empty() ? "" : " x ") + std::to_string(extent);
        return text;
    };
    const auto declare = [&](int buffer, const std::string &type, const std::string &what) {
        const std::string number = std::to_string(buffer);
        lines[buffer] = "            " + type + " *const restrict b" + number + " = buffers[" +
                        number + "]; // " + what + "\n";
    };
    std::vector<bool> isPacked(m_nest.reads.size());
    for (std::size_t p = 0; p < m_packed.size(); ++p) {
        isPacked[std::size_t(m_packed[p].read)] = true;
        declare(m_job.packedBuffers[p], "const float", shapeOf(m_packed[p].tensor) + ", packed");
    }
    const auto declareLocal = [&](int tensor, const std::string &type) {
        lines[1 << 20 | tensor] = "            " + type + " *const restrict s" +
                                  std::to_string(tensor) + " = (" + type + " *)(scratch + " +
                                  std::to_string(m_job.scratch[std::size_t(tensor)]) +
                                  "); // a tile of " + shapeOf(tensor) + "\n";
    };
    for (std::size_t r = 0; r < m_nest.reads.size(); ++r)
        if (const int tensor = m_nest.reads[r].tensor; !isPacked[r] && isLocal(tensor))
            declareLocal(tensor, "const " + cType((*m_job.tensors)[std::size_t(tensor)].type));
        else if (!isPacked[r])
            declare(m_job.buffers[std::size_t(tensor)],
                    "const " + cType((*m_job.tensors)[std::size_t(tensor)].type), shapeOf(tensor));
    for (const NestStore &store : m_nest.stores)
        if (isLocal(store.tensor))
            declareLocal(store.tensor, cType((*m_job.tensors)[std::size_t(store.tensor)].type));
        else
            declare(m_job.buffers[std::size_t(store.tensor)],
                    cType((*m_job.tensors)[std::size_t(store.tensor)].type), shapeOf(store.tensor));
    std::string text;
    for (const auto &[buffer, line] : lines)
        text += line;
    return text;
}

void CValues::begin(int depth)
{
    m_levels.assign(1, Level{{}, {}, depth, {}});
    m_after.reset();
}

std::string CValues::end()
{
    return m_levels.front().code + (m_after ? m_after->code : std::string());
}

void CValues::openLoop(int loop, std::int64_t count)
{
    setExtent(loop, count);
    const int depth = m_levels.back().depth;
    m_levels.push_back(Level{{}, {}, depth + 1, {loop}});
}

void CValues::closeLoop()
{
    const Level done = std::move(m_levels.back());
    m_levels.pop_back();
    const std::string name = nameOf(done.loops.front());
    const std::string pad = padOf(m_levels.back().depth);
    m_levels.back().code += pad + "for (int64_t " + name + " = 0; " + name + " < " +
                            std::to_string(m_extents[std::size_t(done.loops.front())]) + "; ++" +
                            name + ") {\n" + done.code + pad + "}\n";
}

IndexForm CValues::axisAt(int axis, const NestPoint &point) const
{
    IndexForm form;
    const std::vector<Loop> &loops = m_job.schedule->loops();
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (loops[i].axis == axis && (loops[i].kind != Loop::Kind::Vector || point.laneAxis < 0))
            form = form + point.at[i] * loops[i].step;
    if (point.laneAxis == axis)
        form = form + IndexForm::variable(m_lane);
    return form;
}

IndexForm CValues::formAt(const IndexForm &form, const NestPoint &point)
{
    m_extents.back() = std::max(point.lanes, 1);
    return form.substituted(
        [&](int axis) -> std::optional<IndexForm> { return axisAt(axis, point); }, m_extents);
}

IndexForm CValues::offsetOf(const std::vector<IndexForm> &map, const Storage &storage,
                            const NestPoint &point)
{
    IndexForm offset = storage.base, inTile;
    for (std::size_t d = 0; d < map.size(); ++d)
        (storage.local.empty() || !storage.local[d] ? offset : inTile) =
            (storage.local.empty() || !storage.local[d] ? offset : inTile) +
            map[d] * storage.strides[d];
    if (inTile.isConstant())
        return formAt(offset.joined(), point);
    NestPoint origin = point;
    const std::vector<Loop> &loops = m_job.schedule->loops();
    for (std::size_t i = 0; i < loops.size() && loops[i].kind == Loop::Kind::Parallel; ++i)
        origin.at[i] = IndexForm(0);
    return formAt(offset.joined(), point) + formAt(inTile.joined(), origin);
}

IndexForm CValues::packedOffset(const PackedOperand &operand, const NestPoint &point) const
{
    IndexForm offset;
    std::int64_t stride = 1;
    const std::vector<Loop> &loops = m_job.schedule->loops();
    for (std::size_t d = operand.dimensions.size(); d-- > 0;) {
        const PackedOperand::Dimension &dimension = operand.dimensions[d];
        const auto loop = std::size_t(dimension.loop);
        offset = offset + (loops[loop].kind == Loop::Kind::Vector && point.laneAxis >= 0
                               ? IndexForm::variable(m_lane)
                               : point.at[loop]) *
                              stride;
        stride *= dimension.count;
    }
    return offset;
}

std::size_t CValues::levelOf(const IndexForm &form) const
{
    std::size_t level = 0;
    form.forEachVariable([&](int variable) {
        for (std::size_t l = 1; l < m_levels.size(); ++l)
            if (m_levels[l].loops.front() == variable)
                level = std::max(level, l);
    });
    return level;
}

std::string CValues::textOf(const IndexForm &form, const NestPoint &point)
{
    std::string text;
    for (const auto &[atom, coefficient] : form.terms()) {
        const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
        if (!text.empty() || coefficient < 0)
            text += coefficient < 0 ? " - " : " + ";
        std::string part;
        switch (atom->kind) {
        case IndexForm::Kind::Variable:
            part = nameOf(atom->number);
            break;
        case IndexForm::Kind::Quotient:
        case IndexForm::Kind::Remainder: {
            const bool quotient = atom->kind == IndexForm::Kind::Quotient;
            const std::string argument = textOf(atom->argument, point);
            if (atom->argument.bounds(m_extents).least >= 0)
                part =
                    "(" + argument + (quotient ? ") / " : ") % ") + std::to_string(atom->divisor);
            else
                part = (quotient ? "gi_floordiv(" : "gi_mod(") + argument + ", " +
                       std::to_string(atom->divisor) + ")";
            if (size != 1)
                part = "(" + part + ")";
            break;
        }
        case IndexForm::Kind::Table: {
            std::string values;
            for (const std::int64_t value : *atom->table)
                values += (values.empty() ? "" : ", ") + std::to_string(value);
            part = "((const int64_t[]){" + values + "})[" + textOf(atom->argument, point) + "]";
            break;
        }
        case IndexForm::Kind::Lookup: {
            const Value value = loaded(atom->number, point);
            part = "gi_lookup(" + value.text + ", " + std::to_string(atom->divisor) + ", status)";
            break;
        }
        }
        text += size == 1 ? part : std::to_string(size) + " * " + part;
    }
    if (text.empty())
        return std::to_string(form.offset());
    if (form.offset() != 0)
        text += (form.offset() < 0 ? " - " : " + ") + std::to_string(std::abs(form.offset()));
    return text;
}

std::string CValues::typeOf(const Value &value) const
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

CValues::Value CValues::named(Value value, const std::string &type)
{
    if (isPlain(value.text))
        return value;
    for (std::size_t l = 0; l <= value.level; ++l)
        if (const auto known = m_levels[l].names.find(value.text);
            known != m_levels[l].names.end()) {
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

void CValues::forEachLookedUp(const IndexForm &form, const NestPoint &point,
                              const std::function<void(const IndexForm &)> &visit)
{
    form.forEachLookup([&](int read) {
        for (const IndexForm &index : m_nest.reads[std::size_t(read)].map) {
            const IndexForm at = formAt(index, point);
            visit(at);
            forEachLookedUp(at, point, visit);
        }
    });
}

std::pair<std::string, std::int64_t>
CValues::addressOf(const std::string &buffer, const IndexForm &offset, const NestPoint &point)
{
    // A pointer for each loop of the reduction, so that in each only what it changes is added.
    std::string pointer = buffer;
    std::size_t level = 0;
    for (std::size_t l = 0; l < m_levels.size(); ++l) {
        IndexForm part;
        for (const auto &[atom, coefficient] : offset.terms()) {
            IndexForm term = IndexForm::ofAtom(atom);
            std::size_t of = levelOf(term);
            forEachLookedUp(term, point,
                            [&](const IndexForm &at) { of = std::max(of, levelOf(at)); });
            if (of == l)
                part = part + term * coefficient;
        }
        if (part.isConstant())
            continue;
        level = l;
        Value value{pointer + " + (" + textOf(part, point) + ")", Value::Kind::Integer, false,
                    false, level};
        pointer = named(std::move(value), "__typeof__(*" + buffer + ") *const").text;
    }
    return {pointer, offset.offset()};
}

Bounds CValues::storedOf(const NestRead &read, std::size_t dimension) const
{
    const Storage &storage = m_job.storages[std::size_t(read.tensor)];
    Bounds stored{0, (*m_job.tensors)[std::size_t(read.tensor)].extents[dimension] - 1};
    if (!storage.margins.empty() && storage.marginValue == read.outsideValue) {
        stored.least -= storage.margins[dimension].first;
        stored.most += storage.margins[dimension].second;
    }
    return stored;
}

std::string CValues::within(const std::vector<IndexForm> &map, const NestPoint &point,
                            const std::function<Bounds(std::size_t)> &allowed, std::size_t &level)
{
    std::string text;
    for (std::size_t d = 0; d < map.size(); ++d) {
        const IndexForm form = formAt(map[d], point);
        const Bounds bounds = form.bounds(m_extents), wanted = allowed(d);
        if (bounds.least >= wanted.least && bounds.most <= wanted.most)
            continue;
        level = std::max(level, levelOf(form));
        // As unsigned numbers those below are the greatest.
        text += (text.empty() ? "" : " && ") + std::string("(uint64_t)(") +
                textOf(form - IndexForm(wanted.least), point) + ") < " +
                std::to_string(wanted.most - wanted.least + 1) + "u";
    }
    return text;
}

std::string CValues::inside(const NestRead &read, const NestPoint &point, std::size_t &level)
{
    return within(
        read.map, point, [&](std::size_t d) { return storedOf(read, d); }, level);
}

CValues::Value CValues::loaded(int number, const NestPoint &point)
{
    const NestRead &read = m_nest.reads[std::size_t(number)];
    const BlockTensor &tensor = (*m_job.tensors)[std::size_t(read.tensor)];
    const DataType type = tensor.type;
    const auto packed = std::ranges::find(m_packed, number, &PackedOperand::read);
    const bool isPacked = packed != m_packed.end();
    const std::string buffer =
        isPacked ? "b" + std::to_string(m_job.packedBuffers[std::size_t(packed - m_packed.begin())])
                 : bufferOf(read.tensor);
    const auto offsetAt = [&](const NestPoint &at) {
        return isPacked ? packedOffset(*packed, at)
                        : offsetOf(read.map, m_job.storages[std::size_t(read.tensor)], at);
    };
    const IndexForm offset = offsetAt(point);
    std::size_t level = levelOf(offset);
    bool laneLooksUp = false;
    forEachLookedUp(offset, point, [&](const IndexForm &at) {
        level = std::max(level, levelOf(at));
        laneLooksUp = laneLooksUp || at.dependsOn(m_lane);
    });
    const bool isHalf = !cHalf(type).empty();
    const auto element = [&](const NestPoint &at) {
        const auto [pointer, constant] =
            addressOf(buffer, isPacked ? packedOffset(*packed, at) : offsetAt(at), at);
        std::string text = pointer + "[" + std::to_string(constant) + "]";
        if (type == DataType::Bool)
            text = "(" + text + " != 0)";
        else if (isIntegral(type))
            text = (type == DataType::Uint64 ? "(uint64_t)" : "(int64_t)") + text;
        else if (isHalf)
            text =
                "gs_load_" + cHalf(type) + "(" + pointer + " + " + std::to_string(constant) + ")";
        std::size_t ignored = 0;
        if (read.guarded && !isPacked)
            if (const std::string test = inside(read, at, ignored); !test.empty())
                text = "(" + test + " ? " + text + " : " + cLiteral(read.outsideValue, type) + ")";
        return text;
    };
    Value value;
    value.level = level;
    value.kind = type == DataType::Double ? Value::Kind::Double
                 : isIntegral(type)       ? Value::Kind::Integer
                                          : Value::Kind::Float;
    value.isUnsigned = type == DataType::Uint64;
    bool guardsLanes = false;
    if (read.guarded && !isPacked && point.laneAxis >= 0)
        for (const IndexForm &form : read.map)
            guardsLanes = guardsLanes || formAt(form, point).dependsOn(m_lane);
    const bool varies =
        point.laneAxis >= 0 && (offset.dependsOn(m_lane) || laneLooksUp || guardsLanes);
    if (!varies) {
        if (read.guarded && !isPacked)
            inside(read, point, value.level);
        value.text = element(point);
        return named(value, "const " + typeOf(value));
    }
    value.vector = true;
    const bool isMask = type == DataType::Bool;
    if (isMask)
        value.kind = Value::Kind::Mask;
    else if (type != DataType::Float && !isHalf)
        fail("lanes of type " + std::string(graphloom::nameOf(type)));
    IndexForm rest = offset - IndexForm::variable(m_lane);
    if (guardsLanes) {
        // Lanes are inside together when the dimension that they run along is inside as a whole.
        for (std::size_t d = 0; d < read.map.size(); ++d)
            if (const IndexForm form = formAt(read.map[d], point); form.dependsOn(m_lane)) {
                const Bounds bounds = form.bounds(m_extents), stored = storedOf(read, d);
                if (bounds.least < stored.least || bounds.most > stored.most)
                    rest = IndexForm::variable(m_lane); // lane by lane
            }
    }
    if (!rest.dependsOn(m_lane) && !laneLooksUp) {
        const auto [pointer, constant] = addressOf(buffer, rest, point);
        const std::string address = pointer + " + " + std::to_string(constant);
        // Packed operands are padded to whole tiles, but not beyond an axis of fewer than a vector.
        const auto isVector = [&](const PackedOperand::Dimension &dimension) {
            return m_job.schedule->loops()[std::size_t(dimension.loop)].kind ==
                       Loop::Kind::Vector &&
                   dimension.count >= m_options.lanes;
        };
        const bool whole = point.lanes == m_options.lanes ||
                           (isPacked && std::ranges::any_of(packed->dimensions, isVector));
        const std::string load = isMask   ? "gv_load_mask"
                                 : isHalf ? "gv_load_" + cHalf(type)
                                          : "gv_load";
        value.text = whole ? load + "(" + address + ")"
                           : load + "_n(" + address + ", " + std::to_string(point.lanes) + ")";
        if (read.guarded && !isPacked) {
            if (const std::string test = inside(read, point, value.level); !test.empty())
                value.text =
                    "(" + test + ") ? " + value.text + " : " +
                    (isMask ? std::string("gv_splati(") + (read.outsideValue > 0 ? "-1" : "0")
                            : "gv_splat(" + cLiteral(read.outsideValue, DataType::Float)) +
                    ")";
        }
    } else {
        value.text = isMask ? "(vi){" : "(vf){";
        for (int lane = 0; lane < point.lanes; ++lane) {
            NestPoint at = atLane(point, lane);
            if (read.guarded && !isPacked)
                inside(read, at, value.level);
            value.text +=
                (lane > 0 ? ", " : "") + std::string(isMask ? "-(int32_t)" : "") + element(at);
        }
        value.text += "}";
    }
    return named(value, "const " + typeOf(value));
}

NestPoint CValues::atLane(const NestPoint &point, int lane) const
{
    NestPoint at = point;
    const std::vector<Loop> &loops = m_job.schedule->loops();
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (loops[i].kind == Loop::Kind::Vector)
            at.at[i] = IndexForm(lane);
    at.laneAxis = -1;
    at.lanes = 0;
    return at;
}

CValues::Value CValues::insideOf(int number, const NestPoint &point)
{
    const NestRead &read = m_nest.reads[std::size_t(number)];
    Value value;
    value.kind = Value::Kind::Integer;
    for (const IndexForm &form : read.map)
        if (point.laneAxis >= 0 && formAt(form, point).dependsOn(m_lane)) {
            value.vector = true;
            value.kind = Value::Kind::Mask;
        }
    // Of the tensor itself, whatever its margins hold.
    const std::vector<std::int64_t> &extents = (*m_job.tensors)[std::size_t(read.tensor)].extents;
    const auto test = [&](const NestPoint &at) {
        const std::string text = within(
            read.map, at,
            [&](std::size_t d) {
                return Bounds{0, extents[d] - 1};
            },
            value.level);
        return text.empty() ? std::string("1") : "(" + text + ")";
    };
    if (!value.vector) {
        value.text = test(point);
        return named(value, "const " + typeOf(value));
    }
    value.text = "(vi){";
    for (int lane = 0; lane < point.lanes; ++lane)
        value.text += (lane > 0 ? ", -" : "-") + test(atLane(point, lane));
    value.text += "}";
    return named(value, "const " + typeOf(value));
}

CValues::Value CValues::asVector(Value value)
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

CValues::Value CValues::valueOf(const Expr &expr, const NestPoint &point)
{
    if (arityOf(expr->fn) == 0 || m_error)
        return made(expr, point);
    if (const auto known = m_known.find(&*expr); known != m_known.end())
        return known->second;
    Value value = made(expr, point);
    m_known.emplace(&*expr, value);
    return value;
}

CValues::Value CValues::made(const Expr &expr, const NestPoint &point)
{
    Value value;
    switch (expr->fn) {
    case Fn::Load:
        return loaded(expr->index, point);
    case Fn::Inside:
        return insideOf(expr->index, point);
    case Fn::Axis: {
        const IndexForm form = axisAt(expr->index, point);
        value.kind = Value::Kind::Integer;
        if (point.laneAxis >= 0 && form.dependsOn(m_lane))
            fail("a position as a value of a lane");
        value.level = levelOf(form);
        value.text = "(" + textOf(form, point) + ")";
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
            fail("a table indexed by lanes");
        std::string entries;
        for (const Dim &entry : *expr->table)
            entries += (entries.empty() ? "" : ", ") + cLiteral(entry.value(), DataType::Int64);
        value.kind = Value::Kind::Integer;
        value.level = index.level;
        value.text = "((const int64_t[]){" + entries + "})[" + index.text + "]";
        return named(value, "const " + typeOf(value));
    }
    default:
        break;
    }
    std::vector<Value> arguments;
    for (int i = 0; i < arityOf(expr->fn); ++i)
        arguments.push_back(valueOf(expr.argument(i), point));
    return function(expr, std::move(arguments));
}

CValues::Value::Kind CValues::kindOf(DataType type)
{
    return type == DataType::Double ? Value::Kind::Double
           : isIntegral(type)       ? Value::Kind::Integer
                                    : Value::Kind::Float;
}

CValues::Value CValues::function(const Expr &expr, std::vector<Value> arguments)
{
    std::size_t level = 0;
    bool vector = false;
    for (const Value &argument : arguments) {
        level = std::max(level, argument.level);
        vector = vector || argument.vector;
    }
    Value value;
    if (expr->fn == Fn::Cast)
        value = converted(arguments[0], expr->type);
    else if (vector) {
        value = vectorFunction(expr, asLanes(expr->fn, arguments));
    } else {
        value = scalarFunction(expr, arguments);
    }
    value.level = level;
    return named(value, "const " + typeOf(value));
}

std::vector<CValues::Value> CValues::asLanes(Fn fn, std::vector<Value> arguments)
{
    // Truth values stay such where nothing but them goes into the function.
    bool reals = false;
    for (std::size_t i = fn == Fn::Select ? 1 : 0; i < arguments.size(); ++i)
        reals = reals || arguments[i].kind == Value::Kind::Float ||
                arguments[i].kind == Value::Kind::Double;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool truth = scalar::isLogical(fn) || (fn == Fn::Select && i == 0) || !reals;
        arguments[i] = converted(arguments[i], truth ? DataType::Bool : DataType::Float);
        arguments[i] = asVector(named(arguments[i], "const " + typeOf(arguments[i])));
    }
    return arguments;
}

CValues::Value CValues::vectorFunction(const Expr &expr, const std::vector<Value> &arguments)
{
    const Fn fn = expr->fn;
    Value value;
    value.vector = true;
    const bool ofMasks = arguments[0].kind == Value::Kind::Mask;
    const bool test = fn == Fn::Equal || fn == Fn::Less || fn == Fn::LessOrEqual ||
                      fn == Fn::IsNan || fn == Fn::IsInf || fn == Fn::Not || fn == Fn::And ||
                      fn == Fn::Or || fn == Fn::Xor;
    if (fn == Fn::Select) {
        value.kind = arguments[1].kind;
        value.text = (value.kind == Value::Kind::Mask ? "gv_selecti(" : "gv_select(") +
                     arguments[0].text + ", " + arguments[1].text + ", " + arguments[2].text + ")";
        return value;
    }
    value.kind = test ? Value::Kind::Mask : Value::Kind::Float;
    if (ofMasks && fn != Fn::Equal && !scalar::isLogical(fn))
        fail("arithmetic on truth values in lanes");
    std::vector<std::string> texts;
    for (const Value &argument : arguments)
        texts.push_back(argument.text);
    // A literal first: it is no NaN, which makes the function cheaper.
    if ((fn == Fn::Max || fn == Fn::Min) && expr.argument(1)->fn == Fn::Real)
        std::swap(texts[0], texts[1]);
    const bool literal = (fn == Fn::Max || fn == Fn::Min) &&
                         (expr.argument(0)->fn == Fn::Real || expr.argument(1)->fn == Fn::Real);
    value.text =
        literal ? (fn == Fn::Max ? "gv_max_c(" : "gv_min_c(") + texts[0] + ", " + texts[1] + ")"
                : cVectorFunction(fn, texts);
    if (value.text.empty())
        fail("the function " + std::string(graphloom::nameOf(fn)) + " in lanes");
    return value;
}

CValues::Value CValues::scalarFunction(const Expr &expr, const std::vector<Value> &given)
{
    std::vector<Value> arguments = given;
    const Fn fn = expr->fn;
    const DataType type = expr->type;
    if (scalar::isLogical(fn))
        for (Value &argument : arguments)
            argument = converted(argument, DataType::Bool);
    // As in the interpreter a function is of integers where all arguments and its value are.
    bool integers = fn == Fn::Select || isIntegral(type), doubles = false, isUnsigned = false;
    for (std::size_t i = fn == Fn::Select ? 1 : 0; i < arguments.size(); ++i) {
        integers = integers && arguments[i].kind == Value::Kind::Integer;
        doubles = doubles || arguments[i].kind == Value::Kind::Double;
        isUnsigned = isUnsigned || arguments[i].isUnsigned;
    }
    Value value;
    std::vector<std::string> texts;
    const auto gather = [&] {
        texts.clear();
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const bool converts = arguments[i].kind == Value::Kind::Integer && !integers &&
                                  !(fn == Fn::Select && i == 0);
            texts.push_back((converts ? doubles ? "(double)" : "(float)" : "") + arguments[i].text);
        }
    };
    gather();
    if (fn == Fn::Select)
        value.text = "(" + texts[0] + " ? " + texts[1] + " : " + texts[2] + ")";
    else if (integers)
        value.text = cIntegerFunction(fn, isUnsigned, texts);
    if (value.text.empty()) {
        doubles = doubles || integers; // of integers there is no such function
        integers = false;
        gather();
        value.text = cRealFunction(fn, doubles, texts);
    }
    if (value.text.empty())
        fail("the function " + std::string(graphloom::nameOf(fn)));
    value.kind = integers || scalar::isTestOfReals(fn) ? Value::Kind::Integer
                 : doubles                             ? Value::Kind::Double
                                                       : Value::Kind::Float;
    value.isUnsigned = integers && type == DataType::Uint64;
    if ((value.kind == Value::Kind::Integer) != isIntegral(type) && type != DataType::Undefined)
        value = converted(value, type);
    return value;
}

CValues::Value CValues::converted(const Value &from, DataType type)
{
    Value value = from;
    if (from.vector) {
        if (!cHalf(type).empty()) {
            value = converted(from, DataType::Float);
            value.text =
                "gv_from_" + cHalf(type) + "(gv_to_" + cHalf(type) + "(" + value.text + "))";
        } else if (from.kind == Value::Kind::Mask && type == DataType::Float) {
            value.kind = Value::Kind::Float;
            value.text = "gv_select(" + from.text + ", gv_splat(1.0f), gv_splat(0.0f))";
        } else if (from.kind == Value::Kind::Float && type == DataType::Bool) {
            value.kind = Value::Kind::Mask;
            value.text = "(" + from.text + " != 0)";
        } else if (!(from.kind == Value::Kind::Float && type == DataType::Float) &&
                   !(from.kind == Value::Kind::Mask && type == DataType::Bool)) {
            fail("a conversion to " + std::string(graphloom::nameOf(type)) + " in lanes");
        }
        return value;
    }
    value.kind = kindOf(type);
    value.isUnsigned = type == DataType::Uint64;
    const bool fromReal = from.kind == Value::Kind::Float || from.kind == Value::Kind::Double;
    if (!cHalf(type).empty()) {
        value.text =
            "gs_from_" + cHalf(type) + "(gs_to_" + cHalf(type) + "((float)" + from.text + "))";
        return value;
    }
    if (type == DataType::Float)
        value.text = from.kind == Value::Kind::Float ? from.text : "(float)" + from.text;
    else if (type == DataType::Double)
        value.text = "(double)" + from.text;
    else if (type == DataType::Bool)
        value.text = "(int64_t)(" + from.text + " != 0)";
    else if (isIntegral(type) && type != DataType::Int4 && type != DataType::Uint4)
        value.text =
            (fromReal ? (type == DataType::Uint64 ? "gu_of_real(" : "gi_of_real(") + from.text + ")"
                      : from.text);
    else
        fail("a conversion to " + std::string(graphloom::nameOf(type)));
    if (isIntegral(type) && type != DataType::Bool)
        value.text = (type == DataType::Uint64 ? "(uint64_t)" : "(int64_t)(" + cType(type) + ")") +
                     ("(" + value.text + ")");
    return value;
}

void CValues::declareAccumulator(const std::string &name, const NestPoint &point, bool vector)
{
    m_accumulatorIsVector = vector || point.laneAxis >= 0;
    if (isPosition(m_nest.combine)) {
        Value best;
        best.kind = kindOf(m_nest.body.type());
        best.isUnsigned = m_nest.body.type() == DataType::Uint64;
        const std::string pad = padOf(m_levels.front().depth);
        if (m_accumulatorIsVector)
            fail("a reduction to a position in lanes");
        m_levels.front().code += pad + "int64_t " + name + " = 0;\n" + pad + "int " + name +
                                 "_any = 0;\n" + pad + typeOf(best) + " " + name + "_best = 0;\n";
        return;
    }
    Value value;
    value.kind = kindOf(m_nest.accumulator);
    value.isUnsigned = m_nest.accumulator == DataType::Uint64;
    value.vector = m_accumulatorIsVector;
    // Lanes of one sum begin at 0: what it begins with is added once, by gathered().
    const std::string initial =
        cLiteral(vector && m_nest.combine == Combine::Sum ? 0 : m_nest.initial, m_nest.accumulator);
    if (value.vector && value.kind != Value::Kind::Float)
        fail("a reduction of integers in lanes");
    m_levels.front().code += padOf(m_levels.front().depth) + typeOf(value) + " " + name + " = " +
                             (value.vector ? "gv_splat(" + initial + ")" : initial) + ";\n";
}

void CValues::accumulate(const std::string &name, const NestPoint &point)
{
    m_known.clear();
    Value value = valueOf(m_nest.body, point);
    if (isPosition(m_nest.combine))
        return accumulatePosition(name, value, point);
    if (m_accumulatorIsVector)
        value = asVector(value);
    Level &level = m_levels.back();
    const bool reducesLanes =
        point.laneAxis >= 0 && m_nest.axes[std::size_t(point.laneAxis)].reduces;
    if (reducesLanes && point.lanes < m_options.lanes) {
        value.text =
            "gv_select(" + laneMask(point.lanes, m_options.lanes) + ", " + value.text +
            ", gv_splat(" +
            cLiteral(m_nest.combine == Combine::Sum ? 0 : m_nest.initial, DataType::Float) + "))";
        value.level = m_levels.size() - 1;
    }
    const std::string form =
        cCombination(m_nest.combine, name, value.text, m_accumulatorIsVector,
                     kindOf(m_nest.accumulator) == Value::Kind::Double,
                     isIntegral(m_nest.accumulator), m_nest.accumulator == DataType::Uint64);
    if (form.empty())
        fail("a reduction to a position");
    level.code += padOf(level.depth) + name + " = " + form + ";\n";
}

void CValues::accumulatePosition(const std::string &name, Value value, const NestPoint &point)
{
    const bool last =
        m_nest.combine == Combine::ArgMaxLast || m_nest.combine == Combine::ArgMinLast;
    const bool most = m_nest.combine == Combine::ArgMax || m_nest.combine == Combine::ArgMaxLast;
    value = named(value, "const " + typeOf(value));
    const std::string &v = value.text, best = name + "_best";
    const std::string comparison =
        v + (most ? " > " : " < ") + best + (last ? " || " + v + " == " + best : "");
    // NaN is better than every number.
    const std::string better = value.kind == Value::Kind::Integer
                                   ? comparison
                                   : "(" + v + " != " + v + " ? " +
                                         (last ? "1" : best + " == " + best) + " : " + comparison +
                                         ")";
    Level &level = m_levels.back();
    const std::string pad = padOf(level.depth);
    const IndexForm position = axisAt(int(m_nest.axes.size()) - 1, point);
    level.code += pad + "if (!" + name + "_any || " + better + ") {\n" + pad + "    " + best +
                  " = " + v + ";\n" + pad + "    " + name + " = " + textOf(position, point) +
                  ";\n" + pad + "}\n" + pad + name + "_any = 1;\n";
}

std::string CValues::gathered(const std::string &name)
{
    m_accumulatorIsVector = false;
    const std::string one = name + "_all";
    std::string form;
    switch (m_nest.combine) {
    case Combine::Sum:
        form = "gv_sum(" + name + ")";
        if (m_nest.initial != 0)
            form += " + " + cLiteral(m_nest.initial, DataType::Float);
        break;
    case Combine::Max:
        form = "gv_hmax(" + name + ")";
        break;
    case Combine::Min:
        form = "gv_hmin(" + name + ")";
        break;
    default:
        fail("this reduction over lanes");
    }
    m_levels.front().code +=
        padOf(m_levels.front().depth) + "const float " + one + " = " + form + ";\n";
    return one;
}

std::string CValues::guardOf(const NestStore &store, const NestPoint &point)
{
    const std::vector<std::int64_t> &extents = (*m_job.tensors)[std::size_t(store.tensor)].extents;
    const auto allowed = [&](std::size_t d) { return Bounds{0, extents[d] - 1}; };
    for (std::size_t d = 0; d < store.map.size(); ++d) {
        const IndexForm form = formAt(store.map[d], point);
        const Bounds bounds = form.bounds(m_extents);
        if (form.dependsOn(m_lane) && (bounds.least < 0 || bounds.most >= extents[d]))
            fail("a guard along the lanes of a store");
    }
    std::size_t level = 0;
    const std::string text = within(store.map, point, allowed, level);
    return text.empty() ? "" : "if (" + text + ") ";
}

void CValues::store(const NestStore &store, const NestPoint &point, const std::string &accumulator)
{
    if (!m_after)
        m_after = Level{{}, {}, m_levels.front().depth, {}};
    m_known.clear();
    m_accumulator = accumulator;
    Value value = valueOf(store.value, point);
    const BlockTensor &tensor = (*m_job.tensors)[std::size_t(store.tensor)];
    const IndexForm offset = offsetOf(store.map, m_job.storages[std::size_t(store.tensor)], point);
    const std::string pad = padOf(m_after->depth) + (store.guarded ? guardOf(store, point) : "");
    if (point.laneAxis < 0) {
        const Value wanted = converted(value, tensor.type);
        const auto [pointer, constant] = addressOf(bufferOf(store.tensor), offset, point);
        m_after->code += pad + stored(tensor.type, pointer, constant, wanted.text) + ";\n";
        return;
    }
    if (cHalf(tensor.type).empty())
        value = converted(value, tensor.type);
    value = asVector(value);
    const IndexForm rest = offset - IndexForm::variable(m_lane);
    if (!rest.dependsOn(m_lane) && value.kind == Value::Kind::Float &&
        (tensor.type == DataType::Float || !cHalf(tensor.type).empty())) {
        const std::string function =
            tensor.type == DataType::Float ? "gv_store" : "gv_store_" + cHalf(tensor.type);
        const auto [pointer, constant] = addressOf(bufferOf(store.tensor), rest, point);
        const std::string address = pointer + " + " + std::to_string(constant);
        m_after->code +=
            pad +
            (point.lanes == m_options.lanes ? function + "(" + address + ", " + value.text + ")"
                                            : function + "_n(" + address + ", " + value.text +
                                                  ", " + std::to_string(point.lanes) + ")") +
            ";\n";
        return;
    }
    value = named(value, "const " + typeOf(value));
    for (int lane = 0; lane < point.lanes; ++lane) {
        const NestPoint at = atLane(point, lane);
        const auto [pointer, constant] =
            addressOf(bufferOf(store.tensor),
                      offsetOf(store.map, m_job.storages[std::size_t(store.tensor)], at), at);
        std::string element = value.text + "[" + std::to_string(lane) + "]";
        if (value.kind == Value::Kind::Mask)
            element = "(" + element + " != 0)";
        m_after->code += pad + stored(tensor.type, pointer, constant, element) + ";\n";
    }
}

bool isVectorizable(const Nest &nest, const std::vector<BlockTensor> &tensors, int axis)
{
    const auto readVaries = [&](int read) {
        bool varies = false;
        const auto visit = [&](auto &self, int number) -> void {
            for (const IndexForm &form : nest.reads[std::size_t(number)].map) {
                varies = varies || form.dependsOn(axis);
                form.forEachLookup([&](int lookup) { self(self, lookup); });
            }
        };
        visit(visit, read);
        return varies;
    };
    bool possible = true;
    const auto check = [&](const Expr &expr) {
        std::unordered_map<const Expr::Node *, bool> varying;
        forEachPart(expr, [&](const Expr::Node &node) {
            bool varies = false;
            if (node.fn == Fn::Load || node.fn == Fn::Inside)
                varies = readVaries(node.index);
            else if (node.fn == Fn::Axis)
                varies = node.index == axis;
            else if (node.fn == Fn::Accumulator)
                varies = !nest.axes[std::size_t(axis)].reduces;
            else
                for (const auto &argument : node.arguments)
                    varies = varies || (argument && varying[argument.get()]);
            varying[&node] = varies;
            if (!varies)
                return;
            const DataType type =
                node.fn == Fn::Load
                    ? tensors[std::size_t(nest.reads[std::size_t(node.index)].tensor)].type
                    : node.type;
            const bool real = type == DataType::Float || !cHalf(type).empty();
            if (!real && type != DataType::Bool && type != DataType::Undefined)
                possible = false;
            // Of truth values there are masks, with which nothing is computed.
            const bool ofTruth = arityOf(node.fn) == 2 &&
                                 node.arguments[0]->type == DataType::Bool &&
                                 node.arguments[1]->type == DataType::Bool;
            if (ofTruth && !scalar::isLogical(node.fn) && node.fn != Fn::Equal)
                possible = false;
            if (arityOf(node.fn) == 1 && node.arguments[0]->type == DataType::Bool &&
                node.fn != Fn::Cast && node.fn != Fn::Not)
                possible = false;
            if (node.fn == Fn::Axis || node.fn == Fn::Table || !hasVectorFunction(node.fn))
                possible = false;
        });
    };
    if (nest.reduces()) {
        check(nest.body);
        if ((nest.accumulator != DataType::Float && cHalf(nest.accumulator).empty()) ||
            nest.combine >= Combine::ArgMax)
            possible = false;
        if (nest.axes[std::size_t(axis)].reduces && nest.combine == Combine::Product)
            possible = false;
    }
    if (!nest.axes[std::size_t(axis)].reduces)
        for (const NestStore &store : nest.stores) {
            check(store.value);
            const DataType type = tensors[std::size_t(store.tensor)].type;
            possible = possible &&
                       (type == DataType::Float || type == DataType::Bool || !cHalf(type).empty());
        }
    return possible;
}

} // namespace graphloom
