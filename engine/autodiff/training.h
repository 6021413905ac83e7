// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/updates.h"
#include "engine/ir/model.h"
#include "engine/ir/training_options.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/plan/training_record.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace graphloom {

/// One step of training as a graph: the model, its loss, the gradients of all weights, and the
/// weights after the step. The order of its nodes is the schedule: forward, loss, backward, each
/// update as soon as its gradient is there.
///
/// Inputs are those of the model, the labels (loss.h) and what the optimizer carries along
/// (updates.h). Weights stay constants; their values after the step, and those of the optimizer's
/// states and of running statistics, are outputs named "<name>.updated", behind the first one, the
/// loss. The model's own outputs are none any more.
struct TrainingGraph {
    Graph graph;
    TrainingOptions::Loss loss = TrainingOptions::Loss::Automatic; // as chosen
    TensorId lossValue, labels;
    std::vector<ParameterUpdate> updates; // in the order of their nodes
    /// Stored statistics and their new values.
    std::vector<std::pair<TensorId, TensorId>> statistics;
    /// Weights of the model on which the loss does not depend.
    std::vector<std::string> unused;
    std::size_t forwardNodes = 0, backwardNodes = 0, updateNodes = 0; // the loss is forward
    /// Results of forward nodes that backward nodes read, and what they take.
    std::vector<TensorId> saved;
    std::uint64_t savedBytes = 0;
};

/// Makes a training graph of an inference graph that is inferred, but not folded: what is computed
/// of constants is folded here unless it is computed of weights, calls that do nothing go, and what
/// exporters write out as several calls becomes one (recognition.h), as its gradient saves less.
/// `opsets` should be trainingOpsets().
/// Fails (Model) naming a node that has no gradient although a weight depends on it, or an output
/// without a known shape; (Usage) where the wanted loss does not go with the output, or the model
/// has no weights; stoppedError() when stopped.
Result<TrainingGraph> trainingGraph(const Graph &inference, const Opsets &opsets,
                                    const TrainingOptions &options,
                                    const std::stop_token &stop = {});

/// The opsets of a graph with those beside them that a training graph uses.
Opsets trainingOpsets(Opsets opsets);

struct TrainingModel {
    Model model; // imports the operator sets that its nodes are of
    TrainingRecord record;
};
/// The same for an opened model.
Result<TrainingModel> trainingModel(Model model, const TrainingOptions &options,
                                    const std::stop_token &stop = {});

} // namespace graphloom
