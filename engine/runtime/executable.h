// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/compiled_kernels.h"
#include "engine/ir/data_value.h"
#include "engine/runtime/execution_plan.h"
#include "engine/runtime/team.h"
#include "engine/runtime/trace_slice.h"

#include <functional>
#include <memory>
#include <stop_token>

namespace graphloom {

struct ExecutableOptions : KernelChoices {
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    unsigned threads = 1;
    Team::Pinning pinning = Team::Pinning::Free;
    double compileSeconds = 120;         // CompileOptions::seconds
    unsigned compilers = 1;              // that run at once
    std::vector<std::string> flags = {}; // for the compiler, after kernelFlags()
    /// Gives every tensor its own memory, so that tools that detect accesses out of allocated
    /// bounds find them.
    bool separateTensors = false;
    std::stop_token stop = {};
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Tries kernels that have never run here in a child process first
    /// (engine/runtime/trial/kernel_rehearsal.h); blocks whose kernels crash or hang are
    /// interpreted.
    bool rehearse = false;
};

/// Holds a graph as kernels in one arena, ready to run on this machine. Blocks for which no kernel
/// can be generated are interpreted, and give the reason.
class Executable {
public:
    using Step = ExecutionStep;

    /// Builds an executable. `blocks` hold every node of the graph once, in a topological order.
    /// Blocks whose kernels do not compile, or fail their trial, are interpreted, too. Fails
    /// (Missing) if there is no compiler, or none for kernels that copy the inputs, and (Fault)
    /// when stopped.
    static Result<std::shared_ptr<Executable>> build(const Graph &graph, const Opsets &opsets,
                                                     const std::vector<std::vector<NodeId>> &blocks,
                                                     const ExecutableOptions &options);
    ~Executable();

    const IndexedVector<StepIndex, Step> &steps() const;
    const BlockKernels &kernels() const;
    std::int64_t arenaBytes() const;
    /// Returns the lower bound of the arena's size (ArenaLayout).
    std::int64_t leastArenaBytes() const;
    std::int64_t constantBytes() const;
    /// Returns the bytes of the graph's inputs and outputs, which are outside the arena.
    std::int64_t borderBytes() const;
    unsigned threads() const;

    /// Returns the values of the graph's outputs. Fails (Usage) if the inputs are not what the
    /// graph declares, (Model) if an index that depends on data leaves its tensor. Not from several
    /// threads at a time.
    Result<std::vector<TensorData>> run(const std::vector<TensorData> &inputs);

    /// Does the same in steps, for measuring: setInputs() copies the inputs in, then runOnce() runs
    /// as often as wanted, without allocation if nothing is interpreted.
    Result<void> setInputs(const std::vector<TensorData> &inputs);
    Result<void> runOnce();
    Result<std::vector<TensorData>> outputs() const;
    /// Runs once and returns the seconds of each step.
    Result<std::vector<double>> timeSteps();
    /// Traces one run, step by step and thread by thread, in the order of the steps.
    Result<std::vector<TraceSlice>> trace();

private:
    friend class ExecutableBuilder;
    /// Builds without the kernels of the parts in `failed`, which gives the reasons.
    static Result<std::shared_ptr<Executable>>
    buildWithout(const RefusedParts &failed, const Graph &graph, const Opsets &opsets,
                 const std::vector<std::vector<NodeId>> &blocks, const ExecutableOptions &options);
    struct Content;
    explicit Executable(std::unique_ptr<Content> content);
    std::unique_ptr<Content> m;
};

} // namespace graphloom
