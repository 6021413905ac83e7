// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/training.h"

#include "engine/autodiff/backward.h"
#include "engine/autodiff/loss.h"
#include "engine/autodiff/parameters.h"
#include "engine/autodiff/training_forms.h"
#include "engine/base/steps.h"
#include "engine/interpreter/fold.h"
#include "engine/ir/open_constants.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/derive/passing.h"
#include "engine/rewrite/composites/recognition.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace graphloom {

namespace {

/// Removes calls that return an input unchanged (Cast to the same type, Identity): frameworks do
/// not copy there, and both tensors would be kept for gradients.
Result<Graph> withoutCopies(const Graph &graph, const Opsets &opsets, const std::stop_token &stop)
{
    GraphEditor editor(graph);
    for (const NodeId id : graph.order()) {
        if (stop.stop_requested())
            return stoppedError();
        const Node node = editor.graph().node(id);
        const Call call(node, operandsOf(editor.graph(), node), opsets(node.domain));
        if (node.outputs.size() != 1 || graph.isOutput(node.outputs[0]))
            continue;
        GL_TRY_CONST(description, describe(call));
        if (const auto same = inputReturned(*description, call, 0))
            editor.replaceUses(node.outputs[0], node.inputs[std::size_t(*same)]);
    }
    editor.removeUnused();
    return std::move(editor).finish();
}

/// Folds calls of constants other than the weights, which training changes.
Result<Graph> foldedAround(const Graph &graph, const Opsets &opsets,
                           const std::vector<TensorId> &weights, const std::stop_token &stop)
{
    GL_TRY_CONST(open, withOpenConstants(graph, weights));
    GL_TRY_CONST(folded, foldConstants(*open, opsets, mostFoldedBytes, stop));
    GL_TRY_CONST(reduced, withoutCopies(*folded, opsets, stop));
    return withClosedConstants(*reduced, graph, weights);
}

Result<Graph> inferred(const Graph &graph, const Opsets &opsets, const std::stop_token &stop)
{
    GL_TRY_RESULT(inference, inferShapes(graph, opsets, stop));
    return std::move(inference->graph);
}

class Maker {
public:
    Maker(const Opsets &opsets, const TrainingOptions &options, const std::stop_token &stop)
        : m_opsets(opsets), m_options(options), m_stop(stop)
    {
    }

    Result<TrainingGraph> run(const Graph &inference);

private:
    Result<Graph> prepared(const Graph &inference);
    Result<Graph> withLoss(const Graph &graph);
    Result<void> addBackward(const Graph &forward);
    Result<void> finish(GraphEditor editor);
    void count(std::size_t forwardNodes);

