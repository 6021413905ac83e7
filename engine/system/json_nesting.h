// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace graphloom {

/// No file that this program writes, and none that a person does, nests values so deep.
inline constexpr int deepestJson = 100;

/// Are values of a JSON text nested deeper than that, in a part before the first mistake? What goes
/// through values by recursion would overflow the stack: nobody should begin with them.
bool nestsTooDeep(std::string_view json, bool withComments = false);

/// The value of a JSON text; discarded where it is none or nests too deep.
nlohmann::ordered_json orderedJsonOf(std::string_view json);
nlohmann::json jsonOf(std::string_view json);

} // namespace graphloom
