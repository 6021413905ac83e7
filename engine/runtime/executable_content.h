// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory/arena.h"
#include "engine/runtime/aligned_bytes.h"
#include "engine/runtime/executable.h"
#include "engine/runtime/node_graph.h"

#include <chrono>
#include <map>

namespace graphloom {

/// Holds the parts of an executable, for the classes that build and run it.
struct Executable::Content {
    struct Run {
        KernelFunction function = nullptr;
        std::vector<void *> buffers;
        std::int64_t tasks = 0;
        struct Fill {
            float *first;
            std::int64_t count;
            float value;
        };
        std::vector<Fill> fills; // margins of the tensors that it writes
        void fillMargins() const
        {
            for (const Fill &fill : fills)
                std::fill_n(fill.first, fill.count, fill.value);
        }
        std::vector<NodeGraph> interpreted;
        std::vector<TensorId> released; // values that are not read afterwards
    };
    /// Describes consecutive steps that do not depend on each other: their tasks are distributed
    /// together.
    struct Wave {
        StepIndex first;
        int count = 1;

        IndexRange<StepIndex> steps() const { return {first, first + count}; }
    };
    /// Counts the waves in the order in which they run.
    using WaveIndex = TypedIndex<struct WaveTag>;
    struct Place {
        std::byte *data = nullptr;
        const Storage *storage = nullptr;
    };

    explicit Content(const ExecutableOptions &options)
        : team(options.threads, options.pinning), statuses(std::max(options.threads, 1U))
    {
    }

    Graph graph;
    Opsets opsets;
    IndexedVector<StepIndex, Step> steps;
    IndexedVector<StepIndex, Run> runs;
    IndexedVector<WaveIndex, Wave> waves;
    BlockKernels kernels;
    PlanStorages storages;
    ArenaLayout layout;
    BytePool memory; // of everything but `separate`, so that small plans are in few pages, too
    std::byte *arena = nullptr;
    std::byte *scratch = nullptr;  // of all threads
    std::int64_t scratchBytes = 0; // of one thread
    std::vector<AlignedBytes> separate;
    std::int64_t constantBytes = 0, borderBytes = 0;
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
    std::map<TensorId, Place> places;             // of tensors that kernels touch
    std::map<TensorId, Place> borderPlaces;       // of the graph's inputs and outputs, row-major
    std::vector<std::optional<DataValue>> values; // of the other tensors, by id

    std::byte *addConstant(std::int64_t bytes)
    {
        constantBytes += bytes;
        return memory.take(bytes);
    }
    Result<void> run(Run &run, Team::Session &session);
    void runTogether(const Wave &wave, Team::Session &session);
    /// Checks the statuses of the steps. Fails (Model) if a step reported an index that leaves its
    /// tensor.
    Result<void> checkStatuses(const Wave &wave);
    Result<void> interpretStep(Run &run);
    TensorData dataOf(TensorId id, const Place &place) const;
};

} // namespace graphloom