    const Opsets &m_opsets;
    const TrainingOptions &m_options;
    const std::stop_token &m_stop;
    std::vector<TensorId> m_parameters;
    std::unique_ptr<TensorNames> m_names;
    Loss m_loss;
    TrainingGraph m_result;
};

/// Returns the inference graph prepared for training.
Result<Graph> Maker::prepared(const Graph &inference)
{
    GL_TRY_RESULT(parameters, trainableParameters(inference, m_opsets, m_stop));
    m_parameters = *std::move(parameters);
    if (m_parameters.empty())
        return fail(Error::Kind::Usage,
                    "the model has no weights: no floating-point constant is combined with its "
                    "inputs",
                    "--training");
    GL_TRY_RESULT(folded, foldedAround(inference, m_opsets, m_parameters, m_stop));
    return withComposites(*folded, m_opsets, m_stop);
}

/// Returns the forward part, which contains only what the loss needs.
Result<Graph> Maker::withLoss(const Graph &graph)
{
    m_names = std::make_unique<TensorNames>(graph);
    GL_TRY_RESULT(forms, withTrainingForms(graph, m_opsets, m_options.batchNorm, *m_names));
    m_result.statistics = std::move(forms->statistics);
    GraphEditor editor(std::move(forms->graph));
    GL_TRY_RESULT(loss, addLoss(editor, m_options.loss, *m_names, m_opsets, m_stop));
    m_loss = *loss;
    editor.setOutputs({m_loss.loss});
    editor.removeUnused();
    std::erase_if(m_result.statistics, [&](const auto &statistic) {
        return !editor.graph().contains(statistic.second);
    });
    std::vector<TensorId> outputs{m_loss.loss};
    for (const auto &[stored, updated] : m_result.statistics)
        outputs.push_back(updated);
    editor.setOutputs(std::move(outputs));
    GL_TRY_RESULT(finished, std::move(editor).finish());
    return inferred(*finished, m_opsets, m_stop);
}

Result<void> Maker::addBackward(const Graph &forward)
{
    std::vector<TensorId> used;
    for (const TensorId parameter : m_parameters)
        if (forward.contains(parameter))
            used.push_back(parameter);
    GraphEditor editor(forward);
    Optimizer optimizer(editor, *m_names, m_options);
    GradientRequest request{m_loss.sum, m_loss.scale, used, {}, m_stop};
    request.complete = [&](TensorId parameter, TensorId gradient) {
        m_result.updates.push_back(optimizer.add(parameter, gradient));
    };
    GL_TRY(addGradients(editor, forward, m_opsets, request, *m_names));
    std::vector<TensorId> outputs(forward.outputs().begin(), forward.outputs().end());
    for (const ParameterUpdate &update : m_result.updates) {
        outputs.push_back(update.updated);
        for (const ParameterUpdate::State &state : update.states)
            outputs.push_back(state.after);
    }
    editor.setOutputs(std::move(outputs));
    return finish(std::move(editor));
}

Result<void> Maker::finish(GraphEditor editor)
{
    GL_TRY_RESULT(graph, std::move(editor).finish());
    GL_TRY_RESULT(shaped, inferred(*graph, m_opsets, m_stop));
    m_result.graph = *std::move(shaped);
    return {};
}

void Maker::count(std::size_t forwardNodes)
{
    const Graph &graph = m_result.graph;
    std::unordered_set<NodeId> updates;
    for (const ParameterUpdate &update : m_result.updates)
        updates.insert(update.node);
    m_result.forwardNodes = forwardNodes;
    m_result.updateNodes = updates.size();
    m_result.backwardNodes = graph.nodeCount() - forwardNodes - updates.size();
    for (const NodeId id : graph.order().first(forwardNodes))
        for (const TensorId output : graph.node(id).outputs) {
            const bool read =
                output.valid() && std::ranges::any_of(graph.uses(output), [&](const Use &use) {
                    return graph.position(use.node) >= forwardNodes;
                });
            if (!read)
                continue;
            const Tensor &tensor = graph.tensor(output);
            m_result.saved.push_back(output);
            m_result.savedBytes +=
                bytesOf(tensor.type, std::uint64_t(staticElements(*tensor.shape).value_or(0)));
        }
}

Result<TrainingGraph> Maker::run(const Graph &inference)
{
    GL_TRY_CONST(graph, prepared(inference));
    GL_TRY_CONST(forward, withLoss(*graph));
    m_result.loss = m_loss.kind;
    m_result.lossValue = m_loss.loss;
    m_result.labels = m_loss.labels;
    GL_TRY(addBackward(*forward));
    std::set<TensorId> updated;
    for (const ParameterUpdate &update : m_result.updates)
        updated.insert(update.parameter);
    for (const TensorId parameter : m_parameters)
        if (!updated.contains(parameter))
            m_result.unused.push_back(inference.tensor(parameter).name);
    count(forward->nodeCount());
    return std::move(m_result);
}

} // namespace

Result<TrainingGraph> trainingGraph(const Graph &inference, const Opsets &opsets,
                                    const TrainingOptions &options, const std::stop_token &stop)
{
    return Maker(opsets, options, stop).run(inference);
}

} // namespace graphloom
