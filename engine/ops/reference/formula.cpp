// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/stage.h"

#include <cmath>
#include <cstdio>

namespace graphloom {

namespace {

struct Names {
    const Stage &stage;
    const std::vector<std::string> &inputs, &values;

    std::string of(const Operand &operand) const
    {
        const auto &list = operand.kind == Operand::Kind::Input ? inputs : values;
        if (std::size_t(operand.index) < list.size() && !list[std::size_t(operand.index)].empty())
            return list[std::size_t(operand.index)];
        return (operand.kind == Operand::Kind::Input ? "in" : "t") + std::to_string(operand.index);
    }
};

std::string joined(const std::vector<std::string> &parts)
{
    std::string text;
    for (const std::string &part : parts)
        text += (text.empty() ? "" : ",") + part;
    return text;
}

std::string mapText(const IndexMap &map, const Names &names);

std::string indexText(const Index &index, const Names &names)
{
    std::string text = textOf(index, names.stage.axes);
    if (index.lookup < 0)
        return text;
    const Read &read = names.stage.reads[std::size_t(index.lookup)];
    const std::string looked = names.of(read.operand) + mapText(read.map, names);
    return text == "0" ? looked : looked + (text[0] == '-' ? "" : "+") + text;
}

std::string mapText(const IndexMap &map, const Names &names)
{
    std::vector<std::string> parts;
    for (const Index &index : map)
        parts.push_back(indexText(index, names));
    return map.empty() ? std::string() : "[" + joined(parts) + "]";
}

std::string number(double value)
{
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

int precedence(Fn fn)
{
    switch (fn) {
    case Fn::Add:
    case Fn::Sub:
        return 1;
    case Fn::Mul:
    case Fn::Div:
        return 2;
    case Fn::Equal:
    case Fn::Less:
    case Fn::LessOrEqual:
    case Fn::BitAnd:
    case Fn::BitOr:
    case Fn::BitXor:
    case Fn::ShiftLeft:
    case Fn::ShiftRight:
        return 0;
    default:
        return 9;
    }
}

std::string exprText(const Expr::Node &node, const Names &names, int context = -1)
{
    const auto argument = [&](int i, int inner) {
        return exprText(*node.arguments[std::size_t(i)], names, inner);
    };
    switch (node.fn) {
    case Fn::Load: {
        const Read &read = names.stage.reads[std::size_t(node.index)];
        return names.of(read.operand) + mapText(read.map, names);
    }
    case Fn::Inside:
        return "inside(" + names.of(names.stage.reads[std::size_t(node.index)].operand) + ")";
    case Fn::Axis:
        return names.stage.axes[std::size_t(node.index)].name;
    case Fn::Real:
        return number(node.real);
    case Fn::Integer:
        return std::to_string(node.integer);
    case Fn::Accumulator:
        return "acc";
    case Fn::Table: {
        if (node.table->size() == 1)
            return node.table->front().text();
        std::vector<std::string> parts;
        for (const Dim &value : *node.table)
            parts.push_back(value.text());
        return "{" + joined(parts) + "}[" + argument(0, -1) + "]";
    }
    case Fn::Cast:
        return std::string(nameOf(node.type)) + "(" + argument(0, -1) + ")";
    case Fn::Select:
        return "(" + argument(0, 0) + " ? " + argument(1, 0) + " : " + argument(2, 0) + ")";
    default:
        break;
    }
    const int level = precedence(node.fn);
    if (arityOf(node.fn) == 2 && level < 9) {
        const std::string text =
            argument(0, level) + " " + std::string(nameOf(node.fn)) + " " + argument(1, level + 1);
        return level < context ? "(" + text + ")" : text;
    }
    if (node.fn == Fn::Negate)
        return "-" + argument(0, 3);
    std::string text = std::string(nameOf(node.fn)) + "(" + argument(0, -1);
    if (arityOf(node.fn) == 2)
        text += ", " + argument(1, -1);
    return text + ")";
}

std::string_view signOf(Combine combine)
{
    switch (combine) {
    case Combine::None:
        return " = ";
    case Combine::Sum:
        return " += ";
    case Combine::Product:
        return " *= ";
    case Combine::Max:
        return " max= ";
    case Combine::Min:
        return " min= ";
    case Combine::ArgMax:
    case Combine::ArgMaxLast:
        return " argmax= ";
    case Combine::ArgMin:
    case Combine::ArgMinLast:
        return " argmin= ";
    }
    return " = ";
}

} // namespace

std::string textOf(const Index &index, const std::vector<Axis> &axes)
{
    std::string text;
    for (const Index::Term &term : index.terms) {
        const std::string &name = axes[std::size_t(term.axis)].name;
        const Dim &factor = term.coefficient;
        if (factor == Dim(1))
            text += (text.empty() ? "" : "+") + name;
        else if (factor == Dim(-1))
            text += "-" + name;
        else if (factor.isConstant())
            text += (text.empty() || factor.value() < 0 ? "" : "+") + factor.text() + "*" + name;
        else
            text += (text.empty() ? "(" : "+(") + factor.text() + ")*" + name;
    }
    if (!(index.offset == Dim(0)) || text.empty()) {
        const std::string offset = index.offset.text();
        text += (text.empty() || offset[0] == '-' ? "" : "+") + offset;
    }
    const bool compound = index.terms.size() > 1 || !(index.offset == Dim(0));
    if (!(index.divide == Dim(1)))
        text = (compound ? "(" + text + ")" : text) + "/" + index.divide.text();
    if (!(index.modulo == Dim(0)))
        text = (compound || !(index.divide == Dim(1)) ? "(" + text + ")" : text) + "%" +
               index.modulo.text();
    return index.table ? "table[" + text + "]" : text;
}

std::string formulaOf(const Stage &stage, const std::vector<std::string> &inputs,
                      const std::vector<std::string> &values)
{
    const Names names{stage, inputs, values};
    const std::string target =
        names.of({Operand::Kind::Value, stage.value}) + mapText(stage.write, names);
    std::string text = target + std::string(signOf(stage.combine)) + exprText(*stage.body, names);
    if (!stage.finish.empty())
        text += "; " + target + " = " + exprText(*stage.finish, names);
    return text;
}

} // namespace graphloom
