// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/aligned_bytes.h"
#include "engine/runtime/executable.h"

#include <chrono>
#include <map>

namespace graphloom {

/// Holds the parts of an executable, for the classes that build and run it.
struct Executable::Content {
    /// Holds what a step of the plan needs to run in this process.
    struct Run {
        KernelFunction function = nullptr;
        std::vector<void *> buffers;
        struct Fill {
            std::byte *first;
            std::int64_t count;
            Element value;
        };
        std::vector<Fill> fills;
        void fillMargins() const
        {
            for (const Fill &fill : fills)
                if (fill.value.bytes == sizeof(std::uint16_t))
                    std::fill_n(reinterpret_cast<std::uint16_t *>(fill.first), fill.count,
                                std::uint16_t(fill.value.bits));
                else
                    std::fill_n(reinterpret_cast<std::uint32_t *>(fill.first), fill.count,
                                fill.value.bits);
        }
    };

    explicit Content(const ExecutableOptions &options)
        : team(options.threads, options.pinning), statuses(std::max(options.threads, 1U))
    {
    }

    ExecutionPlan plan;
    Opsets opsets;
    IndexedVector<StepIndex, Run> runs;
    BytePool memory; // of everything but `separate`, so that small plans are in few pages, too
    std::byte *scratch = nullptr; // of all threads
    std::vector<AlignedBytes> separate;
    CompiledKernels compiled;
    Team team;
    struct alignas(64) Status {
        std::int32_t value = 0;
    };
    std::vector<Status> statuses;
    /// Records what a thread did in the current step while a run is traced.
    struct alignas(64) Trace {
        std::chrono::steady_clock::time_point first, last;
        std::int64_t tasks = 0;
        bool used = false;
    };
    std::vector<Trace> traces;                    // by thread; empty: no run is traced
    std::map<TensorId, std::byte *> places;       // of tensors that kernels touch
    std::map<TensorId, std::byte *> borderPlaces; // of the graph's inputs and outputs, row-major
    std::vector<std::optional<DataValue>> values; // of the other tensors, by id

    Result<void> run(StepIndex number, Team::Session &session);
    void runTogether(const ExecutionPlan::Wave &wave, Team::Session &session);
    /// Checks the statuses of the steps. Fails (Model) if a step reported an index that leaves its
    /// tensor.
    Result<void> checkStatuses(const ExecutionPlan::Wave &wave);
    Result<void> interpretStep(const ExecutionStep &step);
    /// Returns where a tensor with memory is; null if it is a value.
    std::byte *placeOf(TensorId id) const;
    TensorData dataOf(TensorId id, const std::byte *place) const;
};

} // namespace graphloom
