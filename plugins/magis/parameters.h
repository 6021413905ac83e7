// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::magis {

/// Returns the parameters of the pass.
std::span<const Parameter> parameterTable();

} // namespace graphloom::magis
