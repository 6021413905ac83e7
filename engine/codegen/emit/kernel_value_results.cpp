// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_values.h"

#include "engine/codegen/emit/code_text.h"
#include "engine/codegen/index/c_functions.h"
#include "engine/codegen/index/c_names.h"

namespace graphloom {

namespace {

bool isPosition(Combine combine)
{
    return combine >= Combine::ArgMax;
}

/// Returns the assignment of a value to an element.
std::string stored(DataType type, const std::string &pointer, std::int64_t at,
                   const std::string &value)
{
    const std::string place = std::to_string(at);
    return cHalf(type).empty()
               ? pointer + "[" + place + "] = " + value
               : "gs_store_" + cHalf(type) + "(" + pointer + " + " + place + ", " + value + ")";
}

/// Returns an element as a scalar.
std::string present(DataType type, const std::string &pointer, std::int64_t at)
{
    const std::string place = std::to_string(at);
    if (!cHalf(type).empty())
        return "gs_load_" + cHalf(type) + "(" + pointer + " + " + place + ")";
    const std::string element = pointer + "[" + place + "]";
    return !isIntegral(type)          ? element
           : type == DataType::Uint64 ? "(uint64_t)" + element
                                      : "(int64_t)" + element;
}

} // namespace

void KernelValues::declareAccumulator(const std::string &name, const NestPoint &point, bool vector,
                                      bool once)
{
    m_accumulatorIsVector = vector || point.laneAxis.isValid();
    if (isPosition(m_nest.combine)) {
        Value best;
        best.kind = kindOf(m_nest.body.type());
        best.isUnsigned = m_nest.body.type() == DataType::Uint64;
        const std::string pad = padOf(m_levels.front().depth);
        if (m_accumulatorIsVector)
            fail("a vectorized reduction to a position");
        m_levels.front().code += pad + "int64_t " + name + " = 0;\n" + pad + "int " + name +
                                 "_any = 0;\n" + pad + typeOf(best) + " " + name + "_best = 0;\n";
        return;
    }
    Value value;
    value.kind = kindOf(m_nest.accumulator);
    value.isUnsigned = m_nest.accumulator == DataType::Uint64;
    value.vector = m_accumulatorIsVector;
    // The lanes of a sum start at 0; gathered() adds its initial value once.
    const std::string initial =
        cLiteral(vector && m_nest.combine == Combine::Sum ? 0 : m_nest.initial, m_nest.accumulator);
    if (value.vector && value.kind != Value::Kind::Float)
        fail("a vectorized reduction of integers");
    m_startsThere = m_start.isValid() && !vector;
    if (m_startsThere) {
        m_known.clear();
        m_loads.clear();
        const DataType type = (*m_job.tensors)[m_nest.reads[m_start].tensor].type;
        Value start = valueOf(Expr::load(m_start.number(), type), point);
        if (value.vector)
            start = asVector(start);
        m_levels.front().code +=
            padOf(m_levels.front().depth) + typeOf(value) + " " + name + " = " + start.text + ";\n";
        return;
    }
    if (once && m_nest.initial == 0 && m_nest.combine == Combine::Sum) {
        m_undeclared.insert(name);
        return;
    }
    m_levels.front().code += padOf(m_levels.front().depth) + typeOf(value) + " " + name + " = " +
                             (value.vector ? "gv_splat(" + initial + ")" : initial) + ";\n";
}

void KernelValues::accumulate(const std::string &name, const NestPoint &point)
{
    if (!goesOn())
        return;
    m_known.clear();
    m_loads.clear();
    if (addProduct(name, point))
        return;
    Value value = valueOf(m_nest.body, point);
    if (isPosition(m_nest.combine))
        return accumulatePosition(name, value, point);
    if (m_accumulatorIsVector)
        value = asVector(value);
    Level &level = m_levels.back();
    const bool reducesLanes = point.laneAxis.isValid() && m_nest.axes[point.laneAxis].reduces;
    if (reducesLanes && point.lanes < m_options.lanes) {
        std::vector<std::string> mask(std::size_t(point.lanes), "-1");
        mask.resize(std::size_t(m_options.lanes), "0");
        value.text =
            "gv_select(" + m_options.language->vectorOf("vi", mask, m_options.lanes) + ", " +
            value.text + ", gv_splat(" +
            cLiteral(m_nest.combine == Combine::Sum ? 0 : m_nest.initial, DataType::Float) + "))";
        value.level = m_levels.lastIndex();
    }
    if (m_undeclared.erase(name) > 0) {
        Value first = value;
        first.kind = kindOf(m_nest.accumulator);
        level.code += padOf(level.depth) + typeOf(first) + " " + name + " = " + value.text + ";\n";
        return;
    }
    const std::string form =
        cCombination(m_nest.combine, name, value.text, m_accumulatorIsVector,
                     kindOf(m_nest.accumulator) == Value::Kind::Double,
                     isIntegral(m_nest.accumulator), m_nest.accumulator == DataType::Uint64);
    if (form.empty())
        fail("a reduction to a position");
    level.code += padOf(level.depth) + name + " = " + form + ";\n";
}

bool KernelValues::addProduct(const std::string &name, const NestPoint &point)
{
    if (!m_options.halves || m_nest.combine != Combine::Sum || m_nest.body->fn != Fn::Mul ||
        m_undeclared.contains(name))
        return false;
    Value vector = valueOf(m_nest.body.argument(0), point);
    Value scalar = valueOf(m_nest.body.argument(1), point);
    if (scalar.vector)
        std::swap(vector, scalar);
    const auto element = m_elements.find(scalar.text);
    if (!vector.vector || scalar.vector || element == m_elements.end())
        return false;
    Level &level = m_levels.back();
    level.code += padOf(level.depth) + "gv_add_product(" + name + ", " + vector.text + ", " +
                  element->second.first + ", " + std::to_string(element->second.second) + ");\n";
    return true;
}

void KernelValues::accumulatePosition(const std::string &name, Value value, const NestPoint &point)
{
    const bool last =
        m_nest.combine == Combine::ArgMaxLast || m_nest.combine == Combine::ArgMinLast;
    const bool most = m_nest.combine == Combine::ArgMax || m_nest.combine == Combine::ArgMaxLast;
    value = named(value, "const " + typeOf(value));
    const std::string &v = value.text, best = name + "_best";
    const std::string comparison =
        v + (most ? " > " : " < ") + best + (last ? " || " + v + " == " + best : "");
    // NaN beats every number.
    const std::string better = value.kind == Value::Kind::Integer
                                   ? comparison
                                   : "(" + v + " != " + v + " ? " +
                                         (last ? "1" : best + " == " + best) + " : " + comparison +
                                         ")";
    Level &level = m_levels.back();
    const std::string pad = padOf(level.depth);
    const IndexForm position = axisAt(m_nest.axes.lastIndex(), point);
    level.code += pad + "if (!" + name + "_any || " + better + ") {\n" + pad + "    " + best +
                  " = " + v + ";\n" + pad + "    " + name + " = " + textOf(position, point) +
                  ";\n" + pad + "}\n" + pad + name + "_any = 1;\n";
}

std::string KernelValues::gathered(const std::string &name)
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
        fail("this vectorized reduction");
    }
    m_levels.front().code +=
        padOf(m_levels.front().depth) + "const float " + one + " = " + form + ";\n";
    return one;
}

