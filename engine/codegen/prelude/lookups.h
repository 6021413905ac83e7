// SPDX-License-Identifier: Apache-2.0

// An index that depends on data: negative ones count from the end. One that leaves the tensor is
// told, and another element taken.
GL_FN int64_t gi_lookup(int64_t at, int64_t extent, int32_t *status)
{
    at += at < 0 ? extent : 0;
    if ((uint64_t)at < (uint64_t)extent)
        return at;
    *status = 1;
    return 0;
}

// Truth values in bytes as a mask of lanes.
GL_FN vi gv_load_mask_n(const uint8_t *from, int n)
{
    typedef uint8_t bytes __attribute__((vector_size(GL_LANES)));
    bytes x = {0};
    __builtin_memcpy(&x, from, (unsigned)n);
    return __builtin_convertvector(x, vi) != 0;
}
GL_FN vi gv_load_mask(const uint8_t *from) { return gv_load_mask_n(from, GL_LANES); }
