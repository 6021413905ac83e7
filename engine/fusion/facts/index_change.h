// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/ecg.h"

#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// Returns the call `consumer` with its input `input`, which `movement` writes, replaced by the
/// input that the movement reads: the movement is eliminated, the consumer reads at another index
/// (DNNFusion section 4.4.2, Fig. 5). Returns nothing if that index is not expressible as an Index:
/// the movement computes, has several outputs or stages, is not invertible, or the indices are
/// divided twice.
std::optional<Description> withIndexChange(const Description &consumer, int input,
                                           const Description &movement);

/// Returns the data movements of a block that take no work in it: those whose readers inside can
/// all read at another index, and those at its end that only rearrange the elements of the last
/// result. `nodes` are in the graph's order.
std::vector<NodeId> indexChangesOf(const Ecg &ecg, std::span<const NodeId> nodes);

} // namespace graphloom
