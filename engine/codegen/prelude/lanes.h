// SPDX-License-Identifier: Apache-2.0
// Types, and how intrinsics of the vectors' width are called where the machine has that width.
#ifndef GL_LANES
#error "define GL_LANES as 16, 8 or 4"
#endif
#if GL_LANES != 16 && GL_LANES != 8 && GL_LANES != 4
#error "GL_LANES has to be 16, 8 or 4"
#endif
#ifdef __FAST_MATH__
#error "NaN, infinities and -0 count: compile without -ffast-math"
#endif

// Vectors wider than the machine's are passed between functions that are all inlined. (GCC has a
// note besides, which only -Wno-psabi on the command line turns off.)
#pragma GCC diagnostic ignored "-Wpsabi"

typedef float vf __attribute__((vector_size(4 * GL_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * GL_LANES))); // as masks: 0 or -1
typedef double gl_vd __attribute__((vector_size(8 * GL_LANES)));
typedef uint16_t gl_vh __attribute__((vector_size(2 * GL_LANES)));

#define GL_FN static inline __attribute__((always_inline, unused))

#if GL_LANES == 16 && defined(__AVX512F__)
#define GL_MM(name) _mm512_##name
#define GL_MMI __m512i
#elif GL_LANES == 8 && defined(__AVX__)
#define GL_MM(name) _mm256_##name
#define GL_MMI __m256i
#elif GL_LANES == 4 && defined(__SSE2__)
#define GL_MM(name) _mm_##name
#define GL_MMI __m128i
#elif GL_LANES == 4 && defined(__aarch64__)
/// Instructions that the language has no operator for. The compiler's arm_neon.h has functions for
/// them, but takes longer to read than a kernel to compile; GCC 12's are these, of which it knows
/// how long they take.
#if !defined(__clang__) && __has_builtin(__builtin_aarch64_fmax_nanv4sf)
#define GL_NEON(name, a, b) ((vf)__builtin_aarch64_##name##_nanv4sf(a, b))
#else
#define GL_NEON(name, a, b)                                                                        \
    ({                                                                                             \
        vf gl_result;                                                                              \
        __asm__(#name " %0.4s, %1.4s, %2.4s" : "=w"(gl_result) : "w"(a), "w"(b));                  \
        gl_result;                                                                                 \
    })
#endif
#endif

#if GL_LANES == 16 && defined(__AVX512F__)
#define GL_AVX512 1
#define GL_BITS(n) ((__mmask16)((1u << (n)) - 1))
#elif defined(__AVX512F__) && defined(__AVX512VL__)
#define GL_AVX512 1
#define GL_BITS(n) ((__mmask8)((1u << (n)) - 1))
#endif
