// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/c_functions.h"

#include "engine/codegen/index/function_facts.h"

namespace graphloom {

namespace {

std::string call(const std::string &function, const std::vector<std::string> &arguments)
{
    std::string text = function + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i)
        text += (i > 0 ? ", " : "") + arguments[i];
    return text + ")";
}

bool isInfix(Fn fn)
{
    return factsOf(fn).form == FunctionFacts::Form::Infix;
}

/// Returns the name of a function of reals in libm and the prelude; "" for others.
std::string realName(Fn fn)
{
    return factsOf(fn).form == FunctionFacts::Form::Named ? std::string(nameOf(fn)) : "";
}

std::string infix(Fn fn, const std::vector<std::string> &arguments)
{
    return "(" + arguments[0] + " " + std::string(nameOf(fn)) + " " + arguments[1] + ")";
}

/// Returns the name of a function of doubles, a builtin or from the prelude; "" for others.
std::string doubleName(Fn fn)
{
    switch (fn) {
    case Fn::Abs:
        return "__builtin_fabs";
    case Fn::Round:
        return "__builtin_nearbyint";
    case Fn::Min:
        return "gd_min";
    case Fn::Max:
        return "gd_max";
    default:
        return realName(fn).empty() ? "" : "__builtin_" + realName(fn);
    }
}

} // namespace

bool hasVectorFunction(Fn fn)
{
    switch (fn) {
    case Fn::Load:
    case Fn::Inside:
    case Fn::Real:
    case Fn::Integer:
    case Fn::Accumulator:
    case Fn::Cast:
    case Fn::Select:
    case Fn::Negate:
    case Fn::Not:
    case Fn::And:
    case Fn::Or:
    case Fn::Xor:
    case Fn::IsNan:
    case Fn::IsInf:
    case Fn::Sign:
        return true;
    default:
        return isInfix(fn) || !realName(fn).empty();
    }
}

std::string cVectorFunction(Fn fn, const std::vector<std::string> &a)
{
    if (isInfix(fn))
        return infix(fn, a);
    switch (fn) {
    case Fn::Negate:
        return "(-" + a[0] + ")";
    case Fn::Not:
        return "(~" + a[0] + ")";
    case Fn::And:
        return "(" + a[0] + " & " + a[1] + ")";
    case Fn::Or:
        return "(" + a[0] + " | " + a[1] + ")";
    case Fn::Xor:
        return "(" + a[0] + " ^ " + a[1] + ")";
    case Fn::IsNan:
        return "(" + a[0] + " != " + a[0] + ")";
    case Fn::IsInf:
        return "(gv_abs(" + a[0] + ") > gv_splat(3.4028234663852886e38f))";
    case Fn::Sign:
        return "gv_select(" + a[0] + " > 0, gv_splat(1.0f), gv_select(" + a[0] +
               " < 0, gv_splat(-1.0f), " + a[0] + "))";
    case Fn::Max:
    case Fn::Min:
        return call(fn == Fn::Max ? "gv_max" : "gv_min", a);
    default:
        return realName(fn).empty() ? "" : call("gv_" + realName(fn), a);
    }
}

std::string cRealFunction(Fn fn, bool inDouble, const std::vector<std::string> &a)
{
    if (isInfix(fn))
        return infix(fn, a);
    switch (fn) {
    case Fn::Negate:
        return "(-" + a[0] + ")";
    case Fn::IsNan:
        return "(" + a[0] + " != " + a[0] + ")";
    case Fn::IsInf:
        return "(__builtin_isinf(" + a[0] + ") != 0)";
    case Fn::Sign:
        return "(" + a[0] + " > 0 ? 1 : " + a[0] + " < 0 ? -1 : " + a[0] + ")";
    case Fn::Not:
        return "(" + a[0] + " == 0)";
    case Fn::FloorDiv:
        return std::string(inDouble ? "__builtin_floor(" : "gs_floor(") + a[0] + " / " + a[1] + ")";
    case Fn::Mod:
        return call("gd_mod", a);
    case Fn::Fmod:
        return call("__builtin_fmod", a);
    default:
        if (inDouble)
            return doubleName(fn).empty() ? "" : call(doubleName(fn), a);
        return realName(fn).empty() ? "" : call("gs_" + realName(fn), a);
    }
}

std::string cIntegerFunction(Fn fn, bool isUnsigned, const std::vector<std::string> &a)
{
    const std::string prefix = isUnsigned ? "gu_" : "gi_";
    switch (fn) {
    case Fn::Add:
    case Fn::Sub:
    case Fn::Mul:
    case Fn::Equal:
    case Fn::Less:
    case Fn::LessOrEqual:
        return infix(fn, a);
    case Fn::Negate:
        return "(-" + a[0] + ")";
    case Fn::BitNot:
        return "(~" + a[0] + ")";
    case Fn::Not:
        return "(" + a[0] + " == 0)";
    case Fn::And:
        return "(" + a[0] + " != 0 && " + a[1] + " != 0)";
    case Fn::Or:
        return "(" + a[0] + " != 0 || " + a[1] + " != 0)";
    case Fn::Xor:
        return "((" + a[0] + " != 0) != (" + a[1] + " != 0))";
    case Fn::BitAnd:
        return "(" + a[0] + " & " + a[1] + ")";
    case Fn::BitOr:
        return "(" + a[0] + " | " + a[1] + ")";
    case Fn::BitXor:
        return "(" + a[0] + " ^ " + a[1] + ")";
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
        return a[0];
    case Fn::Abs:
        return call(prefix + "abs", a);
    case Fn::Sign:
        return call(prefix + "sign", a);
    case Fn::Div:
        return call(prefix + "div", a);
    case Fn::FloorDiv:
        return call(prefix + "floordiv", a);
    case Fn::Mod:
        return call(prefix + "mod", a);
    case Fn::Fmod:
        return call(prefix + "fmod", a);
    case Fn::Pow:
        return call(prefix + "pow", a);
    case Fn::Min:
        return call(prefix + "min", a);
    case Fn::Max:
        return call(prefix + "max", a);
    case Fn::ShiftLeft:
        return call(prefix + "shl", a);
    case Fn::ShiftRight:
        return call(prefix + "shr", a);
    default:
        return "";
    }
}

std::string cCombination(Combine combine, const std::string &accumulator, const std::string &value,
                         bool vector, bool inDouble, bool integer, bool isUnsigned)
{
    const Fn fn = combine == Combine::Sum       ? Fn::Add
                  : combine == Combine::Product ? Fn::Mul
                  : combine == Combine::Max     ? Fn::Max
                                                : Fn::Min;
    if (combine >= Combine::ArgMax || combine == Combine::None)
        return "";
    const std::vector<std::string> arguments{accumulator, value};
    if (fn == Fn::Add)
        return accumulator + " + " + value;
    return vector    ? cVectorFunction(fn, arguments)
           : integer ? cIntegerFunction(fn, isUnsigned, arguments)
                     : cRealFunction(fn, inDouble, arguments);
}

} // namespace graphloom
