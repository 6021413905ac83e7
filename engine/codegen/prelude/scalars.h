// SPDX-License-Identifier: Apache-2.0
// The functions of vectors.h on single numbers, and the rarer functions, which go through libm.

GL_FN float gs_load(const float *from) { return *from; }
GL_FN int32_t gs_loadi(const int32_t *from) { return *from; }
GL_FN void gs_store(float *to, float x) { *to = x; }
GL_FN void gs_storei(int32_t *to, int32_t x) { *to = x; }
GL_FN float gs_splat(float x) { return x; }
GL_FN int32_t gs_splati(int32_t x) { return x; }

GL_FN int32_t gs_bits(float x)
{
    int32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

GL_FN float gs_of_bits(int32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

GL_FN int32_t gs_shift_left(int32_t a, int bits) { return (int32_t)((uint32_t)a << bits); }
GL_FN float gs_select(int32_t mask, float a, float b) { return mask ? a : b; }
GL_FN int32_t gs_selecti(int32_t mask, int32_t a, int32_t b) { return mask ? a : b; }
GL_FN int gs_any(int32_t mask) { return mask != 0; }
GL_FN float gs_max(float a, float b) { return a > b || a != a ? a : b; }
GL_FN float gs_min(float a, float b) { return a < b || a != a ? a : b; }
GL_FN float gs_max_c(float c, float x) { return c > x ? c : x; }
GL_FN float gs_min_c(float c, float x) { return c < x ? c : x; }
GL_FN float gs_abs(float x) { return __builtin_fabsf(x); }
GL_FN float gs_copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
GL_FN float gs_sqrt(float x) { return __builtin_sqrtf(x); }
GL_FN float gs_floor(float x) { return __builtin_floorf(x); }
GL_FN float gs_ceil(float x) { return __builtin_ceilf(x); }
GL_FN float gs_round(float x) { return __builtin_nearbyintf(x); }
GL_FN int32_t gs_i32_from_f(float x) { return (int32_t)x; }
GL_FN float gs_f_from_i32(int32_t x) { return (float)x; }
GL_FN double gs_widen(float x) { return x; }
GL_FN float gs_narrow(double x) { return (float)x; }

GL_FN float gs_fma(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c; // the function of libm is slow
#endif
}

GL_FN float gs_scale(float p, float n, int32_t whole)
{
    (void)n;
    const int32_t half = whole >> 1;
    return p * gs_of_bits(gs_shift_left(half + 127, 23)) *
           gs_of_bits(gs_shift_left(whole - half + 127, 23));
}

GL_FN float gs_scale_normal(float p, float n, int32_t whole)
{
    (void)n;
    return (p + p) * gs_of_bits(gs_shift_left(whole + 126, 23));
}

GL_FN float gs_exp_range(float x) { return gs_min_c(89.0f, gs_max_c(-87.5f, x)); }

// One lane after the other.
#define GL_THROUGH_LIBM(name, function)                                                            \
    GL_FN float gs_##name(float x) { return __builtin_##function##f(x); }                          \
    GL_FN vf gv_##name(vf x)                                                                       \
    {                                                                                              \
        for (int i = 0; i < GL_LANES; ++i)                                                         \
            x[i] = __builtin_##function##f(x[i]);                                                  \
        return x;                                                                                  \
    }
GL_THROUGH_LIBM(tan, tan)
GL_THROUGH_LIBM(asin, asin)
GL_THROUGH_LIBM(acos, acos)
GL_THROUGH_LIBM(atan, atan)
GL_THROUGH_LIBM(sinh, sinh)
GL_THROUGH_LIBM(cosh, cosh)
GL_THROUGH_LIBM(asinh, asinh)
GL_THROUGH_LIBM(acosh, acosh)
GL_THROUGH_LIBM(atanh, atanh)
GL_THROUGH_LIBM(far_sin, sin) // for periodic.h
GL_THROUGH_LIBM(far_cos, cos)
#undef GL_THROUGH_LIBM
