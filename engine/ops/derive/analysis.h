// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/mapping_type.h"
#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

// Everything here is derived from a description's stages; nothing asks for an operator's name.

/// Returns the mapping from an input to an output (both by index), or nothing if the output does
/// not depend on the input's elements (Shape, or an input of which only the extents matter).
std::optional<MappingType> mappingType(const Description &description, int input, int output);
/// Returns the most complex mapping of all pairs. Inputs flagged constant do not count, unless all
/// are.
MappingType mappingType(const Description &description, const std::vector<bool> &constantInputs);

OperatorClass classOf(const Description &description, const std::vector<bool> &constantInputs);

/// Returns the shape of a written value: the reach of the index maps that write it.
Shape shapeOf(const Description &description, int value);

/// Returns the multiply-accumulates: the points of all stages that sum a product, or those of an
/// opaque call if its extents determine them.
Dim macsOf(const Description &description);
/// Returns the scalar operations: the points of each stage times the operations of its body, or two
/// for each multiply-accumulate of an opaque call.
Dim flopsOf(const Description &description);
/// Returns for each input the number of distinct elements that are read; all of them for an opaque
/// operator, 0 for an input that is omitted or has no known shape. Overlap of windows counts once.
std::vector<Dim> elementsRead(const Description &description, const Call &call);
/// Counts the bytes of elementsRead(), and of the elements that are written to the outputs.
struct Traffic {
    Dim read, written;
};
Traffic trafficOf(const Description &description, const Call &call);

/// Describes an edge of MAGIS' D-Graph (section 4.1): dimension `inputDim` of input `input`
/// corresponds to dimension `outputDim` of output `output`, or to a reduction axis: then outputDim
/// is -k, with k = 1, 2… over the reduction axes of all stages. Dimensions count from 0.
struct DimensionEdge {
    int input = 0, inputDim = 0;
    int output = 0, outputDim = 0;
    /// Positions of the dimension that a step along the common axis moves by. If a dimension
    /// consists of several axes (Reshape), the common axis is its outermost one.
    Dim inputStep = 1, outputStep = 1;
    /// Sliding window (an extension of the paper): output position o reads the input positions
    /// stride * o - before … stride * o + after. Without a window 1, 0, 0.
    Dim stride = 1, before = 0, after = 0;
};
std::vector<DimensionEdge> dimensionEdges(const Description &description);
int reductionAxes(const Description &description);

/// Describes a space axis of a stage over which elements of an input are read again: one that is
/// missing from its index map or shares an index with a window (AGO section III-B).
struct ReuseAxis {
    int stage = 0, axis = 0;
    std::string name;
    Dim extent;
};
std::vector<ReuseAxis> reuseAxes(const Description &description, int input);

/// Returns the number of points of the global iteration space |GS| of all stages (AGO section
/// III-B).
Dim iterationSpace(const Description &description);
/// Returns, for each stage, the extents of the loops that run more than once.
std::vector<std::vector<Dim>> loopExtents(const Description &description);

/// Names the roles of axes for splitting over cores or to fit memory (Xenos DOP, section 4.2, and
/// MOS), in stage `stage` with feature map input `feature` and parameter input `parameter`.
enum class AxisRole { OutputChannel, FeatureSpace, ParameterReduction, Batch, Other };
std::vector<AxisRole> axisRoles(const Description &description, int stage, int feature,
                                int parameter);

/// Counts the channels that a sum of products with a parameter reads and writes, by the roles of
/// its axes: `in` counts those that are summed and the groups, without the axes of a window, `out`
/// the output channels. There are none for calls without a constant input that is multiplied and
/// summed.
struct Channels {
    Dim in, out;
};
std::optional<Channels> channelsOf(const Description &description,
                                   const std::vector<bool> &constantInputs);

} // namespace graphloom
