// SPDX-License-Identifier: Apache-2.0

/// x + x p(x^2) near 0, 1 - e^q(|x|) farther out; p and q are minimax polynomials, of the relative
/// error below 0.92 and of the absolute one from there to where erf is 1 in float.
GL_FN GL_F GL(erf)(GL_F x)
{
    const GL_F a = GL(min_c)(GL(splat)(3.95f), GL(abs)(x));
    const GL_F square = a * a;
    GL_F p = GL(splat)(-0.000599940656684339f);
    p = GL(fma)(p, square, GL(splat)(0.004994830582290888f));
    p = GL(fma)(p, square, GL(splat)(-0.02676771953701973f));
    p = GL(fma)(p, square, GL(splat)(0.11281845718622208f));
    p = GL(fma)(p, square, GL(splat)(-0.3761249780654907f));
    p = GL(fma)(p, square, GL(splat)(0.12837915122509003f));
    p = GL(fma)(p, a, a);
    GL_F q = GL(splat)(0.00019718159455806017f);
    q = GL(fma)(q, a, GL(splat)(-0.003055606270208955f));
    q = GL(fma)(q, a, GL(splat)(0.02227708324790001f));
    q = GL(fma)(q, a, GL(splat)(-0.10403735190629959f));
    q = GL(fma)(q, a, GL(splat)(-0.63705974817276f));
    q = GL(fma)(q, a, GL(splat)(-1.1277495622634888f));
    q = GL(fma)(q, a, GL(splat)(-0.0001774959673639387f));
    const GL_F far = 1.0f - GL(exp_within)(q);
    return GL(copysign)(GL(select)(GL_MASK(a < 0.92f), p, far), x);
}
