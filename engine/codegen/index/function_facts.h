// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/expr.h"

namespace graphloom {

/// Holds what generated code needs to know of a scalar function.
struct FunctionFacts {
    enum class Form : std::uint8_t {
        Other,
        Infix, // nameOf() between its arguments
        Named, // libm and the prelude call it nameOf()
    };
    Fn fn;
    int work;                // 1 for an addition or the like, more for divisions and functions
    Form form = Form::Other; // how a call on reals is written
};
const FunctionFacts &factsOf(Fn fn);

} // namespace graphloom
