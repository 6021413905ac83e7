// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/cost/machine.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Parses a description. Fails (Usage) naming the machine, the place and the key that is missing,
/// wrong or unknown.
Result<Machine> parseMachine(std::string_view json);
/// Returns a description as parseMachine() reads it.
nlohmann::ordered_json jsonOf(const Machine &machine);
/// Does the same as text.
std::string textOf(const Machine &machine);

/// Returns the keys of a description with their units and meanings as Markdown tables, one for each
/// kind of object.
std::string machineSchema();

} // namespace graphloom
