// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graphloom::probe {

/// Exit codes of graphloom-probe-plugin: none that a library that ends the program is likely
/// to give. `refused` has a reason that loading the library again tells; `wild`: the entry names no
/// function.
inline constexpr int loads = 93, refused = 94, wrongUsage = 95, wild = 96;

} // namespace graphloom::probe
