// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/codegen/index/index_form.h"
#include "engine/ops/describe/operator_table.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace graphloom {

/// A loop of a nest; space axes come before reduction axes. Its number is its variable in index
/// forms and Fn::Axis in expressions.
struct NestAxis {
    std::string name;
    std::int64_t extent = 1;
    bool reduces = false;
    /// Points of the axis may write the same element, where data say which: one task goes through
    /// them, in the nest's order.
    bool ordered = false;
};

/// An element that a nest loads: one form for each dimension of the tensor.
struct NestRead {
    int tensor = 0; // of the block
    std::vector<IndexForm> map;
    /// The map may leave the tensor, and `outsideValue` is loaded there.
    bool guarded = false;
    double outsideValue = 0;
};

/// An element that a nest writes at each point of its space axes.
struct NestStore {
    int tensor = 0;
    std::vector<IndexForm> map;
    /// Over the accumulator, loads that do not use reduction axes, and space axes.
    Expr value;
    /// The map may leave the tensor, and nothing is written there.
    bool guarded = false;
    /// Not None: the element becomes what it is, combined with the value.
    Combine update = Combine::None;

    /// Where data say.
    bool scatters() const { return std::ranges::any_of(map, &IndexForm::hasLookup); }
};

/// One loop nest of a block, as a stage (engine/ops/describe/stage.h) has it, with numbers for all
/// extents and with what was fused into it:
///     for all space axes: acc = initial; for all reduction axes: acc = combine(acc, body);
///                         every store
struct Nest {
    std::string name;
    std::vector<NestAxis> axes;
    std::vector<NestRead> reads;
    Combine combine = Combine::None;
    double initial = 0;
    Expr body; // empty without reduction
    DataType accumulator = DataType::Undefined;
    std::vector<NestStore> stores;
    std::vector<NodeId> nodes; // whose work it does

    bool reduces() const { return combine != Combine::None; }
    bool scatters() const { return std::ranges::any_of(stores, &NestStore::scatters); }
    int spaceAxes() const;
    std::vector<std::int64_t> extents() const;
    std::int64_t points(bool reductions) const;
};

/// A tensor that a block's nests touch.
struct BlockTensor {
    enum class Role : std::uint8_t {
        Input,    // computed before
        Output,   // read afterwards
        Constant, // known when kernels are built
        Scratch,  // of this block alone
    };
    Role role = Role::Scratch;
    TensorId id; // invalid for scratch
    std::string name;
    DataType type = DataType::Undefined;
    std::vector<std::int64_t> extents;
    /// The value of a constant; of one that is computed from another (Winograd), that other one,
    /// and `derive` gives the value. It is made only while it is needed: it may be larger.
    std::shared_ptr<const TensorData> constant = nullptr;
    std::function<TensorData()> derive = {};

    std::int64_t elements() const;
};

/// A tensor that is kept in memory although its reader could compute it, and why.
struct StoredTensor {
    int tensor = 0; // of the block
    std::string reason;
};

/// What a fused block computes, as few loop nests as it takes: movements and elementwise
/// operators are part of the nests that read them (prologues, index maps) or that compute what
/// they read (epilogues).
struct BlockNests {
    std::vector<BlockTensor> tensors;
    std::vector<Nest> nests; // in an order that respects what they read
    std::vector<StoredTensor> stored = {};
};

/// Of nodes given in the graph's order. Fails (Model) saying which node cannot be compiled and why:
/// it is opaque, an extent is known only while the model runs, or it has elements that are no
/// numbers. Fails (Fault) when `steps`, which may be null, says that it is to stop.
Result<BlockNests> nestsOf(const Graph &graph, const Opsets &opsets,
                           const std::vector<NodeId> &nodes, Steps *steps = nullptr);

/// As formulas, a line for each store: for messages, headers of kernels and tests.
std::string textOf(const Nest &nest, const std::vector<BlockTensor> &tensors);

} // namespace graphloom