void KernelValues::prepare(const std::vector<Expr> &values, const NestPoint &point)
{
    if (!m_after)
        m_after = Level{{}, {}, m_levels.front().depth, {}};
    m_known.clear();
    m_loads.clear();
    for (const Expr &value : values)
        if (goesOn())
            valueOf(value, point);
}

void KernelValues::store(const NestStore &store, const std::vector<NestPoint> &points,
                         const std::vector<std::string> &accumulators)
{
    if (!m_after)
        m_after = Level{{}, {}, m_levels.front().depth, {}};
    std::vector<std::string> pieces;
    for (std::size_t p = 0; p < points.size(); ++p) {
        std::string before;
        std::swap(before, m_after->code);
        this->store(store, points[p], accumulators.empty() ? "" : accumulators[p]);
        pieces.push_back(std::exchange(m_after->code, std::move(before)));
    }
    // Points may write the same element, in their order.
    const bool isOrdered = store.update != Combine::None || store.scatters();
    if (!isOrdered)
        pieces = {sideBySide(pieces)};
    for (const std::string &piece : pieces)
        m_after->code += piece;
}

void KernelValues::store(const NestStore &store, const NestPoint &point,
                         const std::string &accumulator)
{
    if (!goesOn())
        return;
    m_known.clear();
    m_loads.clear();
    m_accumulator = accumulator;
    Value value = valueOf(store.value, point);
    const BlockTensor &tensor = (*m_job.tensors)[store.tensor];
    const IndexForm offset = offsetOf(store.map, (*m_job.storages)[store.tensor], point);
    const std::string pad = padOf(m_after->depth) + (store.guarded ? guardOf(store, point) : "");
    if (store.update != Combine::None && tensor.type == DataType::Bool)
        fail("an update of Booleans");
    const auto updated = [&](const std::string &element, const std::string &with, bool vector) {
        return store.update == Combine::None
                   ? with
                   : cCombination(store.update, element, with, vector,
                                  tensor.type == DataType::Double, isIntegral(tensor.type),
                                  tensor.type == DataType::Uint64);
    };
    if (!point.laneAxis.isValid()) {
        const Value wanted = converted(value, tensor.type);
        const auto [pointer, constant] = addressOf(bufferOf(store.tensor), offset, point);
        m_after->code +=
            pad +
            stored(tensor.type, pointer, constant,
                   updated(present(tensor.type, pointer, constant), wanted.text, false)) +
            ";\n";
        return;
    }
    bool laneLooksUp = false;
    forEachLookedUp(offset, point, [&](const IndexForm &at) {
        laneLooksUp = laneLooksUp || at.dependsOn(m_lane);
    });
    if (cHalf(tensor.type).empty())
        value = converted(value, tensor.type);
    value = asVector(value);
    const IndexForm rest = offset - IndexForm::variable(m_lane);
    if (!rest.dependsOn(m_lane) && !laneLooksUp && value.kind == Value::Kind::Float &&
        isOfLanes(tensor.type)) {
        const std::string suffix = tensor.type == DataType::Float ? "" : "_" + cHalf(tensor.type);
        const auto [pointer, constant] = addressOf(bufferOf(store.tensor), rest, point);
        const std::string address = pointer + " + " + std::to_string(constant);
        const bool whole = point.lanes == m_options.lanes;
        const std::string part = whole ? ")" : ", " + std::to_string(point.lanes) + ")";
        const std::string end = (whole ? "" : "_n") + std::string("(") + address;
        m_after->code += pad + "gv_store" + suffix + end + ", " +
                         updated("gv_load" + suffix + end + part, value.text, true) + part + ";\n";
        return;
    }
    value = named(value, "const " + typeOf(value));
    for (const Lane lane : firstIndices<Lane>(point.lanes)) {
        const NestPoint at = atLane(point, lane);
        const auto [pointer, constant] = addressOf(
            bufferOf(store.tensor), offsetOf(store.map, (*m_job.storages)[store.tensor], at), at);
        std::string element = m_options.language->laneOf(value.text, lane.number());
        if (value.kind == Value::Kind::Mask)
            element = "(" + element + " != 0)";
        m_after->code += pad +
                         stored(tensor.type, pointer, constant,
                                updated(present(tensor.type, pointer, constant), element, false)) +
                         ";\n";
    }
}

} // namespace graphloom
