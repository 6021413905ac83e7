// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/describe/assembler.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace graphloom::kernels {

namespace {

/// A generator of the same numbers on every machine: splitmix64 (Steele, Lea and Flood, OOPSLA
/// 2014). A node without a seed gets one from its position in the graph, so that two nodes differ.
class Random {
public:
    explicit Random(const Call &call) : m_state(seedOf(call)) {}

    /// Returns a uniform number in [0, 1).
    double uniform()
    {
        std::uint64_t z = m_state += 0x9e3779b97f4a7c15ULL;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        return double((z ^ z >> 31) >> 11) * 0x1p-53;
    }
    /// Returns a normally distributed number with mean 0 and deviation 1 (Box and Muller).
    double normal()
    {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * M_PI * uniform());
    }

private:
    static std::uint64_t seedOf(const Call &call)
    {
        if (const auto *seed = call.attributes().find("seed")) {
            if (const auto *integer = std::get_if<std::int64_t>(seed)) // Dropout's
                return std::uint64_t(*integer);
            return std::bit_cast<std::uint32_t>(call.attributes().real("seed", 0));
        }
        const auto &outputs = call.node().outputs;
        return (std::uint64_t{outputs.empty() ? 0u : outputs[0].index} + 1) << 32;
    }

    std::uint64_t m_state;
};

/// Returns a tensor of the type and shape that the call describes, filled by `draw`.
template <class Draw> Result<Tensors> filled(const Call &call, Draw draw)
{
    GL_TRY_CONST(description, describe(call));
    const Value &value = description->values.front();
    TensorData::Extents extents;
    for (const Dim &dim : *value.shape) {
        if (!dim.isConstant())
            return call.refuse("its shape " + text(*value.shape) + " is unknown");
        extents.push_back(dim.value());
    }
    GL_TRY_RESULT(result, Assembler::make(call, value.type, std::move(extents)));
    for (std::int64_t i = 0; i < result->elements(); ++i) {
        result->setReal(i, draw(i));
        if (call.stopped(1))
            return stoppedError();
    }
    return Tensors{std::move(*result).finish()};
}

} // namespace

Result<Tensors> bernoulli(const Call &call, Inputs inputs)
{
    Random random(call);
    return filled(
        call, [&](std::int64_t i) { return random.uniform() < inputs[0]->real(i) ? 1.0 : 0.0; });
}

Result<Tensors> dropout(const Call &call, Inputs inputs)
{
    const TensorData &x = *inputs[0];
    const bool stated = inputs.size() > 1 && inputs[1];
    const double ratio = stated && inputs[1]->elements() == 1 ? inputs[1]->real(0) : 0.5;
    if (!(ratio >= 0 && ratio < 1) || (stated && inputs[1]->elements() != 1))
        return call.refuse("its ratio must be a single number from 0 to less than 1");
    auto result = Assembler::make(call, x.type(), x.extents());
    auto mask = Assembler::make(call, DataType::Bool, x.extents());
    if (!result || !mask)
        return tl::unexpected((result ? mask : result).error());
    Random random(call);
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        const bool kept = random.uniform() >= ratio;
        mask->setInteger(i, kept);
        result->setReal(i, kept ? x.real(i) / (1 - ratio) : 0);
        if (call.stopped(1))
            return stoppedError();
    }
    return Tensors{std::move(*result).finish(), std::move(*mask).finish()};
}

Result<Tensors> randomNormal(const Call &call, Inputs)
{
    Random random(call);
    const double mean = call.attributes().real("mean", 0),
                 scale = call.attributes().real("scale", 1);
    return filled(call, [&](std::int64_t) { return mean + scale * random.normal(); });
}

Result<Tensors> randomUniform(const Call &call, Inputs)
{
    Random random(call);
    const double low = call.attributes().real("low", 0), high = call.attributes().real("high", 1);
    return filled(call, [&](std::int64_t) { return low + (high - low) * random.uniform(); });
}

Result<Tensors> multinomial(const Call &call, Inputs inputs)
{
    const TensorData &logarithms = *inputs[0];
    const std::int64_t classes = logarithms.extents()[1],
                       samples = call.attributes().integer("sample_size", 1);
    if (classes == 0 && samples > 0)
        return call.refuse("has no classes to draw from");
    // Prefix sums of the probabilities by class, row by row; the largest term is 1.
    std::vector<double> sums;
    for (std::int64_t row = 0; row < logarithms.extents()[0]; ++row) {
        double most = -HUGE_VAL, sum = 0;
        for (std::int64_t c = 0; c < classes; ++c)
            most = std::max(most, logarithms.real(row * classes + c));
        for (std::int64_t c = 0; c < classes; ++c)
            sums.push_back(sum += std::exp(logarithms.real(row * classes + c) - most));
        if (call.stopped(2 * std::uint64_t(classes)))
            return stoppedError();
    }
    Random random(call);
    return filled(call, [&](std::int64_t i) {
        const auto first = sums.begin() + i / samples * classes, end = first + classes;
        const auto found = std::upper_bound(first, end, random.uniform() * *(end - 1));
        return double(std::min<std::ptrdiff_t>(found - first, classes - 1));
    });
}

} // namespace graphloom::kernels
