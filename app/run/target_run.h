// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run/budget.h"
#include "engine/interpreter/fill_weights.h"
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

/// The limits of a --budget; without one nothing is tried, and what the database knows is taken.
TuneOptions tuneOptionsOf(const std::optional<Budget> &budget);

/// Why some of the steps are interpreted though there are kernels for them; none: none is.
std::optional<std::string> failedKernels(const std::vector<PlanStep> &steps);

/// Builds, tunes and measures a plan on a target: what --target, --measure, --emit-kernels and
/// --trace do, and what the window does with its kernels.
class TargetRun {
public:
    struct Options {
        unsigned threads = 0;   // 0: one per core
        std::uint64_t seed = 0; // of inputs, and of weights that are all alike
        bool pinned = false;    // threads stay on their cores, as for measuring
    };
    using Report = std::function<void(double, std::string_view)>;
    /// What ends the work: tuning, building and measuring, which then has the runs so far; and what
    /// ends runner(), too.
    struct Stops {
        std::stop_token work, everything;
    };
    TargetRun(ChosenTarget target, const Options &options, Stops stops, Report progress)
        : m_target(std::move(target)), m_options(options), m_stops(std::move(stops)),
          m_progress(std::move(progress))
    {
    }

    /// The kernels' texts.
    Result<std::vector<SourceFile>> kernelTexts(const Plan &plan) const;
    /// Writes them to a folder, which is made if need be. Each is there as a whole or not at all.
    static Result<void> placeKernels(const std::vector<SourceFile> &files,
                                     const std::filesystem::path &folder);
    /// Finds schedules for the plan's kernels within the limits of the options, whose database gets
    /// the trials; device, threads, stop and progress are those of this run.
    Result<void> tune(Plan &plan, TuneOptions options);
    /// Builds the plan. Weights that are all alike get pseudo-random elements first
    /// (TargetOutcome): no kernel shall be measured on zeros and infinities.
    Result<void> build(const Plan &plan);
    /// Measures what was built, in turns with the unfused plan of the original graph. Stop and
    /// progress are those of this run, here and below. Fails (Missing) where no kernel of either
    /// plan can be used: times of the interpreter would tell nothing of the target.
    Result<void> measure(const Plan &plan, MeasureOptions options);
    /// The same, in turns with another plan.
    Result<void> measureBeside(Plan before, MeasureOptions options);
    /// Measures what was built, alone.
    Result<void> measureAlone(MeasureOptions options);
    /// Runs once more and tells of it as a trace (traceJson()).
    Result<std::string> trace(const std::string &title) const;
    /// Runs graphs that are the plan's but for their weights.
    decltype(Runnable::run) runner(const Plan &plan) const;

    /// What the target has told of so far, and has not been taken yet.
    std::vector<TargetMessage> takeMessages();

    const TargetOutcome &outcome() const { return m_outcome; }
    /// "3 of 12 loop nests have another schedule than by default".
    static std::string tunedNests(const KernelPlan &kernels);

private:
    Result<std::shared_ptr<BuiltPlan>> built(const Plan &plan, std::stop_token stop) const;
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
