// SPDX-License-Identifier: Apache-2.0
// Arithmetic of vectors beyond the operators of the language.

GL_FN vf gv_splat(float x) { return x - (vf){0}; } // minus 0: keeps -0
GL_FN vi gv_splati(int32_t x) { return x + (vi){0}; }
GL_FN vi gv_bits(vf x) { return (vi)x; }
GL_FN vf gv_of_bits(vi x) { return (vf)x; }
/// a * 2^bits modulo 2^32.
GL_FN vi gv_shift_left(vi a, int bits) { return a << bits; }

/// Compilers make one blend of it when the mask comes from a comparison.
GL_FN vf gv_select(vi mask, vf a, vf b) { return (vf)((mask & (vi)a) | (~mask & (vi)b)); }
GL_FN vi gv_selecti(vi mask, vi a, vi b) { return (mask & a) | (~mask & b); }

GL_FN int gv_any(vi mask)
{
    int any = 0;
    for (int i = 0; i < GL_LANES; ++i)
        any |= mask[i];
    return any != 0;
}

/// NaN when a or b is; equal numbers: b, so that max(-0, 0) is 0 and max(0, -0) is -0 (with NEON: 0).
GL_FN vf gv_max(vf a, vf b)
{
#ifdef GL_MM
    return gv_select(a != a, a, GL_MM(max_ps)(a, b));
#elif defined(GL_NEON)
    return GL_NEON(fmax, a, b);
#else
    return gv_select((a > b) | (a != a), a, b);
#endif
}

GL_FN vf gv_min(vf a, vf b)
{
#ifdef GL_MM
    return gv_select(a != a, a, GL_MM(min_ps)(a, b));
#elif defined(GL_NEON)
    return GL_NEON(fmin, a, b);
#else
    return gv_select((a < b) | (a != a), a, b);
#endif
}

/// gv_max(c, x) for c that is not NaN, in one instruction. It is gv_max(x, c) as well, but for
/// zeros of different signs, where this gives x and that gives c: relu(-0) is -0 here, and 0 or -0
/// in the interpreter, as the body has its arguments. No comparison tells the two apart.
GL_FN vf gv_max_c(vf c, vf x)
{
#ifdef GL_MM
    return GL_MM(max_ps)(c, x);
#elif defined(GL_NEON)
    return GL_NEON(fmax, c, x);
#else
    return gv_select(c > x, c, x);
#endif
}

/// gv_min(c, x), as gv_max_c().
GL_FN vf gv_min_c(vf c, vf x)
{
#ifdef GL_MM
    return GL_MM(min_ps)(c, x);
#elif defined(GL_NEON)
    return GL_NEON(fmin, c, x);
#else
    return gv_select(c < x, c, x);
#endif
}

GL_FN vf gv_abs(vf x) { return (vf)((vi)x & INT32_MAX); }
GL_FN vf gv_copysign(vf x, vf sign) { return (vf)(((vi)x & INT32_MAX) | ((vi)sign & INT32_MIN)); }

/// a * b + c, rounded once where the machine can.
GL_FN vf gv_fma(vf a, vf b, vf c)
{
#if defined(GL_MM) && (defined(__FMA__) || defined(GL_AVX512))
    return GL_MM(fmadd_ps)(a, b, c);
#else
    return a * b + c;
#endif
}

GL_FN vf gv_sqrt(vf x)
{
#ifdef GL_MM
    return GL_MM(sqrt_ps)(x);
#else
    for (int i = 0; i < GL_LANES; ++i)
        x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}

#if defined(GL_MM) && GL_LANES == 16
#define GL_ROUND(x, mode) _mm512_roundscale_ps(x, (mode) | _MM_FROUND_NO_EXC)
#elif defined(GL_MM) && defined(__SSE4_1__)
#define GL_ROUND(x, mode) GL_MM(round_ps)(x, (mode) | _MM_FROUND_NO_EXC)
#endif

/// The nearest whole number, halves to the even one.
GL_FN vf gv_round(vf x)
{
#ifdef GL_ROUND
    return GL_ROUND(x, _MM_FROUND_TO_NEAREST_INT);
#else
    const float ulpIsOne = 8388608.0f; // 2^23: numbers from there on are whole
    const vf a = gv_abs(x);
    return gv_select(a < ulpIsOne, gv_copysign((a + ulpIsOne) - ulpIsOne, x), x);
#endif
}

