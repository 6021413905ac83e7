// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/expr_edit.h"

#include "engine/codegen/function_facts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace graphloom {

namespace {

class Rewriter {
public:
    explicit Rewriter(const std::function<Expr(const Expr::Node &)> &of) : m_of(of) {}

    Expr run(const Expr &expr)
    {
        const Expr::Node *node = &*expr;
        if (const auto known = m_done.find(node); known != m_done.end())
            return known->second;
        Expr result = made(expr);
        m_done.emplace(node, result);
        return result;
    }

private:
    Expr made(const Expr &expr)
    {
        const int arity = arityOf(expr->fn);
        if (arity == 0) {
            Expr other = m_of(*expr);
            return other.empty() ? expr : other;
        }
        std::array<Expr, 3> arguments;
        bool changed = false;
        for (int i = 0; i < arity; ++i) {
            const Expr argument = expr.argument(i);
            arguments[std::size_t(i)] = run(argument);
            changed = changed || &*arguments[std::size_t(i)] != &*argument;
        }
        if (!changed)
            return expr;
        if (expr->fn == Fn::Cast)
            return Expr::cast(arguments[0], expr->type);
        if (expr->fn == Fn::Table)
            return Expr::table(*expr->table, arguments[0]);
        if (expr->fn == Fn::Select)
            return Expr::select(arguments[0], arguments[1], arguments[2]);
        return arity == 1 ? Expr::unary(expr->fn, arguments[0])
                          : Expr::binary(expr->fn, arguments[0], arguments[1]);
    }

    const std::function<Expr(const Expr::Node &)> &m_of;
    std::unordered_map<const Expr::Node *, Expr> m_done;
};

} // namespace

Expr rewritten(const Expr &expr, const std::function<Expr(const Expr::Node &leaf)> &of)
{
    return Rewriter(of).run(expr);
}

Expr exprOf(const IndexForm &form)
{
    Expr sum = form.terms().empty() || form.offset() != 0 ? Expr::integer(form.offset()) : Expr();
    for (const auto &[atom, coefficient] : form.terms()) {
        Expr part;
        switch (atom->kind) {
        case IndexForm::Kind::Variable:
            part = Expr::axis(atom->number);
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
            const Expr value = Expr::load(atom->number, DataType::Int64);
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

void forEachPart(const Expr &expr, const std::function<void(const Expr::Node &)> &visit)
{
    std::unordered_set<const Expr::Node *> seen;
    const std::function<void(const Expr &)> go = [&](const Expr &part) {
        if (!seen.insert(&*part).second)
            return;
        for (int i = 0; i < arityOf(part->fn); ++i)
            go(part.argument(i));
        visit(*part);
    };
    if (!expr.empty())
        go(expr);
}

int workOf(const Expr &expr)
{
    int work = 0;
    forEachPart(expr, [&](const Expr::Node &node) { work += factsOf(node.fn).work; });
    return work;
}

std::vector<int> readsOf(const Expr &expr)
{
    std::vector<int> reads;
    forEachPart(expr, [&](const Expr::Node &node) {
        if ((node.fn == Fn::Load || node.fn == Fn::Inside) &&
            std::ranges::find(reads, node.index) == reads.end())
            reads.push_back(node.index);
    });
    return reads;
}

} // namespace graphloom
