// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graphloom::probe {

/// Exit codes of graphloom-probe-plugin, unlikely to be returned by a library that ends the
/// program. `refused`: loading the library again tells the reason. `wild`: the entry does not point
/// to a function.
inline constexpr int loads = 93, refused = 94, wrongUsage = 95, wild = 96;

} // namespace graphloom::probe
