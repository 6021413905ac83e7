// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/dim.h"

#include <string_view>

namespace graphloom {

/// Parses what Dim::text() writes: "3", "2*n+1", "floor(n/2)", "\"a name\"*4". Fails (Model) with
/// the place of the first mistake.
Result<Dim> readDim(std::string_view text);

} // namespace graphloom
