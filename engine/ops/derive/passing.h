// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <vector>

/// Declares functions that tell from the stages which calls do nothing, or next to nothing. None of
/// them asks for an operator's name.
namespace graphloom {

/// Returns the input whose elements the output holds: all of them, unchanged, in row-major order;
/// nothing if there is no such input. Identity, Reshape, Dropout when it drops nothing, a Slice of
/// everything, pools with a window of one element, sums over dimensions of extent 1 and x * 1 have
/// one.
std::optional<int> inputHandedOn(const Description &description, const Call &call, int output);

/// Returns the same if the shape stays as well: the output is then the input, and the types are
/// equal.
std::optional<int> inputReturned(const Description &description, const Call &call, int output);

/// Returns the input of which the output holds a run of elements: neighbours in row-major order,
/// unchanged and in their order; nothing if there is no such input. A part along the outermost
/// dimension is one, and can stay in place.
std::optional<int> inputRunHandedOn(const Description &description, const Call &call, int output);

/// Returns, in ascending order, the inputs whose memory the first output may take over when nothing
/// reads them any more: each element of every result depends only on the same element of them. They
/// have the extents of the first output: in an input of which only a piece is taken, the same
/// elements lie elsewhere.
std::vector<int> inputsOverwritable(const Description &description, const Call &call);

/// Returns, for each dimension of the only output, which dimension of the only input it is, if the
/// call permutes dimensions and does nothing else; nothing for other calls.
std::optional<std::vector<std::int64_t>> permutationOf(const Description &description);

/// Tells whether each element of the only output depends on the elements of the inputs at the same
/// place, with extents of 1 repeated and missing outer dimensions added (numpy's broadcasting).
bool isBroadcast(const Description &description, const Call &call);
/// Tells whether the call is a broadcast that copies input 0, as Expand does.
bool isExpansion(const Description &description, const Call &call);

} // namespace graphloom
