// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/pass.h"
#include "plugins/magis/variants.h"

#include <string>

namespace graphloom::magis {

/// What the searches of all variants have found (their archives, not what is known to be worse), so
/// that another search can begin there.
std::string checkpointOf(std::span<const Variant> variants);

/// Gives the searches the states of a checkpoint as seeds; how many there were. Fails (Usage) when
/// it is none, or one of another graph or device.
Result<std::size_t> readCheckpoint(const Context::Resume &from, std::span<Variant> variants);

} // namespace graphloom::magis
