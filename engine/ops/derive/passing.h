// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <vector>

/// Which calls do nothing, or next to nothing, told from their stages: nothing here asks for an
/// operator's name.
namespace graphloom {

/// The input whose elements the output holds: all of them, unchanged, in row-major order. So do
/// Identity, Reshape, Dropout when it drops nothing, a Slice of everything, pools with a window of
/// one element, sums over dimensions of extent 1, x * 1. None when there is no such input.
std::optional<int> inputHandedOn(const Description &description, const Call &call, int output);

/// The same where the shape stays as well: the output is the input. Types are equal then.
std::optional<int> inputReturned(const Description &description, const Call &call, int output);

/// The input of which the output holds a run of elements: neighbours in row-major order, unchanged
/// and in their order. A part along the outermost dimension is one, and can stay where it is. None
/// when there is no such input.
std::optional<int> inputRunHandedOn(const Description &description, const Call &call, int output);

/// Inputs whose memory the first output may take over when nothing reads them any more, ascending:
/// each element of every result depends on the same element of them and on no other one. They have
/// the extents of the first output: in what a piece is taken of, the same elements lie elsewhere.
std::vector<int> inputsOverwritable(const Description &description, const Call &call);

/// Which dimension of the one input each dimension of the one output is, where the call permutes
/// dimensions and does nothing else. None for other calls.
std::optional<std::vector<std::int64_t>> permutationOf(const Description &description);

/// Does each element of the one output depend on the elements of the inputs at the same place, with
/// extents of 1 repeated and missing outer dimensions added (numpy's broadcasting)?
bool isBroadcast(const Description &description, const Call &call);
/// Is it besides a copy of input 0, as Expand gives?
bool isExpansion(const Description &description, const Call &call);

} // namespace graphloom
