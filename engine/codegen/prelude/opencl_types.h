// SPDX-License-Identifier: Apache-2.0
#ifndef GL_LANES
#error "define GL_LANES as 16, 8 or 4"
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define GL_REAL double
#else
#define GL_REAL float
#endif
#pragma OPENCL FP_CONTRACT ON

typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT64_MAX ULONG_MAX

// GL_WIDE(int) is int16, as_int16…
#define GL_JOIN2(a, b) a##b
#define GL_JOIN(a, b) GL_JOIN2(a, b)
#define GL_WIDE(name) GL_JOIN(name, GL_LANES)
typedef GL_WIDE(float) vf;
typedef GL_WIDE(int) vi; // as masks: 0 or -1

#define GL_FN static inline
