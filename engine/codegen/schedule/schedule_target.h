// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/cost/instruction_set.h"

#include <limits>

namespace graphloom {

class KernelLanguage;

/// Describes the registers, threads and options that a schedule is chosen for.
struct ScheduleTarget {
    int lanes = 8;
    int vectorRegisters = 16;
    int threads = 1;
    bool winograd = true;   // convolutions may be computed by Winograd's algorithm (winograd.h)
    bool byElement = false; // InstructionSet::byElement
    /// Bytes of the largest cache that a unit has of its own; 0: unknown, large enough.
    std::int64_t ownCache = 0;
    /// The most bytes that a task may have of its own.
    std::int64_t taskMemory = std::numeric_limits<std::int64_t>::max();
    /// The most work-items that do a task together; 1: a task is one work-item, or one thread's.
    int items = 1;
    int group = 1; // work-items of a group, where each does a task by itself
    const KernelLanguage *language = nullptr; // that kernels are generated in; null: C
    int pipes = 2;       // multiply-adds of vectors that a unit begins in a cycle
    bool halves = false; // arithmetic of half precision has twice the lanes (targetOf())
    /// The most texels of an image that kernels can read a buffer as (Schedule::image()); 0: they
    /// have no images.
    std::int64_t imageTexels = 0;
    bool prefersImages = false; // reads of images are the faster ones
};

/// Returns a target with the vectors of an instruction set.
inline ScheduleTarget scheduleTargetOf(const InstructionSet &set, int threads = 1)
{
    ScheduleTarget target;
    target.lanes = set.lanes;
    target.vectorRegisters = set.registers;
    target.threads = threads;
    target.byElement = set.byElement;
    return target;
}

/// Returns the vector multiply-adds that each of a machine's fastest units begins in a cycle by its
/// peak and clock; 2 if these are unknown.
int pipesOf(const Machine &machine);

/// Returns the bytes of the largest cache of each of a machine's fastest units; 0: unknown.
std::int64_t ownCacheOf(const Machine &machine);

/// Returns a target with the vectors of the device's fastest units and a thread for each unit. What
/// its description does not say is as in ScheduleTarget.
ScheduleTarget scheduleTargetOf(const Device &device);

} // namespace graphloom
