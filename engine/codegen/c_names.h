// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/stage.h"

#include <string>
#include <vector>

/// How things are written in C, with the functions of cPrelude().
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

/// Calls of scalar functions on arguments that all are vectors, reals or integers; "" where there
/// is no such function.
std::string cVectorFunction(Fn fn, const std::vector<std::string> &arguments);
std::string cRealFunction(Fn fn, bool inDouble, const std::vector<std::string> &arguments);
std::string cIntegerFunction(Fn fn, bool isUnsigned, const std::vector<std::string> &arguments);
bool hasVectorFunction(Fn fn);

/// combine(accumulator, value) of a reduction; "" for reductions to a position.
std::string cCombination(Combine combine, const std::string &accumulator, const std::string &value,
                         bool vector, bool inDouble, bool integer, bool isUnsigned);

} // namespace graphloom
