// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_values.h"
#include "engine/ops/describe/stage.h"

#include <array>
#include <memory>
#include <vector>

namespace graphloom {

/// A lowered stage has numbers in place of symbols: its loops, and for each map the distance in
/// memory of a step along each loop. Loops of one iteration are removed, and loops that all maps
/// walk as if they were one are merged.

/// Describes one dimension of an index map that is not affine or that may leave its tensor.
struct LoweredIndex {
    std::vector<std::int64_t> coefficients; // by axis
    std::int64_t offset = 0, divide = 1, modulo = 0;
    std::shared_ptr<const std::vector<std::int64_t>> table;
    int lookup = -1;
    std::int64_t extent = 0, stride = 0; // of the tensor's dimension
    int dimension = 0;
    bool guarded = false; // the index may leave 0..extent-1

    bool affine() const { return divide == 1 && modulo == 0 && !table && lookup < 0; }
};

struct LoweredMap {
    std::int64_t base = 0;           // elements from the start of the tensor
    std::vector<std::int64_t> steps; // elements for one step of each axis
    std::vector<LoweredIndex> special;
    std::vector<bool> depends; // by axis: whether the map depends on it, also by lookups
    Read::Outside outside = Read::Outside::Never;
    double outsideValue = 0;
    DataType type = DataType::Undefined;
    const std::byte *data = nullptr;
};

inline constexpr int maxAxes = 24;
/// Holds the values of the axes at a point.
using Point = std::array<std::int64_t, maxAxes>;

struct LoweredStage {
    const Stage *stage = nullptr;
    std::vector<std::int64_t> extents; // space axes before reduction axes
    int spaceAxes = 0;
    /// Holds the loop that stands for each axis of the description; -1 if its value is always 0.
    std::vector<int> loopOf;
    std::vector<LoweredMap> reads;
    LoweredMap write;
    DataType valueType = DataType::Undefined;
    std::byte *target = nullptr;
    /// True if the order of the points matters, because elements are written more than once or are
    /// read by the stage that writes them.
    bool ordered = false;
    bool readsOwnValue = false;

    int axes() const { return int(extents.size()); }
    bool reduces(int axis) const { return axis >= spaceAxes; }
    std::int64_t points(int firstAxis, int endAxis) const;
};

/// Lowers a stage whose operands are all available. Fails (Model) if extents are unknown or do not
/// fit into 64 bits, (Fault) if maps contradict their tensors.
Result<LoweredStage> lower(const Stage &stage, StageValues &values, const Call &call);

/// Returns a Fault in the description of a call, naming the node.
tl::unexpected<Error> faultOf(const Call &call, const std::string &message);

} // namespace graphloom
