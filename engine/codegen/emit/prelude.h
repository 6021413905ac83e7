// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace graphloom {

/// Returns the text that a generated C kernel begins with: vectors of GL_LANES floats (16, 8 or 4,
/// to be defined before it) and the functions of stages' bodies on them, `gv_...`, with scalar
/// twins `gs_...`. It is C11 for GCC 12 or Clang 14 and newer, complete in itself, to be linked
/// with -lm and not to be compiled with -ffast-math. It is composed of the files in
/// engine/codegen/prelude (engine/CMakeLists.txt).
std::string_view cPrelude();

/// Returns the part of it that includes the compiler's headers and depends on nothing before it.
std::string_view cPreludeHeaders();

/// Returns the text that a generated kernel in OpenCL C 1.2 begins with. It has the same functions,
/// as far as kernels use them, for vectors of GL_LANES floats.
std::string_view openclPrelude();

} // namespace graphloom
