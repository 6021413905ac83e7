// SPDX-License-Identifier: Apache-2.0
// Functions of doubles.

GL_FN double gd_max(double a, double b) { return a > b || a != a ? a : b; }
GL_FN double gd_min(double a, double b) { return a < b || a != a ? a : b; }

// The remainder with the sign of the divisor.
GL_FN double gd_mod(double a, double b)
{
    const double rest = __builtin_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
