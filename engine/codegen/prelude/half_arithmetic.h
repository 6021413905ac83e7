// SPDX-License-Identifier: Apache-2.0
// Arithmetic of float16 where the processor has it: vectors of twice as many lanes. Functions are
// those of vf and vi with gh_ in place of gv_.
#if GL_LANES == 4 && defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)

typedef _Float16 vh __attribute__((vector_size(16)));
typedef int16_t vhi __attribute__((vector_size(16))); // as masks: 0 or -1

GL_FN vf gl_low(vh x)
{
    vf low;
    __asm__("fcvtl %0.4s, %1.4h" : "=w"(low) : "w"(x));
    return low;
}
GL_FN vf gl_high(vh x)
{
    vf high;
    __asm__("fcvtl2 %0.4s, %1.8h" : "=w"(high) : "w"(x));
    return high;
}
GL_FN vh gl_join(vf low, vf high)
{
    vh x;
    __asm__("fcvtn %0.4h, %1.4s\n\tfcvtn2 %0.8h, %2.4s" : "=&w"(x) : "w"(low), "w"(high));
    return x;
}

GL_FN vh gh_load_f16(const uint16_t *from)
{
    vh v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
GL_FN vh gh_load_f16_n(const uint16_t *from, int n)
{
    vh v = {0};
    __builtin_memcpy(&v, from, (unsigned)n * sizeof *from);
    return v;
}
GL_FN void gh_store_f16(uint16_t *to, vh v) { __builtin_memcpy(to, &v, sizeof v); }
GL_FN void gh_store_f16_n(uint16_t *to, vh v, int n)
{
    __builtin_memcpy(to, &v, (unsigned)n * sizeof *to);
}
/// As gv_load_elements().
GL_FN vh gh_load_elements(const uint16_t *from)
{
    vh v = gh_load_f16(from);
    __asm__("" : "+w"(v));
    return v;
}
#define gh_fetch gv_fetch
/// sum += v * elements[i], in one instruction, which compilers do not make of it.
#define gh_add_product(sum, v, elements, i)                                                        \
    __asm__("fmla %0.8h, %1.8h, %2.h[" #i "]" : "+w"(sum) : "w"(v), "x"(elements))
GL_FN vhi gh_load_mask_n(const uint8_t *from, int n)
{
    vhi mask = {0};
    for (int i = 0; i < n; ++i)
        mask[i] = (int16_t)-(from[i] != 0);
    return mask;
}
GL_FN vhi gh_load_mask(const uint8_t *from) { return gh_load_mask_n(from, 2 * GL_LANES); }

GL_FN vh gh_splat(float x)
{
    const _Float16 h = (_Float16)x;
    return (vh){h, h, h, h, h, h, h, h};
}
GL_FN vhi gh_splati(int32_t x)
{
    const int16_t s = (int16_t)x;
    return (vhi){s, s, s, s, s, s, s, s};
}
GL_FN vh gh_select(vhi mask, vh a, vh b) { return (vh)((mask & (vhi)a) | (~mask & (vhi)b)); }
GL_FN vhi gh_selecti(vhi mask, vhi a, vhi b) { return (mask & a) | (~mask & b); }
GL_FN vh gh_abs(vh x) { return (vh)((vhi)x & INT16_MAX); }

#define GL_INSTRUCTION(name, instruction)                                                          \
    GL_FN vh gh_##name(vh a, vh b)                                                                 \
    {                                                                                              \
        vh gl_result;                                                                              \
        __asm__(instruction " %0.8h, %1.8h, %2.8h" : "=w"(gl_result) : "w"(a), "w"(b));            \
        return gl_result;                                                                          \
    }
GL_INSTRUCTION(max, "fmax")
GL_INSTRUCTION(min, "fmin")
GL_INSTRUCTION(max_c, "fmax")
GL_INSTRUCTION(min_c, "fmin")
#undef GL_INSTRUCTION

// In single precision, a half of the lanes at a time.
#define GL_OF_ONE(name)                                                                            \
    GL_FN vh gh_##name(vh x) { return gl_join(gv_##name(gl_low(x)), gv_##name(gl_high(x))); }
GL_OF_ONE(sqrt)
GL_OF_ONE(round)
GL_OF_ONE(floor)
GL_OF_ONE(ceil)
GL_OF_ONE(exp)
GL_OF_ONE(log)
GL_OF_ONE(sin)
GL_OF_ONE(cos)
GL_OF_ONE(tan)
GL_OF_ONE(asin)
GL_OF_ONE(acos)
GL_OF_ONE(atan)
GL_OF_ONE(sinh)
GL_OF_ONE(cosh)
GL_OF_ONE(tanh)
GL_OF_ONE(asinh)
GL_OF_ONE(acosh)
GL_OF_ONE(atanh)
GL_OF_ONE(erf)
#undef GL_OF_ONE
GL_FN vh gh_pow(vh x, vh y)
{
    return gl_join(gv_pow(gl_low(x), gl_low(y)), gv_pow(gl_high(x), gl_high(y)));
}
GL_FN float gh_sum(vh v) { return gv_sum(gl_low(v) + gl_high(v)); }
GL_FN float gh_hmax(vh v) { return gv_hmax(gv_max(gl_low(v), gl_high(v))); }
GL_FN float gh_hmin(vh v) { return gv_hmin(gv_min(gl_low(v), gl_high(v))); }

#endif
