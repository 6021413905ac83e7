// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace graphloom {

/// Depth of nesting that no file written by this program, or by a person, exceeds.
inline constexpr int deepestJson = 100;

/// Tells whether the values of a JSON text are nested deeper than deepestJson, in the part before
/// the first syntax error. Code that walks such values recursively would overflow the stack, so
/// they must not be parsed.
bool nestsTooDeep(std::string_view json, bool withComments = false);

/// Returns the value of a JSON text; it is `discarded` if the text is not JSON or nests too deep.
nlohmann::ordered_json orderedJsonOf(std::string_view json);
nlohmann::json jsonOf(std::string_view json);

/// Returns a value as JSON text, with replacement characters for bytes that are not UTF-8. An
/// indentation of -1 writes everything on one line.
std::string jsonText(const nlohmann::ordered_json &value, int indentation = -1);
std::string jsonText(const nlohmann::json &value, int indentation = -1);

} // namespace graphloom
