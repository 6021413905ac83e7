// SPDX-License-Identifier: Apache-2.0
// What generated kernels are written in; cPrelude() puts these files into one text, in this order.
// clang-format off
#include "headers.h"
// Keeps what neighbouring windows share in registers that sums need: a convolution with stride 2
// takes twice the time with AVX2. clang has no such pass, nor the flag.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-predictive-commoning")
#endif
// Loads of several iterations of an unrolled sum before the first multiply-add, as the scheduler
// likes them, need more registers than there are: sums go to the stack and back. So do constants
// that are kept in registers for all tasks instead of being made where they are used.
#if defined(__aarch64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-schedule-insns", "no-move-loop-invariants")
#endif
#include "lanes.h"
#include "memory.h"
#include "vectors.h"
#include "scalars.h"
#define GL_REAL double
#include "doubles.h"
#include "integers.h"
#include "lookups.h"

// The same text for vectors and for scalars: what is left over at the end of a row gets the same
// values as the rest of it.
#define GL(name) gv_##name
#define GL_F vf
#define GL_I vi
#define GL_D gl_vd
#define GL_MASK(comparison) (comparison)
#include "exponential.h"
#include "error_function.h"
#include "power.h"
#include "periodic.h"
#include "half.h"
#undef GL
#undef GL_F
#undef GL_I
#undef GL_D
#undef GL_MASK

#define GL(name) gs_##name
#define GL_F float
#define GL_I int32_t
#define GL_D double
#define GL_MASK(comparison) (-(int32_t)(comparison))
#include "exponential.h"
#include "error_function.h"
#include "power.h"
#include "periodic.h"
#include "half.h"
#undef GL
#undef GL_F
#undef GL_I
#undef GL_D
#undef GL_MASK

#include "half_memory.h"
#include "half_arithmetic.h"
