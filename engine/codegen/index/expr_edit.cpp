// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/expr_edit.h"

#include "engine/codegen/index/function_facts.h"

namespace graphloom {

Expr loadOf(ReadIndex read, DataType type)
{
    return Expr::load(read.number(), type);
}

Expr insideOf(ReadIndex read)
{
    return Expr::inside(read.number());
}

Expr positionOn(AxisIndex axis)
{
    return Expr::axis(axis.number());
}

std::vector<ReadIndex> readsIn(const Expr &expr)
{
    std::vector<ReadIndex> reads;
    for (const int read : readsOf(expr))
        reads.push_back(ReadIndex(read));
    return reads;
}

Expr exprOf(const IndexForm &form)
{
    Expr sum = form.terms().empty() || form.offset() != 0 ? Expr::integer(form.offset()) : Expr();
    for (const auto &[atom, coefficient] : form.terms()) {
        Expr part;
        switch (atom->kind) {
        case IndexForm::Kind::Variable:
            part = positionOn(atom->variable);
            break;
        case IndexForm::Kind::Quotient:
            part = Expr::binary(Fn::FloorDiv, exprOf(atom->argument), Expr::integer(atom->divisor));
            break;
        case IndexForm::Kind::Remainder:
            part = Expr::binary(Fn::Mod, exprOf(atom->argument), Expr::integer(atom->divisor));
            break;
        case IndexForm::Kind::Table:
            part = Expr::table({atom->table->begin(), atom->table->end()}, exprOf(atom->argument));
            break;
        case IndexForm::Kind::Lookup: {
            const Expr value = loadOf(atom->read, DataType::Int64);
            part = Expr::select(Expr::binary(Fn::Less, value, Expr::integer(0)),
                                value + Expr::integer(atom->divisor), value);
            break;
        }
        }
        if (coefficient != 1)
            part = part * Expr::integer(coefficient);
        sum = sum.empty() ? part : sum + part;
    }
    return sum;
}

int workOf(const Expr &expr)
{
    int work = 0;
    forEachPart(expr, [&](const Expr::Node &node) { work += factsOf(node.fn).work; });
    return work;
}

} // namespace graphloom
