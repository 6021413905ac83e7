// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/onnx/nodes/function_library.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace graphloom {

/// A graph while it is read. Nodes wait in `pending` until all of them are there, since a file
/// may list them in any order.
struct GraphBuild {
    struct Pending {
        Node node;
        std::int64_t opset = 0; // ai.onnx version that the node follows
    };

    GraphEditor editor;
    GraphBuild *parent = nullptr; // of a nested graph: the graph around it
    std::vector<Pending> pending;
    std::vector<TensorId> captured;     // its tensors that stand for tensors of the parent…
    std::vector<TensorId> capturedFrom; // …and those tensors of the parent
    std::unordered_map<TensorId, TensorId> standIns;  // by tensor of the parent
    std::unordered_map<TensorId, TensorId> originals; // by stand-in

    /// The tensor that stands in this graph for a tensor of `owner`, which is this graph or one
    /// around it. Every graph on the way gets a stand-in.
    TensorId capture(GraphBuild &owner, TensorId id);
    /// The constant that a tensor holds, or that the tensor holds for which it stands.
    const TensorData *constantOf(TensorId id) const;

    /// Brings the pending nodes into an order in which each stands behind the nodes it reads
    /// from, changing the file's order as little as possible. Gives the position of a node that
    /// had to move; fails (Model, naming the nodes) when there is a cycle.
    Result<std::optional<std::size_t>> sortPending();
};

struct FunctionCall;

/// A list of nodes, and the names that they may use: those of the list itself, then those of
/// the graphs around it. The body of a function sees no names of its caller.
struct Region {
    GraphBuild &build; // the graph that its nodes go into
    const Region *outer = nullptr;
    const FunctionCall *call = nullptr; // whose body it is, or is nested in
    std::unordered_map<std::string_view, TensorId> names;

    /// The tensor of this region's graph that the name means; invalid for an omitted input of a
    /// function; none when nothing has this name.
    std::optional<TensorId> find(std::string_view name) const;
};

/// A function that is being inlined.
struct FunctionCall {
    struct Bound {
        const onnx::AttributeProto *value = nullptr;
        const Region *region = nullptr; // in which graphs of the value find their names
    };

    const ModelFunction &function;
    std::string prefix; // for the names of its nodes and tensors; empty: they keep theirs
    int depth = 1;
    std::unordered_map<std::string_view, Bound> attributes;
};

} // namespace graphloom
