// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

// Everything here is derived from a description's stages; nothing asks for an operator's name.

/// How the elements of an input relate to those of an output (DNNFusion section 3.1, Table 2),
/// in increasing order of complexity (its footnote 1). Opaque is beyond the paper's five.
enum class MappingType { OneToOne, Reorganize, Shuffle, OneToMany, ManyToMany, Opaque };
std::string_view nameOf(MappingType type);

/// Mapping from an input to an output (both by index); none when the output does not depend on
/// the input's elements (Shape, or an input that is only looked at for its extents).
std::optional<MappingType> mappingType(const Description &description, int input, int output);
/// The most complex of all pairs. Inputs flagged constant do not count, unless all are.
MappingType mappingType(const Description &description, const std::vector<bool> &constantInputs);

/// Coarse classes that views colour by and AGO's baseline cuts at.
enum class OperatorClass {
    Contraction, // a sum of products of two tensors: convolution, matrix product
    Window,      // any other reduction or window: pooling, softmax, normalization
    Elementwise, // One-to-One
    Broadcast,   // One-to-Many: expand, gather, resize
    Movement,    // Reorganize or Shuffle
    Opaque,
};
std::string_view nameOf(OperatorClass operatorClass);
OperatorClass classOf(const Description &description, const std::vector<bool> &constantInputs);

/// The shape of a written value: the reach of the index maps that write it.
Shape shapeOf(const Description &description, int value);

/// Multiply-accumulates: points of all stages that sum a product; those of an opaque call where its
/// extents tell them.
Dim macsOf(const Description &description);
/// Scalar operations: points of each stage times the operations of its body; two for each of an
/// opaque call's multiply-accumulates.
Dim flopsOf(const Description &description);
/// Bytes of the distinct elements that are read of the inputs / written to the outputs. Overlap
/// of windows counts once.
struct Traffic {
    Dim read, written;
};
Traffic trafficOf(const Description &description, const Call &call);

/// An edge of MAGIS' D-Graph (section 4.1): dimension `inputDim` of input `input` corresponds
/// to dimension `outputDim` of output `output`, or to a reduction axis: then outputDim is -k,
/// k = 1, 2… over the reduction axes of all stages. Dimensions count from 0.
struct DimensionEdge {
    int input = 0, inputDim = 0;
    int output = 0, outputDim = 0;
    /// Where a dimension is made of several axes (Reshape), the common axis is its outermost
    /// one, and a step along it moves by so many positions of the dimension.
    Dim inputStep = 1, outputStep = 1;
    /// Of a sliding window (an extension of the paper): output position o reads the input
    /// positions stride * o - before … stride * o + after. Without a window 1, 0, 0.
    Dim stride = 1, before = 0, after = 0;
};
std::vector<DimensionEdge> dimensionEdges(const Description &description);
int reductionAxes(const Description &description);

/// Space axes of the stage over which elements of an input are read again: those missing from
/// its index map and those that share an index with a window (AGO section III-B).
struct ReuseAxis {
    int stage = 0, axis = 0;
    std::string name;
    Dim extent;
};
std::vector<ReuseAxis> reuseAxes(const Description &description, int input);

/// Points of the global iteration space |GS| of all stages (AGO section III-B).
Dim iterationSpace(const Description &description);
/// The extents of the loops of each stage that run more than once.
std::vector<std::vector<Dim>> loopExtents(const Description &description);

/// Roles of the axes for splitting over cores or to fit memory (Xenos DOP, section 4.2, and MOS).
/// For stage `stage` with feature map input `feature` and parameter input `parameter`.
enum class AxisRole { OutputChannel, FeatureSpace, ParameterReduction, Batch, Other };
std::vector<AxisRole> axisRoles(const Description &description, int stage, int feature,
                                int parameter);

/// How many channels a sum of products with a parameter reads and writes, by the roles of its axes:
/// `in` counts those that are summed up and the groups, without the axes of a window, `out` the
/// output channels. None for calls without a constant input that is multiplied and summed up.
struct Channels {
    Dim in, out;
};
std::optional<Channels> channelsOf(const Description &description,
                                   const std::vector<bool> &constantInputs);

} // namespace graphloom
