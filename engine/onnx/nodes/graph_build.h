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

/// Holds a graph while it is read. Nodes wait in `pending` until all of them have been read, since
/// a file may list them in any order.
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

    /// Returns the tensor that stands in this graph for a tensor of `owner`, which is this graph or
    /// one around it. Every graph on the way gets a stand-in.
    TensorId capture(GraphBuild &owner, TensorId id);
    /// Returns the constant that a tensor, or the tensor that it stands for, holds.
    const TensorData *constantOf(TensorId id) const;

    /// Sorts the pending nodes so that each comes after the nodes it reads from, changing the order
    /// of the file as little as possible. Returns the position of a node that had to move; fails
    /// (Model, naming the nodes) if there is a cycle.
    Result<std::optional<std::size_t>> sortPending();
};

struct FunctionCall;

/// Holds a list of nodes and the names that they may use: those of the list itself, then those of
/// the graphs around it. The body of a function sees no names of its caller.
struct Region {
    GraphBuild &build; // the graph that its nodes go into
    const Region *outer = nullptr;
    const FunctionCall *call = nullptr; // the call whose body contains it
    std::unordered_map<std::string_view, TensorId> names;

    /// Returns the tensor of this region's graph that the name means; invalid for an omitted input
    /// of a function; nothing if no tensor has this name.
    std::optional<TensorId> find(std::string_view name) const;
};

/// Describes a call of a function that is being inlined.
struct FunctionCall {
    struct Bound {
        const onnx::AttributeProto *value = nullptr;
        const Region *region = nullptr; // where graphs in the value look up names
    };

    const ModelFunction &function;
    std::string prefix; // for the names of its nodes and tensors; empty: unchanged
    int depth = 1;
    std::unordered_map<std::string_view, Bound> attributes;
};

} // namespace graphloom
