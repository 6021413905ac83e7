// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/network_builder.h"

/// Contains functions that add calls of operators on x, as in real models, with random attributes.
/// They return false if no call suits x.
namespace graphloom::test {

using Known = NetworkBuilder::Known;

// random_elementwise.cpp
bool unary(NetworkBuilder &to, const Known &x);
bool binary(NetworkBuilder &to, const Known &x);
bool compared(NetworkBuilder &to, const Known &x);

// random_movements.cpp
bool rearranged(NetworkBuilder &to, const Known &x);
bool joined(NetworkBuilder &to, const Known &x); // or splits one
bool padded(NetworkBuilder &to, const Known &x);
bool picked(NetworkBuilder &to, const Known &x);
bool resized(NetworkBuilder &to, const Known &x);

// random_sums.cpp
bool convolved(NetworkBuilder &to, const Known &x);
bool pooled(NetworkBuilder &to, const Known &x, bool most); // max; else mean
bool multiplied(NetworkBuilder &to, const Known &x);
bool reduced(NetworkBuilder &to, const Known &x, bool most); // max or min; else sums
bool normalized(NetworkBuilder &to, const Known &x);

} // namespace graphloom::test
