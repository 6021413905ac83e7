// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/training.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/plan.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

/// Operator sets of nodes in a training graph, in addition to those of the model.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> added = {
    {{"ai.onnx.preview.training", 1},
     {"com.microsoft", 1},
     {"graphloom", 1},
     {"graphloom.gradient", 1}}};

void importUsed(Model &model)
{
    for (const auto &[domain, version] : added) {
        const bool used = std::ranges::any_of(
            model.graph.order(), [&](NodeId id) { return model.graph.node(id).domain == domain; });
        if (used && model.opset(domain) == 0)
            model.opsets.push_back({std::string(domain), version});
    }
}

} // namespace

Opsets trainingOpsets(Opsets opsets)
{
    return [opsets = std::move(opsets)](std::string_view domain) -> std::int64_t {
        const std::int64_t version = opsets(domain);
        if (version != 0)
            return version;
        for (const auto &[name, newest] : added)
            if (name == domain)
                return newest;
        return 0;
    };
}

Result<TrainingModel> trainingModel(Model model, const TrainingOptions &options,
                                    const std::stop_token &stop)
{
    auto training = trainingGraph(model.graph, trainingOpsets(opsetsOf(model)), options, stop);
    if (!training) {
        Error error = training.error();
        if (error.kind == Error::Kind::Model)
            error.where = model.path.string() + (error.where.empty() ? "" : ", ") + error.where;
        return tl::unexpected(std::move(error));
    }
    TrainingModel result;
    TrainingRecord &record = result.record;
    record.options = options;
    record.options.loss = training->loss;
    record.forwardNodes = training->forwardNodes;
    record.backwardNodes = training->backwardNodes;
    record.updateNodes = training->updateNodes;
    record.savedBytes = training->savedBytes;
    record.unused = std::move(training->unused);
    record.weights = training->updates.size();
    for (const ParameterUpdate &update : training->updates) {
        record.variables.push_back(update.parameter);
        record.parameters +=
            std::uint64_t(training->graph.tensor(update.parameter).constant->elements());
    }
    for (const auto &[stored, updated] : training->statistics)
        record.variables.push_back(stored);
    model.graph = std::move(training->graph);
    // A plan stored with the model belongs to another graph.
    std::erase_if(model.metadata, [](const auto &entry) { return entry.first == storedPlanKey; });
    importUsed(model);
    result.model = std::move(model);
    return result;
}

} // namespace graphloom
