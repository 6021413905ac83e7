// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh. Minimax polynomials; those of log and tanh and the two parts of ln 2 are
// from S. L. Moshier's Cephes (logf, tanhf, expf).

/// Gives e^r, |r| <= ln(2)/2, for x = n ln(2) + r, and n; |x| < 2^21.
GL_FN GL_F GL(exp_parts)(GL_F x, GL_F *n, GL_I *whole)
{
    const GL_F shift = GL(splat)(12582912.0f); // 1.5 * 2^23: the sum's last digit is 1
    const GL_F shifted = GL(fma)(x, GL(splat)(1.44269504088896341f), shift);
    *n = shifted - shift;
    *whole = GL(bits)(shifted) - GL(bits)(shift);
    GL_F r = GL(fma)(*n, GL(splat)(-0.693359375f), x);
    r = GL(fma)(*n, GL(splat)(2.12194440e-4f), r);
    GL_F p = GL(splat)(0.001381422160193324f);
    p = GL(fma)(p, r, GL(splat)(0.00836889911442995f));
    p = GL(fma)(p, r, GL(splat)(0.04166840389370918f));
    p = GL(fma)(p, r, GL(splat)(0.1666651964187622f));
    p = GL(fma)(p, r, GL(splat)(0.4999999403953552f));
    return GL(fma)(p, r * r, r) + 1.0f;
}

/// Infinity from 88.73 on, and 0 instead of what is below 2^-125.5: a subnormal number would take
/// many times as long, here and in what reads it, and the activation functions add 1 to it.
GL_FN GL_F GL(exp)(GL_F x)
{
    GL_F n;
    GL_I whole;
    const GL_F p = GL(exp_parts)(GL(exp_range)(x), &n, &whole);
    return GL(scale_normal)(p, n, whole);
}

/// e^x for -87 < x < 88 or NaN.
GL_FN GL_F GL(exp_within)(GL_F x)
{
    GL_F n;
    GL_I whole;
    const GL_F p = GL(exp_parts)(x, &n, &whole);
#ifdef GL_AVX512
    return GL(scale)(p, n, whole);
#else
    return p * GL(of_bits)(GL(shift_left)(whole + 127, 23));
#endif
}

/// m in [sqrt(1/2), sqrt(2)) and e of x = m 2^e, for positive and finite x.
GL_FN GL_F GL(split)(GL_F x, GL_F *e)
{
    const GL_I tiny = GL_MASK(x < 1.17549435e-38f);
    const GL_F scaled = GL(select)(tiny, x * 8388608.0f, x);
    const GL_I bits = (GL(bits)(scaled) & INT32_MAX) - 0x3f3504f3; // of sqrt(1/2)
    *e = GL(f_from_i32)(bits >> 23) - GL(select)(tiny, GL(splat)(23.0f), GL(splat)(0.0f));
    return GL(of_bits)((bits & 0x7fffff) + 0x3f3504f3);
}

GL_FN GL_F GL(log)(GL_F x)
{
    GL_F e;
    const GL_F f = GL(split)(x, &e) - 1.0f;
    GL_F p = GL(splat)(7.0376836292e-2f);
    p = GL(fma)(p, f, GL(splat)(-1.1514610310e-1f));
    p = GL(fma)(p, f, GL(splat)(1.1676998740e-1f));
    p = GL(fma)(p, f, GL(splat)(-1.2420140846e-1f));
    p = GL(fma)(p, f, GL(splat)(1.4249322787e-1f));
    p = GL(fma)(p, f, GL(splat)(-1.6668057665e-1f));
    p = GL(fma)(p, f, GL(splat)(2.0000714765e-1f));
    p = GL(fma)(p, f, GL(splat)(-2.4999993993e-1f));
    p = GL(fma)(p, f, GL(splat)(3.3333331174e-1f));
    const GL_F square = f * f;
    p = GL(fma)(p * f, square, e * -2.12194440e-4f);
    p = GL(fma)(square, GL(splat)(-0.5f), p);
    GL_F y = GL(fma)(e, GL(splat)(0.693359375f), f + p);
    y = GL(select)(GL_MASK(x < __builtin_inff()), y, x); // infinity and NaN as they are
    y = GL(select)(GL_MASK(x == 0.0f), GL(splat)(-__builtin_inff()), y);
    return GL(select)(GL_MASK(x < 0.0f), GL(splat)(__builtin_nanf("")), y);
}

GL_FN GL_F GL(tanh)(GL_F x)
{
    const GL_F a = GL(min_c)(GL(splat)(10.0f), GL(abs)(x)); // 1 from 9.02 on
    const GL_F square = a * a;
    GL_F p = GL(splat)(-5.70498872745e-3f);
    p = GL(fma)(p, square, GL(splat)(2.06390887954e-2f));
    p = GL(fma)(p, square, GL(splat)(-5.37397155531e-2f));
    p = GL(fma)(p, square, GL(splat)(1.33314422036e-1f));
    p = GL(fma)(p, square, GL(splat)(-3.33332819422e-1f));
    p = GL(fma)(p * square, a, a);
    const GL_F large = 1.0f - 2.0f / (GL(exp_within)(a + a) + 1.0f);
    return GL(copysign)(GL(select)(GL_MASK(a < 0.625f), p, large), x);
}