GL_FN vf gv_floor(vf x)
{
#ifdef GL_ROUND
    return GL_ROUND(x, _MM_FROUND_TO_NEG_INF);
#else
    const vf near = gv_round(x);
    return gv_copysign(near - gv_select(near > x, gv_splat(1.0f), gv_splat(0.0f)), x);
#endif
}

GL_FN vf gv_ceil(vf x)
{
#ifdef GL_ROUND
    return GL_ROUND(x, _MM_FROUND_TO_POS_INF);
#else
    const vf near = gv_round(x);
    return gv_copysign(near + gv_select(near < x, gv_splat(1.0f), gv_splat(0.0f)), x);
#endif
}

/// The fraction is cut off; beyond the range of int32 and for NaN it may be anything, as in ONNX.
GL_FN vi gv_i32_from_f(vf x)
{
#ifdef GL_MM
    return (vi)GL_MM(cvttps_epi32)(x);
#else
    return __builtin_convertvector(x, vi);
#endif
}

GL_FN vf gv_f_from_i32(vi x) { return __builtin_convertvector(x, vf); }
GL_FN gl_vd gv_widen(vf x) { return __builtin_convertvector(x, gl_vd); }
GL_FN vf gv_narrow(gl_vd x) { return __builtin_convertvector(x, vf); }

/// p * 2^n for 0.5 <= p < 2 and whole -151 <= n <= 129, rounded once; `whole` is n as integers.
GL_FN vf gv_scale(vf p, vf n, vi whole)
{
#ifdef GL_AVX512
    (void)whole;
    return GL_MM(scalef_ps)(p, n);
#else
    (void)n;
    const vi half = whole >> 1; // 2^n itself may be no normal number
    return p * (vf)((half + 127) << 23) * (vf)((whole - half + 127) << 23);
#endif
}

/// p * 2^n for 0.5 <= p < 2 and whole n <= 128, 0 for n <= -126, without subnormal numbers on the
/// way; n is that of gv_exp_range().
GL_FN vf gv_scale_normal(vf p, vf n, vi whole)
{
#ifdef GL_AVX512
    (void)whole;
    return GL_MM(maskz_scalef_ps)(GL_MM(cmp_ps_mask)(n, gv_splat(-126.0f), _CMP_NLE_UQ), p, n);
#else
    (void)n;
    return (p + p) * (vf)((whole + 126) << 23);
#endif
}

/// Bounded as far as gv_scale_normal() needs it for e^x.
GL_FN vf gv_exp_range(vf x)
{
#ifndef GL_AVX512
    x = gv_max_c(gv_splat(-87.5f), x);
#endif
    return gv_min_c(gv_splat(89.0f), x);
}

#if GL_LANES == 16
#define GL_HALF(v)                                                                                 \
    __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)
#define GL_QUARTER(v) __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3)
#define GL_EIGHTH(v) __builtin_shufflevector(v, v, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1)
#define GL_LAST(v) __builtin_shufflevector(v, v, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0)
#elif GL_LANES == 8
#define GL_QUARTER(v) __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3)
#define GL_EIGHTH(v) __builtin_shufflevector(v, v, 2, 3, 0, 1, 2, 3, 0, 1)
#define GL_LAST(v) __builtin_shufflevector(v, v, 1, 0, 1, 0, 1, 0, 1, 0)
#else
#define GL_EIGHTH(v) __builtin_shufflevector(v, v, 2, 3, 0, 1)
#define GL_LAST(v) __builtin_shufflevector(v, v, 1, 0, 1, 0)
#endif

/// Sum of the lanes, as a tree.
GL_FN float gv_sum(vf v)
{
#if GL_LANES == 16
    v += GL_HALF(v);
#endif
#if GL_LANES >= 8
    v += GL_QUARTER(v);
#endif
    v += GL_EIGHTH(v);
    v += GL_LAST(v);
    return v[0];
}

/// The greatest lane; NaN when one is.
GL_FN float gv_hmax(vf v)
{
#if GL_LANES == 16
    v = gv_max(v, GL_HALF(v));
#endif
#if GL_LANES >= 8
    v = gv_max(v, GL_QUARTER(v));
#endif
    v = gv_max(v, GL_EIGHTH(v));
    v = gv_max(v, GL_LAST(v));
    return v[0];
}

GL_FN float gv_hmin(vf v)
{
#if GL_LANES == 16
    v = gv_min(v, GL_HALF(v));
#endif
#if GL_LANES >= 8
    v = gv_min(v, GL_QUARTER(v));
#endif
    v = gv_min(v, GL_EIGHTH(v));
    v = gv_min(v, GL_LAST(v));
    return v[0];
}
