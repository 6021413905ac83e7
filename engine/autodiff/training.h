// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/updates.h"
#include "engine/ir/model.h"
#include "engine/ir/opsets.h"
#include "engine/ir/training_options.h"
#include "engine/plan/training_record.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace graphloom {

/// Holds one step of training as a graph: the model, its loss, the gradients of all weights, and
/// the weights after the step. The order of its nodes is the schedule: forward, loss, backward,
/// each update as soon as its gradient is available.
///
/// Inputs are those of the model, the labels (loss.h) and the state of the optimizer (updates.h).
/// Weights stay constants; their values after the step, and those of the optimizer's states and of
/// running statistics, are outputs named "<name>.updated", after the first output, the loss. The
/// model's own outputs are no longer outputs.
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
    /// Results of forward nodes that backward nodes read; savedBytes is their size.
    std::vector<TensorId> saved;
    std::uint64_t savedBytes = 0;
};

/// Makes a training graph from an inference graph that is inferred, but not folded: values computed
/// from constants are folded here unless they are computed from weights, calls that do nothing are
/// removed, and what exporters write out as several calls becomes one (recognition.h), whose
/// gradient saves less. `opsets` should be trainingOpsets().
/// Fails (Model) naming a node that has no gradient although a weight depends on it, or an output
/// without a known shape; (Usage) if the requested loss does not suit the output, or the model has
/// no weights; stoppedError() if stopped.
Result<TrainingGraph> trainingGraph(const Graph &inference, const Opsets &opsets,
                                    const TrainingOptions &options,
                                    const std::stop_token &stop = {});

/// Returns the opsets of a graph together with those that a training graph uses in addition.
Opsets trainingOpsets(Opsets opsets);

struct TrainingModel {
    Model model; // imports the operator sets of its nodes
    TrainingRecord record;
};
/// Does the same for an opened model.
Result<TrainingModel> trainingModel(Model model, const TrainingOptions &options,
                                    const std::stop_token &stop = {});

} // namespace graphloom
