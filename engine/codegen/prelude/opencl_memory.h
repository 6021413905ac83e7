// SPDX-License-Identifier: Apache-2.0
// Loads and stores, unaligned, from any address space: therefore macros. Those that end in _n take
// the first n lanes, 1 <= n < GL_LANES, and touch no memory beyond; n is a constant, the other
// lanes of a load are 0.

#define gv_load(p) GL_WIDE(vload)(0, p)
#define gv_load_elements(p) gv_load(p)
#define gv_load_ahead(p, bytes) gv_load(p)
#define gv_load_far_ahead(p, bytes) gv_load(p)
#define gv_fetch(p) ((void)(p))
#define gv_store(p, v) GL_WIDE(vstore)(v, 0, p)

// GL_VECTOR_OF is a vector of f for each lane, GL_STORE_LANES a statement f for each lane but the
// last one.
#if GL_LANES == 16
#define GL_VECTOR_OF(type, f, p, n)                                                                \
    ((type)(f(p, 0, n), f(p, 1, n), f(p, 2, n), f(p, 3, n), f(p, 4, n), f(p, 5, n), f(p, 6, n),    \
            f(p, 7, n), f(p, 8, n), f(p, 9, n), f(p, 10, n), f(p, 11, n), f(p, 12, n),             \
            f(p, 13, n), f(p, 14, n), f(p, 15, n)))
#define GL_STORE_LANES(f, p, v, n)                                                                 \
    f(p, 0, (v).s0, n) f(p, 1, (v).s1, n) f(p, 2, (v).s2, n) f(p, 3, (v).s3, n)                    \
    f(p, 4, (v).s4, n) f(p, 5, (v).s5, n) f(p, 6, (v).s6, n) f(p, 7, (v).s7, n)                    \
    f(p, 8, (v).s8, n) f(p, 9, (v).s9, n) f(p, 10, (v).sa, n) f(p, 11, (v).sb, n)                  \
    f(p, 12, (v).sc, n) f(p, 13, (v).sd, n) f(p, 14, (v).se, n)
#elif GL_LANES == 8
#define GL_VECTOR_OF(type, f, p, n)                                                                \
    ((type)(f(p, 0, n), f(p, 1, n), f(p, 2, n), f(p, 3, n), f(p, 4, n), f(p, 5, n), f(p, 6, n),    \
            f(p, 7, n)))
#define GL_STORE_LANES(f, p, v, n)                                                                 \
    f(p, 0, (v).s0, n) f(p, 1, (v).s1, n) f(p, 2, (v).s2, n) f(p, 3, (v).s3, n)                    \
    f(p, 4, (v).s4, n) f(p, 5, (v).s5, n) f(p, 6, (v).s6, n)
#else
#define GL_VECTOR_OF(type, f, p, n) ((type)(f(p, 0, n), f(p, 1, n), f(p, 2, n), f(p, 3, n)))
#define GL_STORE_LANES(f, p, v, n) f(p, 0, (v).s0, n) f(p, 1, (v).s1, n) f(p, 2, (v).s2, n)
#endif
#define GL_ELEMENT(p, i, n) ((i) < (n) ? (p)[i] : 0)
#define GL_TRUTH(p, i, n) ((i) < (n) ? -(int32_t)((p)[i] != 0) : 0)
#define GL_STORE(p, i, x, n)                                                                       \
    if ((i) < (n))                                                                                 \
        (p)[i] = x;
#define gv_load_n(p, n) GL_VECTOR_OF(vf, GL_ELEMENT, p, n)
#define gv_store_n(p, v, n)                                                                        \
    do {                                                                                           \
        const vf gl_stored = v;                                                                    \
        GL_STORE_LANES(GL_STORE, p, gl_stored, n)                                                  \
    } while (0)

// Buffers that are read as images, texel by texel of four elements, which the device converts to
// single precision; `at` counts elements, for vectors and gs_texel() those of whole texels.
#define GL_TEXEL(image, at, i) read_imagef(image, ((at) >> 2) + (i))
#if GL_LANES == 16
#define gv_load_image(image, at)                                                                   \
    ((vf)(GL_TEXEL(image, at, 0), GL_TEXEL(image, at, 1), GL_TEXEL(image, at, 2),                  \
          GL_TEXEL(image, at, 3)))
#elif GL_LANES == 8
#define gv_load_image(image, at) ((vf)(GL_TEXEL(image, at, 0), GL_TEXEL(image, at, 1)))
#else
#define gv_load_image(image, at) GL_TEXEL(image, at, 0)
#endif
#define gs_texel(image, at, element) GL_TEXEL(image, at, 0).s##element
#define gs_load_image(image, at) gs_element(GL_TEXEL(image, at, 0), (at) & 3)
GL_FN float gs_element(float4 texel, int32_t element)
{
    const float2 two = element & 2 ? texel.hi : texel.lo;
    return element & 1 ? two.y : two.x;
}

// Truth values in bytes as a mask of lanes.
#define gv_load_mask(p) GL_VECTOR_OF(vi, GL_TRUTH, p, GL_LANES)
#define gv_load_mask_n(p, n) GL_VECTOR_OF(vi, GL_TRUTH, p, n)

// float16 and bfloat16, in 16 bits.
#define gv_load_f16(p) gv_from_f16(GL_WIDE(convert_int)(GL_WIDE(vload)(0, p)))
#define gv_load_f16_n(p, n) gv_from_f16(GL_VECTOR_OF(vi, GL_ELEMENT, p, n))
#define gv_store_f16(p, v) GL_WIDE(vstore)(GL_WIDE(convert_ushort)(gv_to_f16(v)), 0, p)
#define gs_load_f16(p) gs_from_f16(*(p))
#define gs_store_f16(p, x) (*(p) = (uint16_t)gs_to_f16(x))
#define gv_load_bf16(p) gv_from_bf16(GL_WIDE(convert_int)(GL_WIDE(vload)(0, p)))
#define gv_load_bf16_n(p, n) gv_from_bf16(GL_VECTOR_OF(vi, GL_ELEMENT, p, n))
#define gv_store_bf16(p, v) GL_WIDE(vstore)(GL_WIDE(convert_ushort)(gv_to_bf16(v)), 0, p)
#define gs_load_bf16(p) gs_from_bf16(*(p))
#define gs_store_bf16(p, x) (*(p) = (uint16_t)gs_to_bf16(x))
#define gv_store_f16_n(p, v, n) GL_STORE_HALVES(p, gv_to_f16(v), n)
#define gv_store_bf16_n(p, v, n) GL_STORE_HALVES(p, gv_to_bf16(v), n)
#define GL_STORE_HALVES(p, bits, n)                                                                \
    do {                                                                                           \
        const vi gl_stored = bits;                                                                 \
        GL_STORE_LANES(GL_STORE, p, gl_stored, n)                                                  \
    } while (0)

// An index that depends on data: negative ones count from the end. One that leaves the tensor is
// told, and another element taken.
GL_FN int64_t gi_lookup(int64_t at, int64_t extent, __global int32_t *status)
{
    at += at < 0 ? extent : 0;
    if ((uint64_t)at < (uint64_t)extent)
        return at;
    *status = 1;
    return 0;
}
