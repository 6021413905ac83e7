// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/cost/device.h"
#include "engine/plan/plan.h"
#include "engine/runtime/trace_slice.h"

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Something that a target needs, such as a compiler or a device.
struct Finding {
    std::string what;
    bool found = false;
    std::string detail; // its version; or what is missing and how to get it
};

/// A text that a target generates; `name` is relative to the folder it is written to.
struct SourceFile {
    std::string name, content;
    std::optional<std::uint32_t> block = {}; // of kernelBlocksOf() that it is the kernel of, if any
};

/// What a target tells of while it works, beside its results.
struct TargetMessage {
    enum class Kind {
        DamagedKernel,  // a compiled kernel that was kept was damaged, and was made anew
        NoKernelFolder, // compiled kernels cannot be kept where they should be
    };
    Kind kind = Kind::DamagedKernel;
    std::string text;
};

struct BuildOptions {
    std::string device;          // one of the target's devices(); "": the first
    unsigned threads = 0;        // of one run; 0: one per core of the device
    bool pinned = false;         // each thread on a core of its own where that is allowed
    std::filesystem::path cache; // where compiled kernels are kept; empty: the user's folder
    std::stop_token stop;
    /// Fraction done in 0..1 and what is being done.
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// From any thread, here and below.
    std::function<void(const TargetMessage &)> tell = [](const TargetMessage &) {};
};

/// What a built plan does one after the other: one loop nest of a block's kernel, or a few that run
/// together, or a block that is interpreted.
struct PlanStep {
    std::optional<std::uint32_t> block; // of kernelBlocksOf(); none: copies an input of the graph
    std::uint32_t nest = 0;             // the first one, of the block
    std::string symbol;                 // of its function; empty when interpreted
    std::string reason;                 // why it is interpreted
    bool failed = false;  // there is a kernel, but it does not compile or failed when it was tried
    std::string text;     // what it computes
    std::string schedule; // as text (engine/codegen/schedule/schedule.h), with " | " between nests
    double flops = 0;     // scalar operations of one run; 0 when interpreted
    double bytes = 0;     // of the tensors that it reads and writes, each once
};

/// Bytes that a built plan takes; weights are in `constants`, also those that were packed.
struct PlanMemory {
    std::int64_t arena = 0;  // intermediate results
    std::int64_t peak = 0;   // those alive at one time: no arena can be smaller
    std::int64_t border = 0; // inputs and outputs of the graph
    std::int64_t constants = 0;
};

/// A plan that is ready to run on a device. Not from several threads at a time.
class BuiltPlan {
public:
    virtual ~BuiltPlan() = default;
    virtual const std::vector<PlanStep> &steps() const = 0;
    virtual PlanMemory memory() const = 0;
    virtual unsigned threads() const = 0;
    virtual std::string toolchain() const = 0; // what compiled it, with its version
    /// That its kernels use: "AVX2"; empty: the device has no choice of them.
    virtual std::string instructionSet() const { return {}; }
    /// Of the times that its runs take.
    virtual Provenance provenance() const = 0;

    /// Fails (Usage) where the inputs are not what the graph declares.
    virtual Result<void> setInputs(const std::vector<TensorData> &inputs) = 0;
    /// Fails (Model) when an index that depends on data leaves its tensor.
    virtual Result<void> runOnce() = 0;
    virtual Result<std::vector<TensorData>> outputs() const = 0;
    /// Seconds of each step in one run.
    virtual Result<std::vector<double>> timeSteps() = 0;
    virtual Result<std::vector<TraceSlice>> trace() = 0;
};

class ProfileDatabase;

/// A way to compute that was tried, as a tuner tells of it.
struct TuningTrial {
    KernelPlace place; // what the time is of
    /// As text; of a whole kernel, how its block computes
    /// (engine/codegen/algorithms/block_algorithm.h).
    std::string schedule;
    double milliseconds = 0; // least time of one call
    std::string problem;     // why there is none
    bool byDefault = false;  // it is what the kernel has without tuning
    int uses = 1;            // kernels of the plan that are equal to it, with itself
    Provenance provenance = Provenance::Host;
};

