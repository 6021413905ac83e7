// SPDX-License-Identifier: Apache-2.0
// What prelude_test.cpp calls; the text of cPrelude() comes before this. Each function over n
// elements, by vectors (v_) and by scalars (s_); n is a multiple of GL_LANES.
// clang-format off
#define MAP(name) \
    void v_##name(const float *x, float *y, long n) \
    { \
        for (long i = 0; i < n; i += GL_LANES) \
            gv_store(y + i, gv_##name(gv_load(x + i))); \
    } \
    void s_##name(const float *x, float *y, long n) \
    { \
        for (long i = 0; i < n; ++i) \
            gs_store(y + i, gs_##name(gs_load(x + i))); \
    }
MAP(exp) MAP(log) MAP(tanh) MAP(erf) MAP(sin) MAP(cos) MAP(abs) MAP(sqrt) MAP(floor) MAP(ceil)
MAP(round) MAP(tan) MAP(asin) MAP(acos) MAP(atan) MAP(sinh) MAP(cosh) MAP(asinh) MAP(acosh) MAP(atanh)
#define MAP2(name) \
    void v_##name(const float *a, const float *b, float *y, long n) \
    { \
        for (long i = 0; i < n; i += GL_LANES) \
            gv_store(y + i, gv_##name(gv_load(a + i), gv_load(b + i))); \
    } \
    void s_##name(const float *a, const float *b, float *y, long n) \
    { \
        for (long i = 0; i < n; ++i) \
            y[i] = gs_##name(a[i], b[i]); \
    }
static inline vf gv_pick(vf a, vf b) { return gv_select(a < b, a, b); }
static inline float gs_pick(float a, float b) { return gs_select(-(a < b), a, b); }
static inline vf gv_minus(vf a, vf b) { return gv_fma(a, gv_splat(-1.0f), b); }
static inline float gs_minus(float a, float b) { return gs_fma(a, -1.0f, b); }
MAP2(max) MAP2(min) MAP2(max_c) MAP2(min_c) MAP2(pow) MAP2(copysign) MAP2(pick) MAP2(minus)
