// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/cost/device.h"
#include "engine/plan/plan.h"
#include "engine/runtime/trace_slice.h"
#include "engine/target/kernel_code.h"

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

/// Describes something that a target needs, such as a compiler or a device.
struct Finding {
    std::string what;
    bool found = false;
    std::string detail; // its version; or what is missing and how to get it
};

/// Holds a text that a target generates; `name` is relative to the folder that it is written to.
struct SourceFile {
    std::string name, content;
    std::optional<std::uint32_t> block = {}; // index in kernelBlocksOf() of its block, if any
};

/// Holds a message that a target reports while it works, in addition to its results.
struct TargetMessage {
    enum class Kind {
        DamagedKernel,  // a cached kernel was damaged, and was compiled again
        NoKernelFolder, // compiled kernels cannot be cached in their folder
        TunedByModel,   // times of kernels are modelled, as tools that tell more are missing
    };
    Kind kind = Kind::DamagedKernel;
    std::string text;
};

/// The most threads that a plan is built for. Machines have up to some hundred; each thread needs a
/// stack and an arena of its own.
inline constexpr unsigned mostThreads = 1024;

struct BuildOptions {
    std::string device;          // one of the target's devices(); "": the first
    unsigned threads = 0;        // of one run; 0: one per core of the device
    bool pinned = false;         // each thread on its own core, if allowed
    std::filesystem::path cache; // where compiled kernels are cached; empty: the user's folder
    std::stop_token stop;
    /// Receives the fraction done in 0..1 and a text of what is being done.
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Receives messages, from any thread; so does every `tell` below.
    std::function<void(const TargetMessage &)> tell = [](const TargetMessage &) {};
};

struct PackageOptions : BuildOptions {
    std::string model;      // the name of the model in the package
    std::uint64_t seed = 0; // of the inputs of the package's test
    /// Writes a package even if blocks have no kernel: the program that uses it defines these.
    bool partial = false;
};

/// Tells what a package consists of.
struct PackageFacts {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> missing = {}; // blocks without kernel, and the reasons
};

/// Describes one step of a built plan; steps run one after the other. A step is one loop nest of a
/// block's kernel, a few nests that run together, or a block that is interpreted.
struct PlanStep {
    std::optional<std::uint32_t> block; // of kernelBlocksOf(); empty: copies an input
    std::uint32_t nest = 0;             // the first nest, within the block
    std::string symbol;                 // of its function; empty when interpreted
    std::string reason;                 // why it is interpreted
    bool failed = false;  // there is a kernel, but it does not compile or failed its trial
    std::string text;     // what it computes
    std::string schedule; // as text (engine/codegen/schedule/schedule.h), with " | " between nests
    double flops = 0;     // scalar operations of one run; 0 when interpreted
    double bytes = 0;     // of the tensors that it reads and writes, each once
};

/// Holds the bytes that a built plan takes; `constants` are weights, including packed ones.
struct PlanMemory {
    std::int64_t arena = 0;  // intermediate results
    std::int64_t peak = 0;   // live at the same time: no arena can be smaller
    std::int64_t border = 0; // inputs and outputs of the graph
    std::int64_t constants = 0;
};

/// A `BuiltPlan` is ready to run on a device. Not from several threads at a time.
class BuiltPlan {
public:
    virtual ~BuiltPlan() = default;
    virtual const std::vector<PlanStep> &steps() const = 0;
    virtual PlanMemory memory() const = 0;
    virtual unsigned threads() const = 0;
    virtual std::string toolchain() const = 0; // what compiled it, with its version
    /// Returns the instruction set of its kernels: "AVX2"; empty if the device offers no choice.
    virtual std::string instructionSet() const { return {}; }
    /// Returns the provenance of its run times.
    virtual Provenance provenance() const = 0;

    /// Sets the inputs. Fails (Usage) if they are not what the graph declares.
    virtual Result<void> setInputs(const std::vector<TensorData> &inputs) = 0;
    /// Runs once. Fails (Model) if an index that depends on data leaves its tensor.
    virtual Result<void> runOnce() = 0;
    virtual Result<std::vector<TensorData>> outputs() const = 0;
    /// Runs once and returns the seconds of each step.
    virtual Result<std::vector<double>> timeSteps() = 0;
    virtual Result<std::vector<TraceSlice>> trace() = 0;
};

