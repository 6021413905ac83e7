// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

/// Declares the groups of entries that the operator table is composed of; each has its own file.
namespace graphloom::entries {

std::span<const Operator> attentions();
std::span<const Operator> contraction();
std::span<const Operator> control();
std::span<const Operator> deformation();
std::span<const Operator> elementwise();
std::span<const Operator> generation();
std::span<const Operator> indexing();
std::span<const Operator> losses();
std::span<const Operator> matrices();
std::span<const Operator> microsoft();
std::span<const Operator> movement();
std::span<const Operator> normalization();
std::span<const Operator> pooling();
std::span<const Operator> quantization();
std::span<const Operator> random();
std::span<const Operator> rearrangement();
std::span<const Operator> recurrent();
std::span<const Operator> reduction();
std::span<const Operator> reshaping();
std::span<const Operator> resizing();
std::span<const Operator> sampling();
std::span<const Operator> selection();
std::span<const Operator> sequences();
std::span<const Operator> shape();
std::span<const Operator> signal();
std::span<const Operator> statistics();
std::span<const Operator> text();
std::span<const Operator> training();
std::span<const Operator> unsupported();

/// Adds outputs for mean and inverse deviation, which the gradient reads in place of the whole of
/// x.
bool trainLayerNormalization(TrainedCall &call);

} // namespace graphloom::entries
