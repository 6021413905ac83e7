// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/dim.h"

#include <string_view>

namespace graphloom {

/// The value that Dim::text() writes: "3", "2*n+1", "floor(n/2)", "\"a name\"*4". Fails (Model)
/// saying where it is none.
Result<Dim> readDim(std::string_view text);

} // namespace graphloom
