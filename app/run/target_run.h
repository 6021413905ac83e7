// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run/budget.h"
#include "engine/interpreter/fill_weights.h"
#include "engine/package/staged_package.h"
#include "engine/target/target_plugins.h"
#include "engine/target/target_report.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Returns the limits that a --budget sets. Without one no trials are made, and only what the
/// database knows is used.
TuneOptions tuneOptionsOf(const std::optional<Budget> &budget);

/// Returns the reference for measurements of a plan: the original graph, each node a kernel of its
/// own.
Plan unfusedPlan(const Plan &plan);

/// Returns why some of the steps are interpreted although there are kernels for them, or nothing
/// when no kernel failed.
std::optional<std::string> failedKernels(const std::vector<PlanStep> &steps);

/// Builds, tunes and measures a plan on a target. It implements --target, --measure,
/// --emit-kernels,
/// --emit-package and --trace, and what the window does with kernels.
class TargetRun {
public:
    struct Options {
        unsigned threads = 0;   // 0: one per core
        std::uint64_t seed = 0; // for inputs, and for weights that are all alike
        bool pinned = false;    // threads stay on their cores, as when measuring
        bool traced = false;    // measuring ends with a traced run of each plan
    };
    using Report = std::function<void(double, std::string_view)>;
    /// Stop tokens. `work` ends tuning, building and measuring, which then gives the runs so far;
    /// `everything` ends runner(), too.
    struct Stops {
        std::stop_token work, everything;
    };
    TargetRun(ChosenTarget target, const Options &options, Stops stops, Report progress)
        : m_target(std::move(target)), m_options(options), m_stops(std::move(stops)),
          m_progress(std::move(progress))
    {
    }

    /// Returns the source code of the kernels.
    Result<std::vector<SourceFile>> kernelTexts(const Plan &plan) const;
    /// Writes the source files to a folder, which is created if needed. Each file is written
    /// completely or not at all.
    static Result<void> placeKernels(const std::vector<SourceFile> &files,
                                     const std::filesystem::path &folder);
    /// Writes the plan as a package next to `folder`, which gets it when it is placed; with blocks
    /// without kernel only if it may be `partial`.
    Result<StagedPackage> package(const Plan &plan, const std::string &model, bool partial,
                                  const std::filesystem::path &folder) const;
    /// Replaces the plan by the tuned one (Target::tune()), found within the limits of the options,
    /// whose database receives the trials. Device, threads, stop token and progress are those of
    /// this run.
    Result<void> tune(Plan &plan, TuneOptions options);
    /// Builds the plan. Weights that are all alike get pseudo-random elements first
    /// (TargetOutcome), since no kernel should be measured on zeros and infinities.
    Result<void> build(const Plan &plan);
    /// Measures the built plan, in alternation with the unfused plan of the original graph. Stop
    /// token and progress are those of this run, here and below. Fails (Missing) when no kernel of
    /// either plan can be used: times of the interpreter would tell nothing about the target.
    Result<void> measure(const Plan &plan, MeasureOptions options);
    /// Measures the built plan in the same way, in alternation with another plan.
    Result<void> measureBeside(Plan before, MeasureOptions options);
    /// Measures the built plan alone.
    Result<void> measureAlone(MeasureOptions options);
    /// Runs the plan once more and returns a trace of it (traceJson()).
    Result<std::string> trace(const std::string &title) const;
    /// Returns a function that runs graphs that equal the plan's except for their weights.
    decltype(Runnable::run) runner(const Plan &plan) const;

    /// Returns the messages of the target that have not been taken yet, and removes them.
    std::vector<TargetMessage> takeMessages();

    const TargetOutcome &outcome() const { return m_outcome; }
    /// Returns what tuning has changed: "48 blocks instead of 53, 3 of 12 loop nests have a
    /// non-default schedule".
    static std::string tunedParts(const Plan &before, const Plan &tuned);

private:
    /// Sets what is the same for texts, packages and built plans.
    void fill(BuildOptions &options, std::stop_token stop) const;
    Result<std::shared_ptr<BuiltPlan>> built(const Plan &plan, std::stop_token stop) const;
    /// Returns a trace of a run of a built plan; nothing if the options ask for none, or if
    /// stopped.
    Result<std::vector<TraceSlice>> optionalTrace(BuiltPlan &plan) const;
    std::function<void(const TargetMessage &)> listener() const;
    Result<std::vector<Measurement>> timed(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                           MeasureOptions options) const;

    ChosenTarget m_target;
    Options m_options;
    Stops m_stops;
    Report m_progress;
    std::shared_ptr<BuiltPlan> m_plan;
    TargetOutcome m_outcome;
    struct Messages {
        std::mutex mutex;
        std::vector<TargetMessage> waiting;
    };
    std::shared_ptr<Messages> m_messages = std::make_shared<Messages>();
};

} // namespace graphloom
