// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/index_form.h"
#include "engine/codegen/index/storage.h"

#include <span>

/// An element of a tensor, as one form for each dimension.
namespace graphloom {

bool dependsOn(std::span<const IndexForm> map, int variable);

/// Where it is in the tensor's buffer, counted in elements. Of a tile in a thread's memory
/// (Storage::local), as if the tile began with the tensor.
IndexForm offsetOf(std::span<const IndexForm> map, const Storage &storage);

} // namespace graphloom
