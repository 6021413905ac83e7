// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"
#include "engine/ops/describe/operator_table.h"

#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// The opset versions of a model, for describe().
Opsets opsetsOf(const Model &model);

struct Inference {
    Graph graph;                       // with type, shape and values of every tensor filled in
    std::vector<std::string> warnings; // where declared and inferred shapes disagree
};

/// Types, shapes and known integer values of all tensors, from the operator table. Symbolic
/// extents stay expressions over the input's symbols; results whose extents depend on data get
/// fresh symbols, named after their tensor ("keep.dim0"). Fails (Model) naming the node when it
/// contradicts its operator's definition, or an extent is negative or overflows. Linear in the
/// graph; nested graphs are inferred with the types of what they capture. stoppedError() when
/// stopped.
Result<Inference> inferShapes(const Graph &graph, const Opsets &opsets,
                              const std::stop_token &stop = {});

} // namespace graphloom
