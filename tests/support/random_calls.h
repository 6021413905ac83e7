// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/network_builder.h"

/// Calls of operators on x, as models have them, with random attributes; false where there is none
/// that suits x.
namespace graphloom::test {

using Known = NetworkBuilder::Known;

// random_elementwise.cpp
bool unary(NetworkBuilder &to, const Known &x);
bool binary(NetworkBuilder &to, const Known &x);
bool compared(NetworkBuilder &to, const Known &x);

// random_movements.cpp
bool rearranged(NetworkBuilder &to, const Known &x);
bool joined(NetworkBuilder &to, const Known &x); // or taken apart
bool padded(NetworkBuilder &to, const Known &x);
bool picked(NetworkBuilder &to, const Known &x);
bool resized(NetworkBuilder &to, const Known &x);

// random_sums.cpp
bool convolved(NetworkBuilder &to, const Known &x);
bool pooled(NetworkBuilder &to, const Known &x, bool most); // else means
bool multiplied(NetworkBuilder &to, const Known &x);
bool reduced(NetworkBuilder &to, const Known &x, bool most); // else sums
bool normalized(NetworkBuilder &to, const Known &x);

} // namespace graphloom::test
