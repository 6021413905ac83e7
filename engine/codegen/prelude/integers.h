// SPDX-License-Identifier: Apache-2.0
// Functions of integers (gi_: signed, gu_: unsigned), 64 bits wide. No argument has undefined
// behaviour: integers wrap around, division by zero and remainders of zero give 0, shifts by more
// than the width give 0 or the sign, conversions saturate.

GL_FN int64_t gi_abs(int64_t a) { return a < 0 ? (int64_t)(0 - (uint64_t)a) : a; }
GL_FN uint64_t gu_abs(uint64_t a) { return a; }
GL_FN int64_t gi_sign(int64_t a) { return (a > 0) - (a < 0); }
GL_FN uint64_t gu_sign(uint64_t a) { return a != 0; }
GL_FN int64_t gi_min(int64_t a, int64_t b) { return a < b ? a : b; }
GL_FN uint64_t gu_min(uint64_t a, uint64_t b) { return a < b ? a : b; }
GL_FN int64_t gi_max(int64_t a, int64_t b) { return a > b ? a : b; }
GL_FN uint64_t gu_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

GL_FN int64_t gi_div(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
GL_FN uint64_t gu_div(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
GL_FN int64_t gi_fmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
GL_FN uint64_t gu_fmod(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
GL_FN int64_t gi_mod(int64_t a, int64_t b)
{
    const int64_t rest = gi_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
GL_FN uint64_t gu_mod(uint64_t a, uint64_t b) { return gu_fmod(a, b); }
GL_FN int64_t gi_floordiv(int64_t a, int64_t b)
{
    const int64_t quotient = gi_div(a, b), rest = gi_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}
GL_FN uint64_t gu_floordiv(uint64_t a, uint64_t b) { return gu_div(a, b); }

GL_FN uint64_t gu_pow(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            result *= base;
        base *= base;
    }
    return result;
}
GL_FN int64_t gi_pow(int64_t base, int64_t exponent)
{
    if (exponent < 0) // a fraction, cut off
        return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
    return (int64_t)gu_pow((uint64_t)base, (uint64_t)exponent);
}

GL_FN int64_t gi_shl(int64_t a, int64_t b)
{
    return (uint64_t)b < 64 ? (int64_t)((uint64_t)a << b) : 0;
}
GL_FN uint64_t gu_shl(uint64_t a, uint64_t b) { return b < 64 ? a << b : 0; }
GL_FN int64_t gi_shr(int64_t a, int64_t b) { return a >> ((uint64_t)b < 63 ? b : 63); }
GL_FN uint64_t gu_shr(uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; }

GL_FN int64_t gi_of_real(GL_REAL x)
{
    return x >= 9223372036854775808.0    ? INT64_MAX
           : x >= -9223372036854775808.0 ? (int64_t)x
                                         : INT64_MIN; // NaN, too
}
GL_FN uint64_t gu_of_real(GL_REAL x)
{
    return x >= 18446744073709551616.0  ? UINT64_MAX
           : x >= 9223372036854775808.0 ? (uint64_t)x
                                        : (uint64_t)gi_of_real(x); // negative ones wrap around
}
