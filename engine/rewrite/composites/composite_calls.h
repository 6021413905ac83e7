// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

/// These functions build the calls that replace composites (composites.h). Each refuses if the
/// operator sets of the graph have no such operator, or if the operator is narrower than the
/// composite.
namespace graphloom::composite_calls {

/// Normalizes over the last dimensions, with a scale of their shape and optionally a shift.
Replacement layerNormalization(const Match &match, Builder &builder);
Replacement rmsNormalization(const Match &match, Builder &builder);
Replacement gelu(const Match &match, Builder &builder);
/// Normalizes along one dimension.
Replacement softmax(const Match &match, Builder &builder);
Replacement swish(const Match &match, Builder &builder);
Replacement mish(const Match &match, Builder &builder);
Replacement hardSwish(const Match &match, Builder &builder);

} // namespace graphloom::composite_calls
