// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

/// The calls that stand for composites (composites.h). Each refuses where the operator sets of the
/// graph have no such operator, or where the operator is narrower than what was written out.
namespace graphloom::composite_calls {

/// Over the last dimensions, with a scale of their shape and perhaps a shift.
Replacement layerNormalization(const Match &match, Builder &builder);
Replacement rmsNormalization(const Match &match, Builder &builder);
Replacement gelu(const Match &match, Builder &builder);
/// Along one dimension.
Replacement softmax(const Match &match, Builder &builder);
Replacement swish(const Match &match, Builder &builder);
Replacement mish(const Match &match, Builder &builder);
Replacement hardSwish(const Match &match, Builder &builder);

} // namespace graphloom::composite_calls
