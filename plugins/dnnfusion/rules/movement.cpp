// SPDX-License-Identifier: Apache-2.0
// Chains of transposes and reshapes.
#include "engine/ops/passing.h"
#include "plugins/dnnfusion/rules/cleanup.h"

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

/// Of Transpose(Transpose(x, first), then).
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
            .flops = "0 -> 0, one call less",
            .patterns = {call("Transpose", {call("Transpose", {any("x")}).as("inner")})},
            .build = [](const Match &m, Builder &b) {
                const std::size_t rank = m.shape("x").size();
                return transposed(
                    b, m.tensor("x"),
                    composed(permutationOf(m["inner"], rank), permutationOf(m.rootNode(), rank)));
            }};
}

/// Takes a transposition upstream through elementwise calls, as long as it meets others there.
class Lift {
public:
    Lift(const Terms &terms, Builder *builder) : m_terms(terms), m_builder(builder) {}

    /// How many transposes less there are when `value` is computed transposed, the one that is
    /// there for it left out.
    int gain(TensorId value, const Permutation &permutation, int depth) const
    {
        const Tensor &tensor = m_terms.tensor(value);
        if (tensor.constant || !tensor.shape || elementsOf(*tensor.shape) == Dim(1))
            return 0;
        if (const Node *inner = producer(value, true)) {
            const auto both = composed(permutationOf(*inner, permutation.size()), permutation);
            return isIdentity(both) && m_terms.uses(value) == 1 ? 1 : 0;
        }
        int sum = -1; // it is transposed here
        if (const Node *node = depth > 0 ? producer(value, false) : nullptr) {
            int through = 0;
            for (const TensorId input : node->inputs)
                through += input.valid() ? gain(input, permutation, depth - 1) : 0;
            sum = std::max(sum, through);
        }
        return sum;
    }

    /// The value, transposed.
    TensorId lifted(TensorId value, const Permutation &permutation, int depth) const
    {
        const Shape shape = *m_builder->tensor(value).shape;
        if (shape.size() < permutation.size()) { // outer dimensions that broadcasting adds
            if (elementsOf(shape) == Dim(1))
                return value;
            std::vector<std::int64_t> extents(permutation.size() - shape.size(), 1);
            for (const Dim &dim : shape)
                extents.push_back(dim.constant().value_or(0));
            return transposed(*m_builder,
                              m_builder->call("Reshape", {value, m_builder->integers(extents)}),
                              permutation);
        }
        if (const Node *inner = producer(value, true))
            return transposed(*m_builder, inner->inputs[0],
                              composed(permutationOf(*inner, permutation.size()), permutation));
        if (const Node *node = depth > 0 ? producer(value, false) : nullptr;
            node && gain(value, permutation, depth) > -1) {
            std::vector<TensorId> inputs = node->inputs;
            for (TensorId &input : inputs)
                if (input.valid())
                    input = lifted(input, permutation, depth - 1);
            return m_builder->again(*node, std::move(inputs))[0];
        }
        return transposed(*m_builder, value, permutation);
    }

private:
    /// The transpose, or the elementwise call for this reader alone, that gives the value.
    const Node *producer(TensorId value, bool transpose) const
    {
        for (std::size_t p = 0; p < m_terms.producerCount(value); ++p) {
            const Node &node = m_terms.node(m_terms.producer(value, p));
            const bool is = node.domain.empty() && node.op == "Transpose";
            if (is != transpose)
                continue;
            if (is)
                return &node;
            const Call call = m_terms.call(node);
            const auto description = describe(call);
            if (node.outputs.size() == 1 && m_terms.uses(value) == 1 && description &&
                isBroadcast(*description, call) && allStatic(node))
                return &node;
        }
        return nullptr;
    }
    bool allStatic(const Node &node) const
    {
        return std::ranges::all_of(node.inputs, [&](TensorId input) {
            return !input.valid() ||
                   (m_terms.tensor(input).shape && isStatic(*m_terms.tensor(input).shape));
        });
    }

    const Terms &m_terms;
    Builder *m_builder;
};

Rule cancelTransposes()
{
    constexpr int deepest = 12; // calls between the two
    return {.name = "cancel-transposes-through-elementwise",
            .category = Rule::Category::Cleanup,
            .formula = "Transpose(f(Transpose(x, p)), q) = f(x), q undoes p, f elementwise",
            .flops = "f -> f, fewer calls",
            .patterns = {call("Transpose", {any("y")})},
            .when =
                [](const Match &m) {
                    const auto permutation = permutationOf(m.rootNode(), m.shape("y").size());
                    return Lift(m.terms(), nullptr).gain(m.tensor("y"), permutation, deepest) > 0;
                },
            .build =
                [](const Match &m, Builder &b) {
                    const auto permutation = permutationOf(m.rootNode(), m.shape("y").size());
                    return Replacement(
                        Lift(m.terms(), &b).lifted(m.tensor("y"), permutation, deepest));
                }};
}

/// Gemm(Transpose(a)) = Gemm(a) with transA the other way.
Rule transposeInGemm(std::size_t operand)
{
    const char *flag = operand == 0 ? "transA" : "transB";
    std::vector<Pattern> inputs = {any("a"), any("b")};
    inputs[operand] = call("Transpose", {any("x")}).with("perm", Permutation{1, 0});
    return {.name = operand == 0 ? "transpose-left-in-gemm" : "transpose-right-in-gemm",
            .category = Rule::Category::Cleanup,
            .formula = std::string("Gemm(Transpose(a), b) = Gemm(a, b) with ") + flag,
            .flops = "f -> f, one call less",
            .patterns = {call("Gemm", std::move(inputs)).andMore()},
            .build = [operand, flag](const Match &m, Builder &b) {
                Node gemm = m.rootNode();
                gemm.inputs[operand] = m.tensor("x");
                gemm.attributes =
                    gemm.attributes.with(flag, std::int64_t(gemm.attributes.integer(flag, 0) == 0));
                return Replacement(b.again(gemm, gemm.inputs));
            }};
}

bool handsOn(const Terms &terms, const Node &node)
{
    const Call call = terms.call(node);
    const auto description = describe(call);
    return description && node.outputs.size() == 1 && inputHandedOn(*description, call, 0) == 0;
}

/// The shape as Reshape wants it: at most one extent may be left to be inferred.
std::optional<std::vector<std::int64_t>> reshapeTarget(const Shape &shape)
{
    std::vector<std::int64_t> target;
    int inferred = 0;
    for (const Dim &dim : shape) {
        if (dim == Dim(0))
            return std::nullopt; // would copy an extent
        inferred += !dim.isConstant();
        target.push_back(dim.constant().value_or(-1));
    }
    return inferred <= 1 ? std::optional(std::move(target)) : std::nullopt;
}

/// Whatever the two are called: Squeeze, Flatten, Transpose past extents of 1.
Rule mergeReshapes()
{
    return {.name = "merge-reshapes",
            .category = Rule::Category::Cleanup,
            .formula = "Reshape(Reshape(x)) = Reshape(x)",
            .flops = "0 -> 0, one call less",
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

std::vector<Rule> movementRules()
{
    return {mergeTransposes(), cancelTransposes(), transposeInGemm(0), transposeInGemm(1),
            mergeReshapes()};
}

} // namespace graphloom::dnnfusion
