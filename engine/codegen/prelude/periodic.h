// SPDX-License-Identifier: Apache-2.0
// sin and cos. Minimax polynomials of S. L. Moshier's Cephes (sinf, cosf); pi/2 in two parts, as in
// fdlibm, so that nothing is lost near its multiples.

/// sin(x + quadrants pi/2) for |x| <= 1e5 or NaN.
GL_FN GL_F GL(sin_near)(GL_F x, int quadrants)
{
    const double shift = 6755399441055744.0; // 1.5 * 2^52: the sum is whole
    const GL_D wide = GL(widen)(x);
    const GL_D n = (wide * 0.63661977236758134 + shift) - shift;
    const GL_F r = GL(narrow)((wide - n * 1.57079631090164184570) - n * 1.58932547735281966916e-08);
    const GL_F magic = GL(splat)(12582912.0f);
    const GL_I quadrant = GL(bits)(GL(narrow)(n) + magic) - GL(bits)(magic) + quadrants;
    const GL_F square = r * r;
    GL_F s = GL(splat)(-1.9515295891e-4f);
    s = GL(fma)(s, square, GL(splat)(8.3321608736e-3f));
    s = GL(fma)(s, square, GL(splat)(-1.6666654611e-1f));
    s = GL(fma)(s * square, r, r);
    GL_F c = GL(splat)(2.443315711809948e-5f);
    c = GL(fma)(c, square, GL(splat)(-1.388731625493765e-3f));
    c = GL(fma)(c, square, GL(splat)(4.166664568298827e-2f));
    c = GL(fma)(c, square, GL(splat)(-0.5f));
    c = GL(fma)(c, square, GL(splat)(1.0f));
    const GL_F y = GL(select)(GL_MASK((quadrant & 1) != 0), c, s);
    return GL(of_bits)(GL(bits)(y) ^ GL(shift_left)(quadrant & 2, 30));
}

GL_FN GL_F GL(sin)(GL_F x)
{
    if (GL(any)(GL_MASK(GL(abs)(x) > 1e5f)))
        return GL(far_sin)(x);
    return GL(select)(GL_MASK(x == 0.0f), x, GL(sin_near)(x, 0)); // -0 stays
}

GL_FN GL_F GL(cos)(GL_F x)
{
    if (GL(any)(GL_MASK(GL(abs)(x) > 1e5f)))
        return GL(far_cos)(x);
    return GL(sin_near)(x, 1);
}
