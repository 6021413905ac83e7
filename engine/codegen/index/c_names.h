// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dtype.h"

#include <string>
#include <vector>

/// How names, types and numbers are written in C.
namespace graphloom {

/// A name in C like `name`, unlike those taken.
std::string cIdentifier(std::string_view name, const std::vector<std::string> &taken);
/// The text in a comment of one line.
std::string cComment(std::string_view text);
/// Of elements in memory; "" for those that have no C type.
std::string cType(DataType type);
/// What the functions for elements that are stored in half a float are called after: "f16",
/// "bf16"; "" for other types.
std::string cHalf(DataType type);
/// A number of the type as it is computed with: reals as such, integers in 64 bits (the nearest).
std::string cLiteral(double value, DataType type);
std::string cLiteral(std::int64_t value, DataType type);

} // namespace graphloom
