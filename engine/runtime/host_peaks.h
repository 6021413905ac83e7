// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/kernel_cache.h"
#include "engine/cost/instruction_set.h"

#include <optional>

namespace graphloom {

/// Holds the highest rates measured on this machine: the roof over the figures of kernels.
struct HostPeaks {
    double flops = 0;       // FLOP/s of one thread: single-precision fused multiply-adds, 2 each
    double flopsOfAll = 0;  // FLOP/s of one thread on each core, together
    double memory = 0;      // bytes/s that one thread reads from memory
    double memoryOfAll = 0; // bytes/s that all threads read together
    double l2 = 0, l1 = 0;  // bytes/s that one thread reads from its caches; 0 where unknown
    double l3OfAll = 0;     // bytes/s that all threads read from the cache they share; 0: unknown
    /// Bytes up to which reads are faster than from memory: on machines that are shared with others
    /// fewer than the system reports. 0: unknown.
    double l3Bytes = 0;
    /// Seconds of an access to each level, of which the next one depends; 0: unknown.
    double l1Latency = 0, l2Latency = 0, l3Latency = 0, memoryLatency = 0;
    double loop = 0;        // seconds that a parallel loop on all cores adds to its work
};

/// Returns the rates measured earlier on this processor with such vectors, from host_peaks.json in
/// the folder of kernels.
std::optional<HostPeaks> readHostPeaks(const std::filesystem::path &folder,
                                       const InstructionSet &set);

/// Measures for about half a second, with kernels compiled for vectors that this processor can
/// execute, and keeps the result in the cache's folder. Fails as KernelCache::library() does, and
/// (Fault) when stopped.
Result<HostPeaks> measureHostPeaks(const InstructionSet &set, KernelCache &cache,
                                   const CCompiler &compiler, std::stop_token stop);

} // namespace graphloom
