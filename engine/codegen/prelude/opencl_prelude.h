// SPDX-License-Identifier: Apache-2.0
// What generated kernels in OpenCL C are written in; openclPrelude() puts these files into one text,
// in this order. It defines what prelude.h defines for C, as far as kernels use it.
// clang-format off
#include "opencl_types.h"
#include "opencl_vectors.h"

#define GL(name) gv_##name
#define GL_F vf
#define GL_I vi
#define GL_MASK(comparison) (comparison)
#include "half.h"
#undef GL
#undef GL_F
#undef GL_I
#undef GL_MASK

#define GL(name) gs_##name
#define GL_F float
#define GL_I int32_t
#define GL_MASK(comparison) (-(int32_t)(comparison))
#include "half.h"
#undef GL
#undef GL_F
#undef GL_I
#undef GL_MASK

#include "integers.h"
#include "opencl_memory.h"