struct TuneOptions {
    std::string device; // as in BuildOptions, and so are the next two
    unsigned threads = 0;
    std::filesystem::path cache;
    double seconds = 0;      // for all kernels together; 0: only what the database knows
    std::int64_t trials = 0; // at most, all kernels together; 0: as many as there is time for
    std::stop_token stop;
    /// Seconds from any time on; stands still while `tried` holds the run.
    std::function<double()> clock = steadySeconds;
    /// Trials are kept there, and what is known is not tried again; null: there is none.
    std::shared_ptr<ProfileDatabase> database;
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    std::function<void(const TuningTrial &)> tried = [](const TuningTrial &) {};
    /// Called once, when what comes before all tuning is done (kernels as they are by default have
    /// been generated and compiled): `seconds` are counted from then on.
    std::function<void()> begun = [] {};
    std::function<void(const TargetMessage &)> tell = [](const TargetMessage &) {};
};

struct MeasureOptions {
    int runs = 50;  // that are timed; at least 1
    int warmup = 5; // before that
    /// No further run begins after so long; of the warm-up, of the timed runs, and of each plan's
    /// steps.
    double seconds = std::numeric_limits<double>::infinity();
    std::stop_token stop = {};
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
};

/// Milliseconds of repeated runs.
struct Times {
    double min = 0, median = 0, p95 = 0;
    double noise = 0; // distance of the quartiles, relative to the median
};
/// Of measured values; at least one.
Times timesOf(std::vector<double> milliseconds);

struct Measurement {
    Times whole;
    std::vector<Times> steps; // as BuiltPlan::steps(); timed in runs of their own
    int runs = 0;             // that were timed: fewer than asked for when stopped or out of time
    Provenance provenance = Provenance::Host;
};

/// Runs the plans in turns, so that what disturbs the machine disturbs all of them: what measure()
/// of a target does whose device runs in this process. Their inputs have been set.
Result<std::vector<Measurement>> measureInTurns(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                                const MeasureOptions &options);

/// Where plans are built for and run. Works with what is installed and says plainly what is
/// missing; has no state of its own, and may be called from several threads.
class Target {
public:
    virtual ~Target() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view help() const = 0; // one paragraph
    /// Is the machine that the program runs on its first device?
    virtual bool isThisMachine() const { return false; }
    /// At least one; the first is taken when none is named.
    virtual std::vector<std::string> devices() const = 0;
    /// Fails (Usage) for a device it does not have, (Missing) where figures must be measured and
    /// cannot be.
    virtual Result<Device> describe(const std::string &device, std::stop_token stop) const = 0;
    virtual std::vector<Finding> probe() const = 0;
    /// Whether this machine can run what is built for a device, so that it is known before much has
    /// been done for it. Fails as build() would for the device alone.
    virtual Result<void> checkDevice(const std::string &) const { return {}; }
    /// The plan's kernels as text, for people to read. Needs no toolchain.
    virtual Result<std::vector<SourceFile>> generate(const Plan &plan,
                                                     const BuildOptions &options) const = 0;
    /// Algorithms and schedules for the plan's kernels, by measured trials; the best so far when
    /// stopped. Fails as build() does.
    virtual Result<std::shared_ptr<const KernelPlan>> tune(const Plan &plan,
                                                           const TuneOptions &options) const = 0;
    /// Fails (Missing) saying what must be installed or what this machine cannot execute, (Usage)
    /// for a device it does not have, (Fault) when stopped.
    virtual Result<std::shared_ptr<BuiltPlan>> build(const Plan &plan,
                                                     const BuildOptions &options) const = 0;
    /// Brings what was built to its device; nothing where it is there already.
    virtual Result<void> deploy(BuiltPlan &, std::stop_token) const { return {}; }
    /// Measures plans that were built by this target and deployed, in turns; inputs have been set.
    virtual Result<std::vector<Measurement>>
    measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
            const MeasureOptions &options) const = 0;
};

/// What `extern "C" const graphloom::TargetEntry *graphloom_target()` of a plugin returns.
inline constexpr std::uint32_t targetAbiVersion = 7;
struct TargetEntry {
    std::uint32_t abi; // must be first and equal targetAbiVersion: the rest may differ otherwise
    std::unique_ptr<Target> (*make)();
};

} // namespace graphloom
