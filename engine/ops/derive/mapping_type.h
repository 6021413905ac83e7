// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace graphloom {

/// Tells how the elements of an input relate to those of an output (DNNFusion section 3.1, Table
/// 2), in increasing order of complexity (its footnote 1). Opaque is beyond the paper's five.
enum class MappingType { OneToOne, Reorganize, Shuffle, OneToMany, ManyToMany, Opaque };
std::string_view nameOf(MappingType type);

/// Names the coarse classes that views colour by and that AGO's baseline cuts at.
enum class OperatorClass {
    Contraction, // a sum of products of two tensors: convolution, matrix product
    Window,      // any other reduction or window: pooling, softmax, normalization
    Elementwise, // One-to-One
    Broadcast,   // One-to-Many: expand, gather, resize
    Movement,    // Reorganize or Shuffle
    Opaque,
};
std::string_view nameOf(OperatorClass operatorClass);

} // namespace graphloom
