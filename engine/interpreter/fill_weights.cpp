// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/fill_weights.h"

#include "engine/base/hash.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

namespace graphloom {

namespace {

using SplatsByName = std::map<std::string, TensorId>;

bool isConstant(const Graph &graph, TensorId id)
{
    return !id.valid() || graph.tensor(id).constant != nullptr;
}

/// Tells whether a node computes another constant from this one, or a nested graph reads it: its
/// elements may then occur under another name in a folded graph.
bool livesOnElsewhere(const Graph &graph, TensorId id)
{
    return std::ranges::any_of(graph.uses(id), [&](const Use &use) {
        const Node &node = graph.node(use.node);
        return use.slot >= node.inputs.size() ||
               std::ranges::all_of(node.inputs,
                                   [&](TensorId input) { return isConstant(graph, input); });
    });
}

/// Tells whether each element is a product of one factor per index, which no trained weight is.
bool isScaledSplat(const Tensor &tensor, std::int64_t leastElements)
{
    const auto &data = tensor.constant;
    if (!data || data->isSplat() || data->type() != DataType::Float ||
        data->elements() < leastElements)
        return false;
    const auto at = [bytes = data->bytes().data()](std::int64_t i) { // a file aligns nothing
        float value;
        std::memcpy(&value, bytes + i * std::int64_t(sizeof value), sizeof value);
        return value;
    };
    const float first = at(0);
    if (first == 0 || !std::isfinite(first))
        return false;
    const auto &extents = data->extents();
    std::vector<std::int64_t> index(extents.size(), 0), strides(extents.size(), 1);
    for (std::size_t d = extents.size(); d-- > 1;)
        strides[d - 1] = strides[d] * extents[d];
    constexpr double rounding = 1e-5;
    for (std::int64_t i = 0; i < data->elements(); ++i) {
        double product = first;
        for (std::size_t d = 0; d < extents.size(); ++d)
            product *= double(at(index[d] * strides[d])) / first;
        if (!(std::abs(at(i) - product) <= rounding * std::abs(product)))
            return false;
        for (std::size_t d = extents.size(); d-- > 0 && ++index[d] == extents[d];)
            index[d] = 0;
    }
    return true;
}

SplatsByName splatsOf(const Graph &graph, const FillOptions &options)
{
    SplatsByName splats;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id))
            continue;
        const Tensor &tensor = graph.tensor(id);
        if ((isFillable(tensor, options.leastElements) ||
             (options.scaled && isScaledSplat(tensor, options.leastElements))) &&
            (options.folded || !livesOnElsewhere(graph, id)))
            splats.emplace(tensor.name, id);
    }
    return splats;
}

/// Returns how many products with this constant a reader sums up, if there is such a reader.
std::optional<double> summands(const Runnable &runnable, TensorId id)
{
    const Graph &graph = runnable.graph;
    for (const Use &use : graph.uses(id)) {
        const auto description = describe(graph, use.node, runnable.opsets);
        if (!description || description->isOpaque())
            continue;
        const std::vector<bool> noneConstant(graph.node(use.node).inputs.size(), false);
        if (classOf(*description, noneConstant) != OperatorClass::Contraction)
            continue;
        const Operand operand{Operand::Kind::Input, int(use.slot)};
        for (const Stage &stage : description->stages) {
            const bool reads = std::ranges::any_of(
                stage.reads, [&](const Read &read) { return read.operand == operand; });
            double points = 1;
            bool reduces = false;
            for (const Axis &axis : stage.axes) {
                if (axis.kind != Axis::Kind::Reduce)
                    continue;
                reduces = true;
                points *= double(axis.extent.constant().value_or(64));
            }
            if (reads && reduces && stage.combine == Combine::Sum)
                return std::max(1.0, points);
        }
    }
    return std::nullopt;
}

/// Returns nothing if cancelled.
std::optional<TensorData> filled(const Tensor &tensor, std::optional<double> summed,
                                 std::uint64_t seed, const std::stop_token &stop)
{
    const TensorData &splat = *tensor.constant;
    const double value = splat.real(0);
    // The uniform distribution on [-a, a] has the variance a^2 / 3. A sum over n products keeps the
    // variance of its input if each weight has the variance 1 / n, or 2 / n before a rectifier.
    const double middle = summed ? 0 : value;
    const double reach = summed ? std::sqrt(6 / *summed) : 0.5 * value;
    const std::size_t size = std::size_t(bytesOf(splat.type(), 1));
    const std::uint64_t start = combine(seed, hashText(tensor.name));
    std::vector<std::byte> bytes(splat.storedBytes());
    constexpr std::int64_t share = 1 << 16; // elements between two checks of the stop token
    for (std::int64_t i = 0; i < splat.elements(); ++i) {
        if (i % share == 0 && stop.stop_requested())
            return std::nullopt;
        const double unit =
            double(scramble(start + std::uint64_t(i)) >> 11) * 0x1p-52 - 1; // in [-1, 1)
        encodeReal(splat.type(), middle + reach * unit, bytes.data() + std::size_t(i) * size);
    }
    return TensorData::fromBytes(splat.type(), splat.extents(), std::move(bytes));
}

} // namespace

bool isFillable(const Tensor &tensor, std::int64_t leastElements)
{
    const auto &data = tensor.constant;
    return data && data->isSplat() && isFloatingPoint(tensor.type) &&
           data->elements() >= leastElements && data->real(0) != 0 && std::isfinite(data->real(0));
}

Result<std::size_t> fillSplatWeights(std::vector<Runnable> &runnables, const FillOptions &options)
{
    if (runnables.empty())
        return 0;
    std::vector<SplatsByName> splats;
    for (const Runnable &runnable : runnables)
        splats.push_back(splatsOf(runnable.graph, options));
    std::vector<GraphEditor> editors;
    for (const Runnable &runnable : runnables)
        editors.emplace_back(runnable.graph);

    std::size_t count = 0;
    std::uint64_t used = 0;
    for (const auto &[name, id] : splats.front()) {
        const Tensor &tensor = runnables.front().graph.tensor(id);
        bool everywhere = true;
        for (std::size_t k = 1; k < runnables.size() && everywhere; ++k) {
            const auto found = splats[k].find(name);
            everywhere = found != splats[k].end() &&
                         *runnables[k].graph.tensor(found->second).constant == *tensor.constant;
        }
        const std::uint64_t bytes = tensor.constant->storedBytes();
        // Types smaller than a byte would need packing; no model has such weights as splats.
        if (!everywhere || bitsOf(tensor.type) < 8 || bytes > options.maxBytes - used)
            continue;
        const auto summed = summands(runnables.front(), id);
        if (!tensor.constant->isSplat() && !summed)
            continue;
        used += bytes;
        ++count;
        auto elements = filled(tensor, summed, options.seed, options.stop);
        if (!elements)
            return stopped();
        const auto data = std::make_shared<const TensorData>(*std::move(elements));
        for (std::size_t k = 0; k < runnables.size(); ++k) {
            const TensorId there = splats[k].at(name);
            Tensor replacement = runnables[k].graph.tensor(there);
            replacement.constant = data;
            editors[k].setTensor(there, std::move(replacement));
        }
    }
    for (std::size_t k = 0; k < runnables.size(); ++k) {
        GL_TRY_RESULT(graph, std::move(editors[k]).finish());
        runnables[k].graph = std::move(*graph);
    }
    return count;
}

} // namespace graphloom
