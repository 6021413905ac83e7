// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace graphloom {

/// Holds what the system tells about the processor that runs this program.
struct HostFacts {
    std::string cpu; // the name that the processor reports; else the architecture
    bool avx2 = false, fma = false, f16c = false;
    bool avx512 = false; // F, VL, BW and DQ; the system saves its registers
    bool neon = false;
    // Per core, except that the L3 cache is that of the whole chip. 0 if there is none or its size
    // is unknown.
    std::int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
    int lineBytes = 0; // of the L1 cache; 0 if unknown
    int cores = 1; // available to this program
};

/// Returns the facts, which are determined once.
const HostFacts &hostFacts();

} // namespace graphloom
