// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

namespace graphloom::magis {

/// Returns the workspace of each node of a realized graph: bytes that its kernel needs while it
/// runs.
IndexedVector<RealizedPosition, std::int64_t> workspacesOf(const MemoryGraph &memory,
                                                           const Realized &realized);

} // namespace graphloom::magis
