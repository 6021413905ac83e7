// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 as integers in the low 16 bits of int32, by arithmetic on bits. To the
// nearest, halves to even; what is too large for float16 becomes infinite.

GL_FN GL_F GL(from_f16)(GL_I h)
{
    const GL_I magnitude = GL(shift_left)(h & 0x7fff, 13);
    const GL_F finite = GL(of_bits)(magnitude) * 0x1p112f; // the exponent's bias: 127 - 15
    const GL_I bits =
        GL(selecti)(GL_MASK(magnitude >= 0x7c00 << 13), magnitude | 0x7f800000, GL(bits)(finite));
    return GL(of_bits)(bits | GL(shift_left)(h & 0x8000, 16));
}

GL_FN GL_I GL(to_f16)(GL_F x)
{
    const GL_I bits = GL(bits)(x);
    const GL_I a = bits & INT32_MAX;
    const GL_I normal = (a - (112 << 23) + 0xfff + ((a >> 13) & 1)) >> 13;
    // Below 2^-14 the addition rounds: the sum's last digit is float16's least number.
    const GL_I small = GL(bits)(GL(of_bits)(a) + 0.5f) - (126 << 23);
    GL_I h = GL(selecti)(GL_MASK(a < 113 << 23), small, normal);
    h = GL(selecti)(GL_MASK(a >= 143 << 23), GL(splati)(0x7c00), h); // from 2^16 on
    h = GL(selecti)(GL_MASK(a > 255 << 23), GL(splati)(0x7e00), h);  // NaN
    return h | ((bits >> 16) & 0x8000);
}

GL_FN GL_F GL(from_bf16)(GL_I h) { return GL(of_bits)(GL(shift_left)(h, 16)); }

/// Not by the instruction of AVX512_BF16, which makes 0 of denormal numbers.
GL_FN GL_I GL(to_bf16)(GL_F x)
{
    const GL_I bits = GL(bits)(x);
    const GL_I a = bits & INT32_MAX;
    const GL_I rounded = (a >> 16) + (((a & 0xffff) + 0x7fff + ((a >> 16) & 1)) >> 16);
    const GL_I h = GL(selecti)(GL_MASK(a > 255 << 23), GL(splati)(0x7fc0), rounded);
    return h | ((bits >> 16) & 0x8000);
}
