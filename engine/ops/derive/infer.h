// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"
#include "engine/ir/opsets.h"

#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Returns the opset versions of a model, for describe().
Opsets opsetsOf(const Model &model);

struct Inference {
    Graph graph;                       // with type, shape and values of every tensor filled in
    std::vector<std::string> warnings; // about declared shapes that disagree with inferred ones
};

/// Derives types, shapes and known integer values of all tensors from the operator table. Symbolic
/// extents stay expressions over the input's symbols; results whose extents depend on data get
/// fresh symbols, named after their tensor ("keep.dim0"). Takes time linear in the graph; nested
/// graphs are inferred with the types of what they capture. Fails (Model), naming the node, if it
/// contradicts its operator's definition, or if an extent is negative or overflows; returns
/// stoppedError() if stopped.
Result<Inference> inferShapes(const Graph &graph, const Opsets &opsets,
                              const std::stop_token &stop = {});

} // namespace graphloom
