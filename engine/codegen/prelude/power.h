// SPDX-License-Identifier: Apache-2.0

/// x^y as 2^(y log2 |x|); the exponent in double, since its error is a relative one of the power.
GL_FN GL_F GL(pow)(GL_F x, GL_F y)
{
    const GL_F a = GL(abs)(x);
    GL_F e;
    const GL_D m = GL(widen)(GL(split)(a, &e));
    const GL_D s = (m - 1.0) / (m + 1.0); // log m = 2 artanh s, |s| < 0.172
    const GL_D square = s * s;
    GL_D series = square * (1.0 / 13) + 1.0 / 11;
    series = series * square + 1.0 / 9;
    series = series * square + 1.0 / 7;
    series = series * square + 1.0 / 5;
    series = series * square + 1.0 / 3;
    series = series * square + 1.0;
    const GL_D log2 = GL(widen)(e) + series * s * 2.8853900817779268; // 2 / ln 2
    // Bounded where it makes no difference any more, since infinity minus itself would be NaN.
    const GL_F most = GL(splat)(0x1.fffffep127f), half = GL(splat)(0.34657359f); // ln(2) / 2
    const GL_D t = log2 * GL(widen)(GL(min_c)(most, GL(max_c)(-most, y)));

    const double shift = 6755399441055744.0; // 1.5 * 2^52: the sum is whole
    const GL_D n = (t + shift) - shift;
    GL_F fraction = GL(narrow)((t - n) * 0.69314718055994531);
    fraction = GL(min_c)(half, GL(max_c)(-half, fraction)); // n is inexact when t is huge
    GL_F exponent = GL(narrow)(n);
    exponent = GL(min_c)(GL(splat)(129.0f), GL(max_c)(GL(splat)(-151.0f), exponent));
    GL_F carry;
    GL_I whole;
    const GL_F p = GL(exp_parts)(fraction, &carry, &whole);
    whole += GL(i32_from_f)(GL(select)(GL_MASK(y == y), exponent, GL(splat)(0.0f)));
    GL_F power = GL(scale)(p, exponent + carry, whole);

    const GL_F infinity = GL(splat)(__builtin_inff()), one = GL(splat)(1.0f);
    const GL_I ofInfinity = GL_MASK(a == infinity);
    const GL_I grows = ~(ofInfinity ^ GL_MASK(y > 0.0f));
    power = GL(select)(ofInfinity | GL_MASK(a == 0.0f),
                       GL(select)(grows, infinity, GL(splat)(0.0f)), power);
    power = GL(select)(GL_MASK(a == 1.0f), one, power); // whatever y is

    const GL_I negative = GL_MASK(GL(bits)(x) < 0);
    const GL_I isWhole = GL_MASK(GL(floor)(y) == y);
    const GL_F halved = y * 0.5f;
    const GL_I odd = isWhole & GL_MASK(GL(floor)(halved) != halved);
    power = GL(select)(negative & odd, -power, power);
    power = GL(select)(GL_MASK(x < 0.0f) & ~isWhole & ~ofInfinity, GL(splat)(__builtin_nanf("")),
                       power);
    power = GL(select)(GL_MASK(x != x) | GL_MASK(y != y), x + y, power);
    return GL(select)(GL_MASK(x == 1.0f) | GL_MASK(y == 0.0f), one, power);
}
