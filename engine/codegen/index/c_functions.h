// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <string>
#include <vector>

/// Declares functions that write calls of scalar functions in C, using those of cPrelude().
namespace graphloom {

/// Return calls of a scalar function on arguments that are all vectors, reals or integers; "" if
/// there is no such function.
std::string cVectorFunction(Fn fn, const std::vector<std::string> &arguments);
std::string cRealFunction(Fn fn, bool inDouble, const std::vector<std::string> &arguments);
std::string cIntegerFunction(Fn fn, bool isUnsigned, const std::vector<std::string> &arguments);
bool hasVectorFunction(Fn fn);

/// Returns combine(accumulator, value) of a reduction, or "" for reductions to a position.
std::string cCombination(Combine combine, const std::string &accumulator, const std::string &value,
                         bool vector, bool inDouble, bool integer, bool isUnsigned);

} // namespace graphloom
