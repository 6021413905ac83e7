// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/codegen/index/index_form.h"
#include "engine/codegen/index/storage.h"
#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace graphloom {

/// Counts the nests of a block.
using NestIndex = TypedIndex<struct NestTag>;
/// Counts the tensors of a block.
using BlockTensorIndex = TypedIndex<struct BlockTensorTag>;

/// Describes a loop of a nest; space axes come before reduction axes. Its index is its variable in
/// index forms and Fn::Axis in expressions.
struct NestAxis {
    std::string name;
    std::int64_t extent = 1;
    bool reduces = false;
    /// True if points of the axis may write the same element, at positions that depend on data: one
    /// task then goes through them, in the nest's order.
    bool ordered = false;
};

/// Describes an element that a nest loads: one form for each dimension of the tensor.
struct NestRead {
    BlockTensorIndex tensor;
    std::vector<IndexForm> map;
    /// True if the map may leave the tensor, where `outsideValue` is loaded.
    bool guarded = false;
    double outsideValue = 0;
};

/// Describes an element that a nest writes at each point of its space axes.
struct NestStore {
    BlockTensorIndex tensor;
    std::vector<IndexForm> map;
    /// Expression over the accumulator, loads that do not use reduction axes, and space axes.
    Expr value;
    /// True if the map may leave the tensor, where nothing is written.
    bool guarded = false;
    /// If not None, the element is combined with the value instead of overwritten.
    Combine update = Combine::None;

    /// Tells whether the position written depends on data.
    bool scatters() const { return std::ranges::any_of(map, &IndexForm::hasLookup); }
};

/// Describes one loop nest of a block, like a stage (engine/ops/describe/stage.h), but with numbers
/// for all extents and with the nests fused into it:
///     for all space axes: acc = initial; for all reduction axes: acc = combine(acc, body);
///                         every store
struct Nest {
    std::string name;
    IndexedVector<AxisIndex, NestAxis> axes;
    IndexedVector<ReadIndex, NestRead> reads;
    Combine combine = Combine::None;
    double initial = 0;
    Expr body; // empty without reduction
    DataType accumulator = DataType::Undefined;
    std::vector<NestStore> stores;
    /// Values that several stores use, in an order in which few are needed at a time; code computes
    /// them first. They read no accumulator.
    std::vector<Expr> first = {};
    std::vector<NodeId> nodes; // the nodes whose work it does

    bool reduces() const { return combine != Combine::None; }
    bool scatters() const { return std::ranges::any_of(stores, &NestStore::scatters); }
    IndexRange<AxisIndex> spaceAxes() const;
    IndexRange<AxisIndex> reductionAxes() const;
    AxisExtents extents() const;
    std::int64_t points(bool reductions) const;
};

/// Describes a tensor that a block's nests touch.
struct BlockTensor {
    enum class Role : std::uint8_t {
        Input,    // computed before the block
        Output,   // read after the block
        Constant, // known when kernels are built
        Scratch,  // used by this block alone
    };
    Role role = Role::Scratch;
    TensorId id; // invalid for scratch
    std::string name;
    DataType type = DataType::Undefined;
    std::vector<std::int64_t> extents;
    /// Value of a constant. For one that is computed from another (Winograd), it is the other one's
    /// value, and `derive` computes its own. That is done only while the value is needed: it may be
    /// larger.
    std::shared_ptr<const TensorData> constant = nullptr;
    std::function<TensorData()> derive = {};

    std::int64_t elements() const;
};

/// Hold the tensors of a block, and where the elements of each are.
using BlockTensors = IndexedVector<BlockTensorIndex, BlockTensor>;
using BlockStorages = IndexedVector<BlockTensorIndex, Storage>;

/// Names a tensor that is kept in memory although its reader could compute it, and the reason.
struct StoredTensor {
    BlockTensorIndex tensor;
    std::string reason;
};

/// Holds what a fused block computes in as few loop nests as possible: movements and elementwise
/// operators are part of the nests that read them (prologues, index maps) or that compute what they
/// read (epilogues).
struct BlockNests {
    BlockTensors tensors;
    IndexedVector<NestIndex, Nest> nests; // in a topological order
    std::vector<StoredTensor> stored = {};
    /// Nests that need not run: what they would copy is written where it belongs
    /// (PlanStorages::parts).
    std::set<NestIndex> inPlace = {};
};

/// Returns the nests of nodes given in the graph's order. Fails (Model), naming the node and the
/// reason, if a node cannot be compiled: it is opaque, an extent is known only while the model
/// runs, or it has elements that are not numbers. Fails (Fault) if `steps`, which may be null,
/// tells it to stop.
Result<BlockNests> nestsOf(const Graph &graph, const Opsets &opsets,
                           const std::vector<NodeId> &nodes, Steps *steps = nullptr);

/// Returns the nest as formulas, a line for each store: for messages, headers of kernels and tests.
std::string textOf(const Nest &nest, const BlockTensors &tensors);

} // namespace graphloom
