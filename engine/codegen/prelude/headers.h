// SPDX-License-Identifier: Apache-2.0
// The compiler's own headers. They depend on its flags alone, so that they can be compiled in
// advance (codegen/build/precompiled_headers.h).
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
