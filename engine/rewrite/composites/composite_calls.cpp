// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/composites/composite_calls.h"

#include <optional>

namespace graphloom::composite_calls {

namespace {

constexpr std::string_view microsoft = "com.microsoft";

Replacement refused(Builder &builder)
{
    builder.refuse();
    return std::vector<TensorId>{};
}

bool hasOperator(const Match &match, std::string_view domain, std::string_view name)
{
    return findOperator(domain, name, match.terms().opsets()(domain)) != nullptr;
}

/// Returns the call in ai.onnx if its version has the operator, otherwise in com.microsoft.
Replacement activation(const Match &match, Builder &builder, std::string_view name,
                       std::string_view nameAtMicrosoft, std::vector<Attribute> attributes,
                       std::vector<Attribute> attributesAtMicrosoft)
{
    const TensorId x = match.tensor("x");
    if (!name.empty() && hasOperator(match, "", name))
        return builder.call(name, {x}, Attributes(std::move(attributes)));
    if (!nameAtMicrosoft.empty() && hasOperator(match, microsoft, nameAtMicrosoft))
        return builder.call(std::string(microsoft) + "." + std::string(nameAtMicrosoft), {x},
                            Attributes(std::move(attributesAtMicrosoft)));
    return refused(builder);
}

bool keepsRank(const Match &match, std::string_view reduced)
{
    return match.hasShape("x") && match.hasShape(reduced) &&
           match.shape(reduced).size() == match.shape("x").size();
}

/// Returns the first of the reduced dimensions, if those are the last ones. A dimension of extent 1
/// may count or not: its mean is itself.
std::optional<std::size_t> firstOfLast(const Match &match, std::string_view reduced)
{
    if (!keepsRank(match, reduced))
        return std::nullopt;
    const Shape &x = match.shape("x"), &kept = match.shape(reduced);
    std::size_t first = 0;
    while (first < x.size() && x[first] == kept[first])
        ++first;
    for (std::size_t d = first; d < x.size(); ++d)
        if (kept[d] != Dim(1))
            return std::nullopt;
    return first < x.size() ? std::optional(first) : std::nullopt;
}

/// Returns the only reduced dimension.
std::optional<std::size_t> onlyReduced(const Match &match, std::string_view reduced)
{
    if (!keepsRank(match, reduced))
        return std::nullopt;
    const Shape &x = match.shape("x"), &kept = match.shape(reduced);
    std::optional<std::size_t> only;
    for (std::size_t d = 0; d < x.size(); ++d) {
        if (x[d] == kept[d])
            continue;
        if (only || kept[d] != Dim(1))
            return std::nullopt;
        only = d;
    }
    return only;
}

/// Does a parameter have one element for each of those that are normalized together?
bool isParameter(const Match &match, std::string_view name, std::size_t first)
{
    const Shape &x = match.shape("x");
    return match.hasShape(name) &&
           match.shape(name) == Shape(x.begin() + std::ptrdiff_t(first), x.end());
}

/// Returns the attributes of a normalization over the last dimensions.
std::optional<std::vector<Attribute>> normalization(const Match &match)
{
    const auto first = firstOfLast(match, "variance");
    const TensorData *epsilon = match.constant("epsilon");
    if (!first || !epsilon || epsilon->elements() != 1 || !match.has("scale") ||
        !isParameter(match, "scale", *first) ||
        (match.has("shift") && !isParameter(match, "shift", *first)))
        return std::nullopt;
    return std::vector<Attribute>{
        {"axis", std::int64_t(*first) - std::int64_t(match.shape("x").size())},
        {"epsilon", float(epsilon->real(0))}};
}

} // namespace

Replacement layerNormalization(const Match &match, Builder &builder)
{
    const auto attributes = normalization(match);
    if (!attributes || !hasOperator(match, "", "LayerNormalization"))
        return refused(builder);
    std::vector<TensorId> inputs{match.tensor("x"), match.tensor("scale")};
    if (match.has("shift"))
        inputs.push_back(match.tensor("shift"));
    return builder.call("LayerNormalization", std::move(inputs), Attributes(*attributes));
}

Replacement rmsNormalization(const Match &match, Builder &builder)
{
    const auto attributes = normalization(match);
    if (!attributes || match.has("shift") || !hasOperator(match, "", "RMSNormalization"))
        return refused(builder);
    return builder.call("RMSNormalization", {match.tensor("x"), match.tensor("scale")},
                        Attributes(*attributes));
}

Replacement gelu(const Match &match, Builder &builder)
{
    const bool byTanh = match["bell"].op == "Tanh";
    return activation(match, builder, "Gelu", byTanh ? "FastGelu" : "Gelu",
                      {{"approximate", std::string(byTanh ? "tanh" : "none")}}, {});
}

Replacement softmax(const Match &match, Builder &builder)
{
    const auto axis = onlyReduced(match, "sum");
    if (!axis || !hasOperator(match, "", "Softmax"))
        return refused(builder);
    const auto fromLast = std::int64_t(*axis) - std::int64_t(match.shape("x").size());
    return builder.call("Softmax", {match.tensor("x")},
                        Attributes(std::vector<Attribute>{{"axis", fromLast}}));
}

Replacement swish(const Match &match, Builder &builder)
{
    return activation(match, builder, "", "QuickGelu", {}, {{"alpha", 1.0f}});
}

Replacement mish(const Match &match, Builder &builder)
{
    return activation(match, builder, "Mish", "", {}, {});
}

Replacement hardSwish(const Match &match, Builder &builder)
{
    return activation(match, builder, "HardSwish", "", {}, {});
}

} // namespace graphloom::composite_calls
