// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

namespace graphloom::magis {

/// Bytes that the kernel of each node of a realized graph needs for itself while it runs, by place
/// in the graph's order.
std::vector<std::int64_t> workspacesOf(const MemoryGraph &memory, const Realized &realized);

} // namespace graphloom::magis
