// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dtype.h"

#include <string>
#include <vector>

/// Declares functions that write names, types and numbers in C.
namespace graphloom {

/// Returns a C identifier like `name` that differs from those taken.
std::string cIdentifier(std::string_view name, const std::vector<std::string> &taken);
/// Returns the text made safe for a one-line comment.
std::string cComment(std::string_view text);
/// Returns the C type of elements in memory, or "" for those that have none.
std::string cType(DataType type);
/// Returns the suffix of functions for 16-bit real types, "f16" or "bf16"; "" for other types.
std::string cHalf(DataType type);
/// Tells whether vectors hold elements of this type, as single precision.
bool isOfLanes(DataType type);
/// Return a number of the type as it is computed with: reals unchanged, integers as the nearest
/// 64-bit integer.
std::string cLiteral(double value, DataType type);
std::string cLiteral(std::int64_t value, DataType type);

} // namespace graphloom
