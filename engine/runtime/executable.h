// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/compiled_kernels.h"
#include "engine/ir/data_value.h"
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
    std::vector<std::string> flags = {}; // for the compiler, behind kernelFlags()
    /// Every tensor in memory of its own, so that tools that look for accesses outside of what was
    /// allocated find them.
    bool separateTensors = false;
    std::stop_token stop = {};
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Try kernels that never ran here in a child process first
    /// (engine/runtime/trial/kernel_rehearsal.h); blocks whose kernels crash or hang are
    /// interpreted.
    bool rehearse = false;
};

/// A graph as kernels in one arena, ready to run on this machine. Blocks that no kernel can be
/// generated for are interpreted, and say why.
class Executable {
public:
    /// One phase of a kernel, or an interpreted block.
    struct Step {
        std::uint32_t block = 0;           // of kernels()
        std::optional<std::uint32_t> part; // of the blocks given; none: copies an input
        std::uint32_t phase = 0;
        std::string symbol;  // of the kernel; empty when interpreted
        std::string reason;  // why it is interpreted
        bool failed = false; // though there is a kernel, which does not compile or failed its trial
        std::string text;    // what it computes
        std::string schedule; // as text
    };

    /// `blocks` hold every node of the graph once, in a topological order. Blocks whose
    /// kernels do not compile, or fail when they are tried, are interpreted, too. Fails when there
    /// is no compiler, or none for what has to be copied to begin with (Missing), or when stopped
    /// (Fault).
    static Result<std::shared_ptr<Executable>> build(const Graph &graph, const Opsets &opsets,
                                                     const std::vector<std::vector<NodeId>> &blocks,
                                                     const ExecutableOptions &options);
    ~Executable();

    const std::vector<Step> &steps() const;
    const std::vector<std::optional<BlockKernel>> &kernels() const; // by block
    std::int64_t arenaBytes() const;
    /// What no arena can be below (ArenaLayout).
    std::int64_t leastArenaBytes() const;
    std::int64_t constantBytes() const;
    /// Of the graph's inputs and outputs, which are beside the arena.
    std::int64_t borderBytes() const;
    unsigned threads() const;

    /// Values of the graph's outputs. Fails (Usage) where the inputs are not what the graph
    /// declares, (Model) when an index that depends on data leaves its tensor. Not from several
    /// threads at a time.
    Result<std::vector<TensorData>> run(const std::vector<TensorData> &inputs);

    /// The same in two steps, for measuring: the inputs are copied in, and run() as often as wanted
    /// without allocation where nothing is interpreted.
    Result<void> setInputs(const std::vector<TensorData> &inputs);
    Result<void> runOnce();
    Result<std::vector<TensorData>> outputs() const;
    /// Seconds of each step in one run.
    Result<std::vector<double>> timeSteps();
    /// One run, step by step and thread by thread, in the order of the steps.
    Result<std::vector<TraceSlice>> trace();

private:
    friend class ExecutableBuilder;
    /// Without the kernels of the parts that failed before, which is why they do.
    static Result<std::shared_ptr<Executable>>
    buildWithout(const RefusedBlocks &failed, const Graph &graph, const Opsets &opsets,
                 const std::vector<std::vector<NodeId>> &blocks, const ExecutableOptions &options);
    struct Content;
    explicit Executable(std::unique_ptr<Content> content);
    std::unique_ptr<Content> m;
};

} // namespace graphloom
