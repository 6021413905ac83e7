// SPDX-License-Identifier: Apache-2.0
// Loads and stores of float16 and bfloat16; _n as in memory.h.

GL_FN gl_vh gl_loadh(const uint16_t *from)
{
    gl_vh h;
    __builtin_memcpy(&h, from, sizeof h);
    return h;
}

GL_FN gl_vh gl_loadh_n(const uint16_t *from, int n)
{
    gl_vh h = {0};
    __builtin_memcpy(&h, from, (unsigned)n * sizeof *from);
    return h;
}

#if GL_LANES == 16 && defined(__AVX512F__)
GL_FN vf gl_widenh(gl_vh h) { return _mm512_cvtph_ps((__m256i)h); }
GL_FN gl_vh gl_narrowh(vf x) { return (gl_vh)_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
#elif GL_LANES == 8 && defined(__F16C__)
GL_FN vf gl_widenh(gl_vh h) { return _mm256_cvtph_ps((__m128i)h); }
GL_FN gl_vh gl_narrowh(vf x) { return (gl_vh)_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
#elif GL_LANES == 4 && defined(__aarch64__) // compilers convert lane by lane
GL_FN vf gl_widenh(gl_vh h)
{
    vf x;
    __asm__("fcvtl %0.4s, %1.4h" : "=w"(x) : "w"(h));
    return x;
}
GL_FN gl_vh gl_narrowh(vf x)
{
    gl_vh h;
    __asm__("fcvtn %0.4h, %1.4s" : "=w"(h) : "w"(x));
    return h;
}
#else
GL_FN vf gl_widenh(gl_vh h) { return gv_from_f16(__builtin_convertvector(h, vi)); }
GL_FN gl_vh gl_narrowh(vf x) { return __builtin_convertvector(gv_to_f16(x), gl_vh); }
#endif

#if defined(__aarch64__)
GL_FN float gl_widens(uint16_t h)
{
    __fp16 x;
    __builtin_memcpy(&x, &h, sizeof x);
    return x;
}
GL_FN uint16_t gl_narrows(float x)
{
    const __fp16 narrow = x;
    uint16_t h;
    __builtin_memcpy(&h, &narrow, sizeof h);
    return h;
}
#elif defined(__F16C__)
GL_FN float gl_widens(uint16_t h) { return _cvtsh_ss(h); }
GL_FN uint16_t gl_narrows(float x) { return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT); }
#else
GL_FN float gl_widens(uint16_t h) { return gs_from_f16(h); }
GL_FN uint16_t gl_narrows(float x) { return (uint16_t)gs_to_f16(x); }
#endif
GL_FN float gl_widenbs(uint16_t h) { return gs_from_bf16(h); }
GL_FN uint16_t gl_narrowbs(float x) { return (uint16_t)gs_to_bf16(x); }

GL_FN vf gl_widenb(gl_vh h) { return gv_from_bf16(__builtin_convertvector(h, vi)); }
GL_FN gl_vh gl_narrowb(vf x) { return __builtin_convertvector(gv_to_bf16(x), gl_vh); }

// gv_load_f16(), gv_load_f16_n(), gv_store_f16(), gv_store_f16_n(), gs_load_f16(), gs_store_f16()
// and those of bf16.
#define GL_HALVES(type, widen, narrow, widens, narrows)                                            \
    GL_FN vf gv_load_##type(const uint16_t *from) { return widen(gl_loadh(from)); }                \
    GL_FN vf gv_load_##type##_n(const uint16_t *from, int n)                                       \
    {                                                                                              \
        return widen(gl_loadh_n(from, n));                                                         \
    }                                                                                              \
    GL_FN void gv_store_##type(uint16_t *to, vf x)                                                 \
    {                                                                                              \
        const gl_vh h = narrow(x);                                                                 \
        __builtin_memcpy(to, &h, sizeof h);                                                        \
    }                                                                                              \
    GL_FN void gv_store_##type##_n(uint16_t *to, vf x, int n)                                      \
    {                                                                                              \
        const gl_vh h = narrow(x);                                                                 \
        __builtin_memcpy(to, &h, (unsigned)n * sizeof *to);                                        \
    }                                                                                              \
    GL_FN float gs_load_##type(const uint16_t *from) { return widens(*from); }                     \
    GL_FN void gs_store_##type(uint16_t *to, float x) { *to = narrows(x); }
GL_HALVES(f16, gl_widenh, gl_narrowh, gl_widens, gl_narrows)
GL_HALVES(bf16, gl_widenb, gl_narrowb, gl_widenbs, gl_narrowbs)
#undef GL_HALVES
