// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace graphloom::test {

/// Writes a model of float[4] tensors with graphs nested three deep, as an ONNX file:
///
///     a = Relu(x)                                  "head"
///     b = Loop(n, a): body                         "outer"
///             i = If(flag)                         "choice"
///                 then_branch: Loop(n, state)      "inner", body: Add(state, a), Identity
///                 else_branch: Neg(state)
///             Identity
///     y = If(flag): then_branch: Exp(b), Neg; else_branch: a constant, without nodes   "pick"
///
/// `a`, `n` and `flag` are captured from where they are made.
void writeNestedModel(const std::filesystem::path &path);

} // namespace graphloom::test
