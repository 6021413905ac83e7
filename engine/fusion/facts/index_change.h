// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/ecg.h"

#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// The call `consumer` with its input `input`, which `movement` writes, replaced by the input that
/// the movement reads: the movement is gone, the consumer reads at another index (DNNFusion
/// section 4.4.2, Fig. 5). None where that index is no Index: the movement computes, has several
/// outputs or stages, is not invertible, or the indices are divided twice.
std::optional<Description> withIndexChange(const Description &consumer, int input,
                                           const Description &movement);

/// The data movements of a block that are no work in it: those whose readers inside all can read
/// at another index, and those at its end that only give the elements of the last result another
/// place. `nodes` in the graph's order.
std::vector<NodeId> indexChangesOf(const Ecg &ecg, std::span<const NodeId> nodes);

} // namespace graphloom