class ProfileDatabase;

/// Describes a way to compute that a tuner tried.
struct TuningTrial {
    KernelPlace place; // what was measured, in the plan that tuning began with
    /// The schedule as text; for a whole kernel, the way its block computes
    /// (engine/codegen/algorithms/block_algorithm.h).
    std::string schedule;
    double milliseconds = 0; // least time of one call
    std::string problem;     // why there is no time
    bool byDefault = false;  // it is the kernel's form without tuning
    int uses = 1;            // equal kernels of the plan, including this one
    Provenance provenance = Provenance::Host;
};

struct TuneOptions {
    std::string device; // as in BuildOptions, like the next two
    unsigned threads = 0;
    std::filesystem::path cache;
    double seconds = 0;      // for everything together; 0: only use the database
    std::int64_t trials = 0; // at most, all kernels together; 0: as many as there is time for
    /// Times are those of the plan's device by the analytic model: nothing is compiled or run, and
    /// the database is neither read nor written. With the same `trials`, results are the same.
    bool modelled = false;
    std::stop_token stop;
    /// Returns seconds since an arbitrary moment; stands still while `tried` holds the run.
    std::function<double()> clock = steadySeconds;
    /// The database that keeps trials; known ones are not tried again. Null: there is none.
    std::shared_ptr<ProfileDatabase> database;
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    std::function<void(const TuningTrial &)> tried = [](const TuningTrial &) {};
    /// Called once, before the first trial: kernels by default have been generated and compiled.
    std::function<void()> prepared = [] {};
    std::function<void(const TargetMessage &)> tell = [](const TargetMessage &) {};
};

struct MeasureOptions {
    int runs = 50;  // timed runs; at least 1
    int warmup = 5; // runs before these
    /// No further run begins after this time; applies separately to the warm-up, to the timed runs,
    /// and to each plan's steps.
    double seconds = std::numeric_limits<double>::infinity();
    std::stop_token stop = {};
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
};

/// Holds the milliseconds of repeated runs.
struct Times {
    double min = 0, median = 0, p95 = 0;
    double noise = 0; // interquartile range, relative to the median
};
/// Computes times from measured values, of which there must be at least one.
Times timesOf(std::vector<double> milliseconds);

/// Counts what a step does in one run, on a device or under an emulator. 0 where it was not
/// counted.
struct StepCounts {
    double instructions = 0;
    double firstMisses = 0, lastMisses = 0; // of the caches that a unit has of its own
    double cycles = 0;                      // of the pipelines, if no access misses a cache
    int spills = 0; // instructions in loops that move vectors to or from the stack
    /// Cycles and operations of the loop that multiplies and adds most whole vectors: the register
    /// tile, without what is done before and after it. Sessions do not keep them.
    double tileCycles = 0, tileFlops = 0;
    bool operator==(const StepCounts &) const = default;
};

struct Measurement {
    Times whole;
    std::vector<Times> steps; // as BuiltPlan::steps(); timed in runs of their own
    int runs = 0;             // timed runs: fewer than requested if stopped or out of time
    Provenance provenance = Provenance::Host;
    /// Times are bounds of what a device would take: the least is the lower one, the 95th
    /// percentile the upper one, the median the middle between them.
    bool isBracket = false;
    std::vector<StepCounts> counts = {}; // of each step; empty: nothing was counted
    /// The state of the device after the runs: the clock of the fastest unit that ran them, and
    /// the temperature of its hottest zone. 0 where it does not tell. Sessions do not keep it.
    double megahertz = 0, celsius = 0;
    /// The energy of one run, and what it is of, as EnergyMeter::source() says; 0: the device does
    /// not tell. Sessions do not keep it either.
    double joules = 0;
    std::string energyOf = {};
};

/// Runs the plans in turns, so that disturbances of the machine affect all of them. A target whose
/// device runs in this process implements measure() with it. The plans' inputs have been set.
Result<std::vector<Measurement>> measureInTurns(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                                const MeasureOptions &options);

