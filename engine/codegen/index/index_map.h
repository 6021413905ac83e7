// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/index_form.h"
#include "engine/codegen/index/storage.h"

#include <span>

/// Declares functions on the position of an element in a tensor, given as one form for each
/// dimension.
namespace graphloom {

bool dependsOn(std::span<const IndexForm> map, AxisIndex variable);

/// Returns the element's offset in the tensor's buffer, counted in elements. For a tile in a
/// thread's memory (Storage::local), the offset is as if the tile began with the tensor.
IndexForm offsetOf(std::span<const IndexForm> map, const Storage &storage);

} // namespace graphloom
