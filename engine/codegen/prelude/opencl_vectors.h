// SPDX-License-Identifier: Apache-2.0
// Functions of vectors (gv_) and of numbers (gs_), mostly those that OpenCL has: they are exact to
// some units of the last place.

#define gv_splat(x) ((vf)(x))
#define gv_splati(x) ((vi)(x))
#define gs_splat(x) (x)
#define gs_splati(x) (x)
#define gv_bits(x) GL_WIDE(as_int)(x)
#define gv_of_bits(x) GL_WIDE(as_float)(x)
#define gs_bits(x) as_int(x)
#define gs_of_bits(x) as_float(x)
#define gv_shift_left(a, bits) ((a) << (bits))
#define gs_shift_left(a, bits) ((int32_t)((uint32_t)(a) << (bits)))
#define gv_select(mask, a, b) select(b, a, mask)
#define gv_selecti(mask, a, b) select(b, a, mask)
#define gs_select(mask, a, b) ((mask) ? (a) : (b))
#define gs_selecti(mask, a, b) ((mask) ? (a) : (b))

/// NaN when a or b is; equal numbers: b.
GL_FN vf gv_max(vf a, vf b) { return select(b, a, (a > b) | (a != a)); }
GL_FN vf gv_min(vf a, vf b) { return select(b, a, (a < b) | (a != a)); }
GL_FN float gs_max(float a, float b) { return a > b || a != a ? a : b; }
GL_FN float gs_min(float a, float b) { return a < b || a != a ? a : b; }
/// The same for c that is not NaN.
GL_FN vf gv_max_c(vf c, vf x) { return select(x, c, c > x); }
GL_FN vf gv_min_c(vf c, vf x) { return select(x, c, c < x); }
GL_FN float gs_max_c(float c, float x) { return c > x ? c : x; }
GL_FN float gs_min_c(float c, float x) { return c < x ? c : x; }

#define gv_abs fabs
#define gs_abs fabs
#define gv_copysign copysign
#define gs_copysign copysign
#define gv_fma fma
#define gs_fma fma
#define gv_sqrt sqrt
#define gs_sqrt sqrt
#define gv_round rint
#define gs_round rint
#define gv_floor floor
#define gs_floor floor
#define gv_ceil ceil
#define gs_ceil ceil
#define gv_exp exp
#define gs_exp exp
#define gv_log log
#define gs_log log
#define gv_sin sin
#define gs_sin sin
#define gv_cos cos
#define gs_cos cos
#define gv_tan tan
#define gs_tan tan
#define gv_asin asin
#define gs_asin asin
#define gv_acos acos
#define gs_acos acos
#define gv_atan atan
#define gs_atan atan
#define gv_sinh sinh
#define gs_sinh sinh
#define gv_cosh cosh
#define gs_cosh cosh
#define gv_tanh tanh
#define gs_tanh tanh
#define gv_asinh asinh
#define gs_asinh asinh
#define gv_acosh acosh
#define gs_acosh acosh
#define gv_atanh atanh
#define gs_atanh atanh
#define gv_erf erf
#define gs_erf erf
#define gv_pow pow
#define gs_pow pow

// Functions of doubles by the names that they have in C.
#define __builtin_fabs(x) fabs((GL_REAL)(x))
#define __builtin_nearbyint(x) rint((GL_REAL)(x))
#define __builtin_floor(x) floor((GL_REAL)(x))
#define __builtin_ceil(x) ceil((GL_REAL)(x))
#define __builtin_round(x) rint((GL_REAL)(x))
#define __builtin_sqrt(x) sqrt((GL_REAL)(x))
#define __builtin_exp(x) exp((GL_REAL)(x))
#define __builtin_log(x) log((GL_REAL)(x))
#define __builtin_sin(x) sin((GL_REAL)(x))
#define __builtin_cos(x) cos((GL_REAL)(x))
#define __builtin_tan(x) tan((GL_REAL)(x))
#define __builtin_asin(x) asin((GL_REAL)(x))
#define __builtin_acos(x) acos((GL_REAL)(x))
#define __builtin_atan(x) atan((GL_REAL)(x))
#define __builtin_sinh(x) sinh((GL_REAL)(x))
#define __builtin_cosh(x) cosh((GL_REAL)(x))
#define __builtin_tanh(x) tanh((GL_REAL)(x))
#define __builtin_asinh(x) asinh((GL_REAL)(x))
#define __builtin_acosh(x) acosh((GL_REAL)(x))
#define __builtin_atanh(x) atanh((GL_REAL)(x))
#define __builtin_erf(x) erf((GL_REAL)(x))
#define __builtin_pow(x, y) pow((GL_REAL)(x), (GL_REAL)(y))
#define __builtin_fmod(x, y) fmod((GL_REAL)(x), (GL_REAL)(y))
#define __builtin_isinf(x) isinf(x)
#define __builtin_inff() INFINITY
#define __builtin_nanf(tag) NAN
#define __builtin_inf() ((GL_REAL)INFINITY)
#define __builtin_nan(tag) ((GL_REAL)NAN)
GL_FN GL_REAL gd_max(GL_REAL a, GL_REAL b) { return a > b || a != a ? a : b; }
GL_FN GL_REAL gd_min(GL_REAL a, GL_REAL b) { return a < b || a != a ? a : b; }
/// The remainder with the sign of the divisor.
GL_FN GL_REAL gd_mod(GL_REAL a, GL_REAL b)
{
    const GL_REAL rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Combinations of all lanes, as trees.
#define GL_ADD(a, b) ((a) + (b))
#define GL_GREATER(a, b) select(b, a, ((a) > (b)) | ((a) != (a)))
#define GL_LESSER(a, b) select(b, a, ((a) < (b)) | ((a) != (a)))
#if GL_LANES == 16
#define GL_HALVES(combined, v)                                                                     \
    const float8 eight = combined((v).lo, (v).hi);                                                 \
    const float4 four = combined(eight.lo, eight.hi);
#elif GL_LANES == 8
#define GL_HALVES(combined, v) const float4 four = combined((v).lo, (v).hi);
#else
#define GL_HALVES(combined, v) const float4 four = v;
#endif
#define GL_TREE(name, combined)                                                                    \
    GL_FN float name(vf v)                                                                         \
    {                                                                                              \
        GL_HALVES(combined, v)                                                                     \
        const float2 two = combined(four.lo, four.hi);                                             \
        return combined(two.x, two.y);                                                             \
    }
GL_TREE(gv_sum, GL_ADD)
GL_TREE(gv_hmax, GL_GREATER)
GL_TREE(gv_hmin, GL_LESSER)
