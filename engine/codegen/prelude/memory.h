// SPDX-License-Identifier: Apache-2.0
// Loads and stores, unaligned. Those that end in _n take the first n lanes, 1 <= n < GL_LANES, and
// touch no memory beyond; n is to be a constant, the other lanes of a load are 0.

// Does something for each of the lanes 1 <= i < n: NEON moves them one by one, and GCC would copy a
// part of a vector by way of the stack.
#if defined(__aarch64__) && GL_LANES == 4
#define GL_BY_LANE(what)                                                                           \
    do {                                                                                           \
        int i = 1;                                                                                 \
        if (i < n) {                                                                               \
            what;                                                                                  \
        }                                                                                          \
        i = 2;                                                                                     \
        if (i < n) {                                                                               \
            what;                                                                                  \
        }                                                                                          \
    } while (0)
#endif

GL_FN vi gv_iota(void)
{
#if GL_LANES == 16
    return (vi){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif GL_LANES == 8
    return (vi){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (vi){0, 1, 2, 3};
#endif
}

GL_FN vf gv_load(const float *from)
{
    vf v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

// Loads what multiply-adds take element by element. GCC would load each element by itself, so it
// must not see where the vector is from.
GL_FN vf gv_load_elements(const float *from)
{
    vf v = gv_load(from);
#if defined(__aarch64__)
    __asm__("" : "+w"(v));
#endif
    return v;
}

// Prefetches what is so many bytes ahead, which need not be valid memory.
GL_FN vf gv_load_ahead(const float *from, int bytes)
{
    __builtin_prefetch((const char *)from + bytes, 0, 3);
    return gv_load(from);
}

// The same, but only into the second-level cache: more than the first one holds comes before.
GL_FN vf gv_load_far_ahead(const float *from, int bytes)
{
    __builtin_prefetch((const char *)from + bytes, 0, 2);
    return gv_load(from);
}

// Fetches the line of an element into the second-level cache; it need not be valid memory.
GL_FN void gv_fetch(const void *element)
{
    __builtin_prefetch(element, 0, 2);
}

GL_FN vi gv_loadi(const int32_t *from)
{
    vi v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

GL_FN void gv_store(float *to, vf v) { __builtin_memcpy(to, &v, sizeof v); }

GL_FN void gv_storei(int32_t *to, vi v) { __builtin_memcpy(to, &v, sizeof v); }

GL_FN vf gv_load_n(const float *from, int n)
{
#if defined(GL_AVX512) && GL_LANES == 16
    if (n == 8)
        return _mm512_zextps256_ps512(_mm256_loadu_ps(from));
    if (n == 4)
        return _mm512_zextps128_ps512(_mm_loadu_ps(from));
    return GL_MM(maskz_loadu_ps)(GL_BITS(n), from);
#elif defined(GL_AVX512)
    return GL_MM(maskz_loadu_ps)(GL_BITS(n), from);
#elif defined(GL_MM) && defined(__AVX2__)
    return GL_MM(maskload_ps)(from, (GL_MMI)(gv_iota() < n));
#elif defined(GL_BY_LANE)
    vf v = {from[0]};
    GL_BY_LANE(v[i] = from[i]);
    return v;
#else
    vf v = {0};
    __builtin_memcpy(&v, from, (unsigned)n * sizeof *from);
    return v;
#endif
}

GL_FN vi gv_loadi_n(const int32_t *from, int n)
{
#if defined(GL_AVX512)
    return (vi)GL_MM(maskz_loadu_epi32)(GL_BITS(n), from);
#elif defined(GL_MM) && defined(__AVX2__)
    return (vi)GL_MM(maskload_epi32)((const int *)from, (GL_MMI)(gv_iota() < n));
#elif defined(GL_BY_LANE)
    vi v = {from[0]};
    GL_BY_LANE(v[i] = from[i]);
    return v;
#else
    vi v = {0};
    __builtin_memcpy(&v, from, (unsigned)n * sizeof *from);
    return v;
#endif
}

GL_FN void gv_store_n(float *to, vf v, int n)
{
#if defined(GL_AVX512) && GL_LANES == 16
    if (n == 8)
        _mm256_storeu_ps(to, _mm512_castps512_ps256(v));
    else if (n == 4)
        _mm_storeu_ps(to, _mm512_castps512_ps128(v));
    else
        GL_MM(mask_storeu_ps)(to, GL_BITS(n), v);
#elif defined(GL_AVX512)
    GL_MM(mask_storeu_ps)(to, GL_BITS(n), v);
#elif defined(GL_MM)
    // Stores with masks take some ten times as long as these on AMD's processors.
#if GL_LANES == 8
    __m128 part = _mm256_castps256_ps128(v);
    if (n >= 4) {
        _mm_storeu_ps(to, part);
        part = _mm256_extractf128_ps(v, 1);
        to += 4;
        n -= 4;
    }
#else
    __m128 part = v;
#endif
    if (n >= 2) {
        _mm_storel_pi((__m64 *)to, part);
        part = _mm_movehl_ps(part, part);
        to += 2;
        n -= 2;
    }
    if (n == 1)
        _mm_store_ss(to, part);
#elif defined(GL_BY_LANE)
    to[0] = v[0];
    GL_BY_LANE(to[i] = v[i]);
#else
    __builtin_memcpy(to, &v, (unsigned)n * sizeof *to);
#endif
}

GL_FN void gv_storei_n(int32_t *to, vi v, int n)
{
#if defined(GL_AVX512)
    GL_MM(mask_storeu_epi32)(to, GL_BITS(n), (GL_MMI)v);
#elif defined(GL_MM)
    gv_store_n((float *)to, (vf)v, n);
#elif defined(GL_BY_LANE)
    to[0] = v[0];
    GL_BY_LANE(to[i] = v[i]);
#else
    __builtin_memcpy(to, &v, (unsigned)n * sizeof *to);
#endif
}
