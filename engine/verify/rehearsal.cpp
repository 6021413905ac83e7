// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/rehearsal.h"

#include "engine/interpreter/fill_weights.h"
#include "engine/ops/derive/infer.h"

#include <algorithm>
#include <unordered_map>

namespace graphloom {

namespace {

/// Returns the graph with zeros for the elements of real constants.
Result<Graph> withoutElements(const Graph &graph)
{
    GraphEditor editor(graph);
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant)
            continue;
        const TensorData &data = *graph.tensor(id).constant;
        if (!isFloatingPoint(data.type()) || data.elements() <= 1 || bitsOf(data.type()) < 8)
            continue;
        editor.setTensor(
            id, Tensor::of(graph.tensor(id).name,
                           TensorData::splat(data.type(), data.extents(),
                                             std::vector<std::byte>(bytesOf(data.type(), 1)))));
    }
    return std::move(editor).finish();
}

using Constants = std::unordered_map<std::string_view, std::shared_ptr<const TensorData>>;

Constants constantsOf(const Graph &graph)
{
    Constants constants;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
        if (graph.contains(TensorId{i}) && graph.tensor(TensorId{i}).constant)
            constants.emplace(graph.tensor(TensorId{i}).name, graph.tensor(TensorId{i}).constant);
    return constants;
}

/// Returns the constants of `filled` by their names in `result`: names follow the order in which
/// constants are computed, which differs if they are splats.
Constants counterparts(const Graph &result, const Graph &filled)
{
    Constants constants;
    for (std::size_t i = 0; i < std::min(result.nodeCount(), filled.nodeCount()); ++i) {
        std::vector<TensorId> ours, theirs;
        forEachRead(result.node(result.order()[i]),
                    [&](TensorId id, std::uint32_t) { ours.push_back(id); });
        forEachRead(filled.node(filled.order()[i]),
                    [&](TensorId id, std::uint32_t) { theirs.push_back(id); });
        for (std::size_t k = 0; k < std::min(ours.size(), theirs.size()); ++k) {
            const Tensor &constant = result.tensor(ours[k]);
            const Tensor &other = filled.tensor(theirs[k]);
            if (constant.constant && other.constant && constant.type == other.type &&
                constant.constant->extents() == other.constant->extents())
                constants.emplace(constant.name, other.constant);
        }
    }
    return constants;
}

/// Compares the elements; one of the two may be a splat that the other stores in full.
bool sameElements(const TensorData &a, const TensorData &b)
{
    if (a == b)
        return true;
    if (a.type() != b.type() || a.extents() != b.extents() || a.isSplat() == b.isSplat())
        return false;
    const auto one = (a.isSplat() ? a : b).bytes(), all = (a.isSplat() ? b : a).bytes();
    for (std::size_t at = 0; at < all.size(); at += one.size())
        if (!std::ranges::equal(one, all.subspan(at, one.size())))
            return false;
    return true;
}

} // namespace

bool hasChangedSplats(const Graph &original, const Graph &result)
{
    const Constants kept = constantsOf(result);
    for (std::uint32_t i = 0; i < original.tensorBound(); ++i) {
        const TensorId id{i};
        if (!original.contains(id) || original.uses(id).empty() ||
            !isFillable(original.tensor(id), FillOptions().leastElements))
            continue;
        const auto found = kept.find(original.tensor(id).name);
        if (found == kept.end() || !(*found->second == *original.tensor(id).constant))
            return true;
    }
    return false;
}

Result<Rehearsal> rehearse(const Model &model, std::uint64_t seed,
                           const std::function<Result<Plan>(Plan)> &passes)
{
    std::vector<Runnable> one = {{"the model as opened", model.graph, opsetsOf(model)}};
    GL_TRY_CONST(count, fillSplatWeights(one, {.seed = seed, .folded = true}));
    auto filled = std::make_shared<Model>(model);
    filled->graph = std::move(one.front().graph);
    auto plan = initialPlan(std::move(filled));
    if (plan)
        plan = passes(*std::move(plan));
    if (!plan)
        return tl::unexpected(plan.error());
    return Rehearsal{*std::move(plan), *count};
}

bool sameCalls(const Graph &a, const Graph &b)
{
    const auto left = withoutElements(a), right = withoutElements(b);
    return left && right && left->hash() == right->hash();
}

Result<Graph> withFilledConstants(const Graph &exported, const Graph &result, const Graph &filled)
{
    const Constants wanted = constantsOf(result), replacements = counterparts(result, filled);
    GraphEditor editor(exported);
    for (std::uint32_t i = 0; i < exported.tensorBound(); ++i) {
        const TensorId id{i};
        if (!exported.contains(id) || !exported.tensor(id).constant)
            continue;
        const Tensor &tensor = exported.tensor(id);
        const auto should = wanted.find(tensor.name), is = replacements.find(tensor.name);
        if (should != wanted.end() && is != replacements.end() &&
            sameElements(*tensor.constant, *should->second))
            editor.setTensor(id, Tensor::of(tensor.name, *is->second));
    }
    return std::move(editor).finish();
}

} // namespace graphloom
