// SPDX-License-Identifier: Apache-2.0
// Chains of transposes and reshapes.
#include "engine/ops/derive/passing.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "plugins/dnnfusion/rules/cleanup/lifting.h"

#include <algorithm>
#include <numeric>

namespace graphloom::dnnfusion {

namespace {

using Permutation = std::vector<std::int64_t>;

Permutation permutationOf(const Node &transpose, std::size_t rank)
{
    Permutation reversed(rank);
    for (std::size_t d = 0; d < rank; ++d)
        reversed[d] = std::int64_t(rank - 1 - d);
    return transpose.attributes.integers("perm", std::move(reversed));
}

/// Returns the permutation of Transpose(Transpose(x, first), then).
Permutation composed(const Permutation &first, const Permutation &then)
{
    Permutation both(then.size());
    for (std::size_t d = 0; d < then.size(); ++d)
        both[d] = first[std::size_t(then[d])];
    return both;
}

bool isIdentity(const Permutation &permutation)
{
    return std::ranges::is_sorted(permutation);
}

TensorId transposed(Builder &b, TensorId x, const Permutation &permutation)
{
    return isIdentity(permutation) ? x
                                   : b.call("Transpose", {x}, Attributes({{"perm", permutation}}));
}

Rule mergeTransposes()
{
    return {.name = "merge-transposes",
            .category = Rule::Category::Cleanup,
            .formula = "Transpose(Transpose(x, p), q) = Transpose(x, p after q)",
            .flops = "0 -> 0, one call fewer",
            .patterns = {call("Transpose", {call("Transpose", {any("x")}).as("inner")})},
            .build = [](const Match &m, Builder &b) {
                const std::size_t rank = m.shape("x").size();
                return transposed(
                    b, m.tensor("x"),
                    composed(permutationOf(m["inner"], rank), permutationOf(m.rootNode(), rank)));
            }};
}

bool handsOn(const Terms &terms, const Node &node)
{
    const Call call = terms.call(node);
    const auto description = terms.describe(call);
    return description && node.outputs.size() == 1 && inputHandedOn(*description, call, 0) == 0;
}

/// Returns the shape for a Reshape, in which at most one extent may be inferred.
std::optional<std::vector<std::int64_t>> reshapeTarget(const Shape &shape)
{
    std::vector<std::int64_t> target;
    int inferred = 0;
    for (const Dim &dim : shape) {
        if (dim == Dim(0))
            return std::nullopt; // 0 would copy an extent
        inferred += !dim.isConstant();
        target.push_back(dim.constant().value_or(-1));
    }
    return inferred <= 1 ? std::optional(std::move(target)) : std::nullopt;
}

class Transposition final : public Movement {
public:
    explicit Transposition(Permutation permutation) : m_permutation(std::move(permutation)) {}

    bool undoes(const Terms &terms, const Node &call) const override
    {
        const auto description = terms.describe(terms.call(call));
        const auto before = description ? graphloom::permutationOf(*description) : std::nullopt;
        return before && before->size() == m_permutation.size() &&
               isIdentity(composed(*before, m_permutation));
    }
    bool canCarry(const Tensor &value) const override
    {
        return elementsOf(*value.shape) == Dim(1) || value.constant;
    }
    TensorId carried(Builder &b, TensorId value) const override
    {
        const Shape shape = *b.tensor(value).shape;
        if (elementsOf(shape) == Dim(1))
            return value;
        std::vector<std::int64_t> extents(m_permutation.size() - shape.size(), 1);
        for (const Dim &dim : shape)
            extents.push_back(dim.value());
        return transposed(b, b.call("Reshape", {value, b.integers(extents)}), m_permutation);
    }
    bool canMove(const Tensor &value) const override
    {
        return value.shape->size() == m_permutation.size();
    }
    TensorId moved(Builder &b, TensorId value) const override
    {
        return transposed(b, value, m_permutation);
    }

private:
    Permutation m_permutation;
};

class Reshaping final : public Movement {
public:
    Reshaping(Shape from, Shape to) : m_from(std::move(from)), m_to(std::move(to)) {}

