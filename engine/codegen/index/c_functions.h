// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <string>
#include <vector>

/// How functions are written in C, with those of cPrelude().
namespace graphloom {

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
