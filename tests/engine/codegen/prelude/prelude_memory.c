// SPDX-License-Identifier: Apache-2.0
// What prelude_memory_test.cpp calls; the text of cPrelude() comes before this. n is a multiple of
// GL_LANES; by vectors (v_) and by scalars (s_).
// clang-format off
float v_sum(const float *x)
{
    return gv_sum(gv_load(x));
}
float v_hmax(const float *x)
{
    return gv_hmax(gv_load(x));
}
float v_hmin(const float *x)
{
    return gv_hmin(gv_load(x));
}
#define HALF(type) \
    void v_load_##type(const uint16_t *h, float *y, long n) \
    { \
        for (long i = 0; i < n; i += GL_LANES) \
            gv_store(y + i, gv_load_##type(h + i)); \
    } \
    void v_store_##type(const float *x, uint16_t *h, long n) \
    { \
        for (long i = 0; i < n; i += GL_LANES) \
            gv_store_##type(h + i, gv_load(x + i)); \
    } \
    void s_load_##type(const uint16_t *h, float *y, long n) \
    { \
        for (long i = 0; i < n; ++i) \
            y[i] = gs_load_##type(h + i); \
    } \
    void s_store_##type(const float *x, uint16_t *h, long n) \
    { \
        for (long i = 0; i < n; ++i) \
            gs_store_##type(h + i, x[i]); \
    }
HALF(f16) HALF(bf16)

void v_integers(const float *x, int32_t *y, long n)
{
    for (long i = 0; i < n; i += GL_LANES)
        gv_storei(y + i,
                  gv_selecti(gv_loadi(y + i) != 0, gv_i32_from_f(gv_load(x + i)), gv_splati(7)));
}
void s_integers(const float *x, int32_t *y, long n)
{
    for (long i = 0; i < n; ++i)
        gs_storei(y + i, gs_selecti(gs_loadi(y + i), gs_i32_from_f(x[i]), 7));
}
void v_reals(const int32_t *x, float *y, long n)
{
    for (long i = 0; i < n; i += GL_LANES)
        gv_store(y + i, gv_f_from_i32(gv_loadi(x + i)));
}
void s_reals(const int32_t *x, float *y, long n)
{
    for (long i = 0; i < n; ++i)
        y[i] = gs_f_from_i32(x[i]);
}
// Loads the first n lanes of each kind and stores others there; the loaded vectors go to `..rest`.
#define CASE(n) \
    case n: \
        if (n < GL_LANES) { \
            gv_store(rest, gv_load_n(x, n)); \
            gv_storei(irest, gv_loadi_n(ix, n)); \
            gv_store(hrest, gv_load_f16_n(h, n)); \
            gv_store(brest, gv_load_bf16_n(h, n)); \
            gv_store_n(x, gv_splat(5.0f), n); \
            gv_storei_n(ix, gv_splati(6), n); \
            gv_store_f16_n(h, gv_splat(1.0f), n); \
            gv_store_bf16_n(b, gv_splat(1.0f), n); \
        } \
        break;
void first_lanes(int n, float *x, int32_t *ix, uint16_t *h, uint16_t *b, float *rest,
                 int32_t *irest, float *hrest, float *brest)
{
    switch (n) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
        CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
    }
}