    bool undoes(const Terms &terms, const Node &call) const override
    {
        return handsOn(terms, call) && terms.tensor(call.inputs[0]).shape == m_to;
    }
    /// Values that only have unchanged last dimensions are broadcast as before.
    bool canCarry(const Tensor &value) const override
    {
        const Shape &shape = *value.shape;
        if (elementsOf(shape) == Dim(1))
            return shape.size() <= m_to.size();
        const auto last = std::mismatch(m_from.rbegin(), m_from.rend(), m_to.rbegin(), m_to.rend());
        return shape.size() <= std::size_t(last.first - m_from.rbegin());
    }
    TensorId carried(Builder &, TensorId value) const override { return value; }
    bool canMove(const Tensor &value) const override { return *value.shape == m_from; }
    TensorId moved(Builder &b, TensorId value) const override
    {
        return b.call("Reshape", {value, b.integers(*reshapeTarget(m_to))});
    }

private:
    Shape m_from, m_to;
};

Replacement lifted(const Match &m, Builder &b, const Movement &movement)
{
    const Lifting lifting(m.terms(), movement, m.tensor("y"));
    if (lifting.gain().value_or(0) > 0)
        return lifting.lifted(b);
    b.refuse();
    return m.tensor("y");
}

Rule cancelTransposes()
{
    return {.name = "cancel-transposes-through-elementwise",
            .category = Rule::Category::Cleanup,
            .formula = "Transpose(f(Transpose(x, p)), q) = f(x), q undoes p, f elementwise",
            .flops = "f -> f, fewer calls",
            .patterns = {call("Transpose", {any("y")})},
            .when = [](const Match &m) { return m.hasShape("y"); },
            .build =
                [](const Match &m, Builder &b) {
                    return lifted(m, b,
                                  Transposition(permutationOf(m.rootNode(), m.shape("y").size())));
                }};
}

Rule cancelReshapes()
{
    return {.name = "cancel-reshapes-through-elementwise",
            .category = Rule::Category::Cleanup,
            .formula = "Reshape(f(Reshape(x))) = f(x), f elementwise",
            .flops = "f -> f, fewer calls",
            .patterns = {anyCall({any("y")}).andMore()},
            .when =
                [](const Match &m) {
                    const auto &to = m.terms().tensor(m.rootNode().outputs[0]).shape;
                    return m.hasShape("y") && isStatic(m.shape("y")) && to && reshapeTarget(*to) &&
                           handsOn(m.terms(), m.rootNode());
                },
            .build =
                [](const Match &m, Builder &b) {
                    return lifted(
                        m, b,
                        Reshaping(m.shape("y"), *m.terms().tensor(m.rootNode().outputs[0]).shape));
                }};
}

/// Gemm(Transpose(a)) = Gemm(a) with transA inverted.
Rule transposeInGemm(std::size_t operand)
{
    const char *flag = operand == 0 ? "transA" : "transB";
    std::vector<Pattern> inputs = {any("a"), any("b")};
    inputs[operand] = call("Transpose", {any("x")}).with("perm", Permutation{1, 0});
    return {.name = operand == 0 ? "transpose-left-in-gemm" : "transpose-right-in-gemm",
            .category = Rule::Category::Cleanup,
            .formula = std::string("Gemm(Transpose(a), b) = Gemm(a, b) with ") + flag,
            .flops = "f -> f, one call fewer",
            .patterns = {call("Gemm", std::move(inputs)).andMore()},
            .build = [operand, flag](const Match &m, Builder &b) {
                Node gemm = m.rootNode();
                gemm.inputs[operand] = m.tensor("x");
                gemm.attributes =
                    gemm.attributes.with(flag, std::int64_t(gemm.attributes.integer(flag, 0) == 0));
                return Replacement(b.again(gemm, gemm.inputs));
            }};
}

/// Merges any two such operators: Squeeze, Flatten, Transpose across extents of 1.
Rule mergeReshapes()
{
    return {.name = "merge-reshapes",
            .category = Rule::Category::Cleanup,
            .formula = "Reshape(Reshape(x)) = Reshape(x)",
            .flops = "0 -> 0, one call fewer",
            .patterns = {anyCall({anyCall({any("x")}).andMore().as("inner")}).andMore()},
            .when =
                [](const Match &m) {
                    return handsOn(m.terms(), m.rootNode()) && handsOn(m.terms(), m["inner"]);
                },
            .build =
                [](const Match &m, Builder &b) {
                    const Tensor &result = m.terms().tensor(m.rootNode().outputs[0]);
                    if (result.shape && *result.shape == m.shape("x"))
                        return m.tensor("x");
                    const auto target = result.shape ? reshapeTarget(*result.shape) : std::nullopt;
                    if (!target) {
                        b.refuse();
                        return m.tensor("x");
                    }
                    return b.call("Reshape", {m.tensor("x"), b.integers(*target)});
                }};
}

} // namespace

std::vector<Rule> chainRules()
{
    return {mergeTransposes(),  cancelTransposes(), cancelReshapes(),
            transposeInGemm(0), transposeInGemm(1), mergeReshapes()};
}

} // namespace graphloom::dnnfusion
