// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/pass.h"

namespace graphloom::magis {

std::span<const Parameter> parameterTable();

} // namespace graphloom::magis
