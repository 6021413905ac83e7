// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_values.h"

#include "engine/codegen/index/c_functions.h"
#include "engine/codegen/index/c_names.h"
#include "engine/interpreter/stages/scalar_math.h"

#include <algorithm>

namespace graphloom {

KernelValues::Value KernelValues::function(const Expr &expr, std::vector<Value> arguments)
{
    LevelIndex level = outermost;
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

std::vector<KernelValues::Value> KernelValues::asLanes(Fn fn, std::vector<Value> arguments)
{
    // Truth values stay masks if no argument is a real number.
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

KernelValues::Value KernelValues::vectorFunction(const Expr &expr,
                                                 const std::vector<Value> &arguments)
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
        fail("vectorized arithmetic on Booleans");
    std::vector<std::string> texts;
    for (const Value &argument : arguments)
        texts.push_back(argument.text);
    // Puts the literal first: it is not NaN, which allows a cheaper function.
    if ((fn == Fn::Max || fn == Fn::Min) && expr.argument(1)->fn == Fn::Real)
        std::swap(texts[0], texts[1]);
    const bool literal = (fn == Fn::Max || fn == Fn::Min) &&
                         (expr.argument(0)->fn == Fn::Real || expr.argument(1)->fn == Fn::Real);
    value.text =
        literal ? (fn == Fn::Max ? "gv_max_c(" : "gv_min_c(") + texts[0] + ", " + texts[1] + ")"
                : cVectorFunction(fn, texts);
    if (value.text.empty())
        fail("the vectorized function " + std::string(graphloom::nameOf(fn)));
    return value;
}

KernelValues::Value KernelValues::scalarFunction(const Expr &expr, const std::vector<Value> &given)
{
    std::vector<Value> arguments = given;
    const Fn fn = expr->fn;
    const DataType type = expr->type;
    if (scalar::isLogical(fn))
        for (Value &argument : arguments)
            argument = converted(argument, DataType::Bool);
    // As in the interpreter, a function is integral if all its arguments and its value are.
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
        doubles = doubles || integers; // it has no integer version
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

KernelValues::Value KernelValues::converted(const Value &from, DataType type)
{
    Value value = from;
    if (from.vector) {
        if (!cHalf(type).empty()) {
            value = converted(from, DataType::Float);
            if (!m_options.halves) // otherwise it is of half precision
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
            fail("a vectorized conversion to " + std::string(graphloom::nameOf(type)));
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

} // namespace graphloom
