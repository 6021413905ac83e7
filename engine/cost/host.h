// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace graphloom {

/// What the system says of the processor that runs this program.
struct HostFacts {
    std::string cpu; // as the processor names itself; the architecture where it does not
    bool avx2 = false, fma = false, f16c = false;
    bool avx512 = false; // F, VL, BW and DQ, and the system keeps its registers
    bool neon = false;
    // Of one core, but the L3 cache: of the whole chip. 0 where there is none or nothing is told.
    std::int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
    int cores = 1; // that this program may use
};

/// Looked up once.
const HostFacts &hostFacts();

} // namespace graphloom
