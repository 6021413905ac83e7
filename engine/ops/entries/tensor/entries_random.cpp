// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/kernels/kernels.h"

#include <array>

/// Operators that draw random numbers. They are opaque: running them twice, or elsewhere, gives
/// other numbers, so they must not be fused, split or folded.
namespace graphloom::entries {

namespace {

constexpr std::string_view drawsRandomNumbers = "it draws random numbers";

Result<DataType> drawnType(const Call &call, DataType fallback)
{
    const auto type = dataTypeFromOnnx(int(call.attributes().integer("dtype", int(fallback))));
    if (!type || !(isFloatingPoint(*type) || isIntegral(*type)))
        return call.refuse("attribute \"dtype\" must be a numeric type");
    return *type;
}

/// Draws a tensor of the shape in an attribute.
Result<Description> ofShape(const Call &call)
{
    GL_TRY_CONST(type, drawnType(call, DataType::Float));
    if (!call.attributes().contains("shape"))
        return call.refuse("lacks the attribute \"shape\"");
    const auto extents = call.attributes().integers("shape");
    return build::opaque(std::string(drawsRandomNumbers),
                         {{*type, Shape(extents.begin(), extents.end()), {}}});
}

/// Draws a tensor of the shape of its input and, unless a type is stated, of its type.
Result<Description> ofInput(const Call &call)
{
    GL_TRY_CONST(type, drawnType(call, call.type(0)));
    return build::opaque(std::string(drawsRandomNumbers), {{*type, call.shape(0), {}}});
}

/// Draws numbers of classes by their unnormalized logarithmic probabilities.
Result<Description> multinomial(const Call &call)
{
    GL_TRY_CONST(type, drawnType(call, DataType::Int32));
    const std::int64_t samples = call.attributes().integer("sample_size", 1);
    if (call.rank(0) != 2 || samples < 0)
        return call.refuse("cannot draw " + std::to_string(samples) +
                           " samples from an input of shape " + text(call.shape(0)));
    return build::opaque(std::string(drawsRandomNumbers),
                         {{*type, Shape{call.shape(0)[0], samples}, {}}});
}

constexpr std::array randomEntries{
    Operator{"", "Bernoulli", 15, 1, 1, 1, ofInput, kernels::bernoulli}.drawing(),
    Operator{"", "Multinomial", 7, 1, 1, 1, multinomial, kernels::multinomial}
        .like("[2,8] sample_size=3")
        .drawing(),
    Operator{"", "RandomNormal", 1, 0, 0, 1, ofShape, kernels::randomNormal}
        .like("shape=2,8")
        .drawing(),
    Operator{"", "RandomNormalLike", 1, 1, 1, 1, ofInput, kernels::randomNormal}.drawing(),
    Operator{"", "RandomUniform", 1, 0, 0, 1, ofShape, kernels::randomUniform}
        .like("shape=2,8")
        .drawing(),
    Operator{"", "RandomUniformLike", 1, 1, 1, 1, ofInput, kernels::randomUniform}.drawing(),
};

} // namespace

std::span<const Operator> random()
{
    return randomEntries;
}

} // namespace graphloom::entries