/// A `Target` builds plans for its devices and runs them. It works with what is installed and
/// reports clearly what is missing. It has no state of its own and may be called from several
/// threads.
class Target {
public:
    virtual ~Target() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view help() const = 0; // one paragraph
    /// Tells whether its first device is the machine that the program runs on.
    virtual bool isThisMachine() const { return false; }
    /// Returns the devices, at least one; the first is used if none is named.
    virtual std::vector<std::string> devices() const = 0;
    /// Tells whether there is a device of this name: one of devices(), or one of them with a
    /// connection, "kirin990@ssh:board", if the target has these.
    virtual bool hasDevice(const std::string &device) const;
    /// Tells whether devices can be reached by a connection, "kirin990@ssh:board", and how far such
    /// a connection works: its steps in the order in which they are needed, up to the first one
    /// that fails.
    virtual bool hasConnections() const { return false; }
    virtual std::vector<Finding> checkConnection(const std::string &, std::stop_token) const
    {
        return {};
    }
    /// Tells whether times of plans on the device are measured; those under an emulator are not.
    virtual bool measures(const std::string &) const { return true; }
    /// Describes a device. Fails (Usage) for an unknown device, (Missing) if figures must be
    /// measured and cannot be.
    virtual Result<Device> describe(const std::string &device, std::stop_token stop) const = 0;
    virtual std::vector<Finding> probe() const = 0;
    /// Returns Device::fingerprint of a device, as far as it is known.
    virtual std::string fingerprint(const std::string &device) const = 0;
    /// Checks whether this machine can run what is built for a device, so that the answer is known
    /// before much work is done for it. Fails as build() would for the device alone.
    virtual Result<void> checkDevice(const std::string &) const { return {}; }
    /// Returns the plan's kernels as text, for people to read. Needs no toolchain.
    virtual Result<std::vector<SourceFile>> generate(const Plan &plan,
                                                     const BuildOptions &options) const = 0;
    /// Compiles, with the options of build(), the function of a kernel in files that generate()
    /// returned, and returns its machine code. Fails (Usage) if the kernels of this target are not
    /// machine code that can be read, otherwise as build() does.
    virtual Result<KernelCode> compiledCode(std::span<const SourceFile> files,
                                            const std::string &symbol,
                                            const BuildOptions &options) const;
    /// Writes the plan as a package that builds and runs without this program
    /// (engine/package/package.h). Needs no toolchain. Fails as writePackage() does, and (Usage) if
    /// the target has no packages.
    virtual Result<PackageFacts> package(const Plan &plan, const PackageOptions &options,
                                         const std::filesystem::path &folder) const;
    /// Finds algorithms and schedules for the plan's kernels by measured trials, and other blocks
    /// if the plan allows it (BlockTuning::reforms); returns the plan with these, the best so
    /// far when stopped. Fails as build() does.
    virtual Result<Plan> tune(const Plan &plan, const TuneOptions &options) const = 0;
    /// Builds a plan for a device. Fails (Missing), telling what must be installed or what this
    /// machine cannot execute, (Usage) for an unknown device, (Fault) when stopped.
    virtual Result<std::shared_ptr<BuiltPlan>> build(const Plan &plan,
                                                     const BuildOptions &options) const = 0;
    /// Transfers a built plan to its device; does nothing if it is already there.
    virtual Result<void> deploy(BuiltPlan &, std::stop_token) const { return {}; }
    /// Measures plans that were built by this target and deployed, in turns. Their inputs have been
    /// set.
    virtual Result<std::vector<Measurement>>
    measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
            const MeasureOptions &options) const = 0;
};

/// The ABI number of target plugins that this program loads.
inline constexpr std::uint32_t targetAbiVersion = 14;
/// Holds what a plugin's `extern "C" const graphloom::TargetEntry *graphloom_target()` returns.
struct TargetEntry {
    std::uint32_t abi; // must be first and equal targetAbiVersion: the rest may differ otherwise
    std::unique_ptr<Target> (*make)();
};

} // namespace graphloom
