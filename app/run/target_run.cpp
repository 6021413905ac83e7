// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/target_run.h"

#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"
#include "engine/system/atomic_file.h"

#include <algorithm>
#include <chrono>

namespace graphloom {

namespace {

/// Time limit of a budget of trials: one week.
constexpr double longest = 7 * 24 * 3600;

/// Fills constant-valued weights with pseudorandom elements. Returns the number of these weights.
Result<std::size_t> fillWeights(Plan &plan, std::uint64_t seed)
{
    std::vector<Runnable> one = {{"the plan", plan.graph, opsetsOf(*plan.model)}};
    auto filled = fillSplatWeights(one, {.seed = seed, .scaled = true});
    if (filled)
        plan.graph = std::move(one.front().graph);
    return filled;
}

/// Fails if no kernel of the plan can be used, as the interpreter would be measured.
Result<void> checkMeasurable(const std::vector<PlanStep> &steps, std::string where = {})
{
    const auto failed = failedKernels(steps);
    if (!failed || !std::ranges::all_of(steps, &std::string::empty, &PlanStep::symbol))
        return {};
    return fail(Error::Kind::Missing, "nothing was measured: " + *failed, std::move(where));
}

/// Runs a plan once more and returns what its threads did.
Result<std::vector<TraceSlice>> traceOf(BuiltPlan &plan)
{
    // Warm up: earlier runs have left other data in the caches.
    GL_TRY(plan.runOnce());
    return plan.trace();
}

} // namespace

Plan unfusedPlan(const Plan &plan)
{
    Plan unfused;
    unfused.model = plan.model;
    unfused.original = unfused.graph = plan.original;
    return unfused;
}

std::optional<std::string> failedKernels(const std::vector<PlanStep> &steps)
{
    const auto first = std::ranges::find_if(steps, &PlanStep::failed);
    if (first == steps.end())
        return std::nullopt;
    const auto failed = std::ranges::count_if(steps, &PlanStep::failed);
    return std::to_string(failed) + (failed == 1 ? " block is" : " blocks are") +
           " interpreted because kernels do not compile or failed in a trial: " + first->text +
           ": " + first->reason;
}

TuneOptions tuneOptionsOf(const std::optional<Budget> &budget)
{
    TuneOptions options;
    if (budget && budget->unit == Budget::Unit::Seconds) {
        options.seconds = budget->amount;
    } else if (budget) {
        options.trials = std::int64_t(budget->amount);
        options.seconds = longest;
    }
    return options;
}

void TargetRun::fill(BuildOptions &options, std::stop_token stop) const
{
    options.device = m_target.device;
    options.threads = m_options.threads;
    options.stop = std::move(stop);
    options.progress = m_progress;
}

Result<std::vector<SourceFile>> TargetRun::kernelTexts(const Plan &plan) const
{
    BuildOptions options;
    fill(options, m_stops.work);
    return m_target.target->generate(plan, options);
}

Result<StagedPackage> TargetRun::package(const Plan &plan, const std::string &model, bool partial,
                                         const std::filesystem::path &folder) const
{
    PackageOptions options;
    fill(options, m_stops.work);
    options.model = model;
    options.partial = partial;
    options.seed = m_options.seed;
    return StagedPackage::make(*m_target.target, plan, options, folder);
}

Result<void> TargetRun::placeKernels(const std::vector<SourceFile> &files,
                                     const std::filesystem::path &folder)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return fail(Error::Kind::Missing, "cannot create the folder: " + failed.message(),
                    "--emit-kernels " + folder.string());
    for (const SourceFile &file : files)
        GL_TRY(writeFileAtomically(folder / file.name, file.content));
    return {};
}

Result<std::shared_ptr<BuiltPlan>> TargetRun::built(const Plan &plan, std::stop_token stop) const
{
    BuildOptions options;
    fill(options, std::move(stop));
    options.pinned = m_options.pinned;
    options.tell = listener();
    GL_TRY_RESULT(built, m_target.target->build(plan, options));
    GL_TRY(m_target.target->deploy(**built, options.stop));
    return built;
}

Result<void> TargetRun::tune(Plan &plan, TuneOptions options)
{
    options.device = m_target.device;
    options.threads = m_options.threads;
    options.stop = m_stops.work;
    options.progress = m_progress;
    options.tell = listener();
    const double start = steadySeconds();
    double prepared = start;
    options.prepared = [&prepared, told = std::move(options.prepared)] {
        prepared = steadySeconds();
        told();
    };
    GL_TRY_RESULT(tuned, m_target.target->tune(plan, options));
    m_outcome.tuningSetupSeconds = prepared - start;
    m_outcome.tuningSeconds = steadySeconds() - start;
    plan = *std::move(tuned);
    return {};
}

Result<void> TargetRun::build(const Plan &plan)
{
    Plan filled = plan;
    GL_TRY_CONST(count, fillWeights(filled, m_options.seed));
    const auto start = std::chrono::steady_clock::now();
    GL_TRY_RESULT(made, built(filled, m_stops.work));
    m_outcome.buildSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    m_plan = *std::move(made);
    m_outcome.target = m_target.target->name();
    m_outcome.device = m_target.device;
    m_outcome.toolchain = m_plan->toolchain();
    m_outcome.instructionSet = m_plan->instructionSet();
    m_outcome.steps = m_plan->steps();
    m_outcome.threads = m_plan->threads();
    m_outcome.provenance = m_plan->provenance();
    m_outcome.memory = m_plan->memory();
    m_outcome.filledWeights = *count;
    GL_TRY_CONST(inputs, randomInputs(plan.graph, m_options.seed));
    return m_plan->setInputs(*inputs);
}

std::function<void(const TargetMessage &)> TargetRun::listener() const
{
    return [messages = m_messages](const TargetMessage &message) {
        const std::lock_guard lock(messages->mutex);
        messages->waiting.push_back(message);
    };
}

std::vector<TargetMessage> TargetRun::takeMessages()
{
    const std::lock_guard lock(m_messages->mutex);
    return std::exchange(m_messages->waiting, {});
}

Result<std::vector<Measurement>> TargetRun::timed(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                                  MeasureOptions options) const
{
    options.stop = m_stops.work;
    options.progress = m_progress;
    return m_target.target->measure(plans, options);
}

Result<void> TargetRun::measureAlone(MeasureOptions options)
{
    GL_TRY(checkMeasurable(m_outcome.steps));
    GL_TRY_RESULT(measured, timed(std::span(&m_plan, 1), std::move(options)));
    m_outcome.after = std::move(measured->front());
    GL_TRY_RESULT(trace, optionalTrace(*m_plan));
    m_outcome.trace = *std::move(trace);
    return {};
}

Result<void> TargetRun::measure(const Plan &plan, MeasureOptions options)
{
    GL_TRY(checkMeasurable(m_outcome.steps, "--measure"));
    m_outcome.besideOriginal = true;
    return measureBeside(unfusedPlan(plan), std::move(options));
}

Result<void> TargetRun::measureBeside(Plan before, MeasureOptions options)
{
    GL_TRY(checkMeasurable(m_outcome.steps));
    GL_TRY(fillWeights(before, m_options.seed));
    GL_TRY_CONST(other, built(before, m_stops.work));
    if (auto measurable = checkMeasurable((*other)->steps());
        !measurable && !failedKernels(m_outcome.steps))
        return measurable;
    GL_TRY_CONST(inputs, randomInputs(before.graph, m_options.seed));
    GL_TRY((*other)->setInputs(*inputs));
    const std::array plans = {*other, m_plan};
    GL_TRY_RESULT(measured, timed(plans, std::move(options)));
    m_outcome.stepsBefore = (*other)->steps();
    m_outcome.memoryBefore = (*other)->memory();
    m_outcome.before = std::move((*measured)[0]);
    m_outcome.after = std::move((*measured)[1]);
    GL_TRY_RESULT(traceBefore, optionalTrace(**other));
    GL_TRY_RESULT(trace, optionalTrace(*m_plan));
    m_outcome.traceBefore = *std::move(traceBefore);
    m_outcome.trace = *std::move(trace);
    return {};
}

Result<std::vector<TraceSlice>> TargetRun::optionalTrace(BuiltPlan &plan) const
{
    if (!m_options.traced || m_stops.work.stop_requested())
        return std::vector<TraceSlice>();
    return traceOf(plan);
}

Result<std::string> TargetRun::trace(const std::string &title) const
{
    GL_TRY_CONST(slices, traceOf(*m_plan));
    return traceJson({{title, m_plan->steps(), *slices}});
}

decltype(Runnable::run) TargetRun::runner(const Plan &plan) const
{
    return [this, plan](const Graph &graph,
                        const std::vector<DataValue> &inputs) -> Result<std::vector<DataValue>> {
        std::vector<TensorData> tensors;
        for (const DataValue &input : inputs) {
            if (!input.tensor())
                return fail(Error::Kind::Model,
                            "kernels require tensors, not a " + std::string(nameOf(input.kind())));
            tensors.push_back(*input.tensor());
        }
        Plan other = plan;
        other.graph = graph;
        GL_TRY_CONST(made, built(other, m_stops.everything));
        GL_TRY((*made)->setInputs(tensors));
        GL_TRY((*made)->runOnce());
        GL_TRY_RESULT(outputs, (*made)->outputs());
        return std::vector<DataValue>(std::make_move_iterator(outputs->begin()),
                                      std::make_move_iterator(outputs->end()));
    };
}

std::string TargetRun::tunedParts(const Plan &before, const Plan &tuned)
{
    const KernelPlan &kernels = *tuned.kernels;
    const std::size_t blocksBefore = kernelBlocksOf(before).size();
    std::int64_t chosen = 0, nests = 0;
    for (const auto &block : kernels.blocks)
        for (const NestKernel &nest : block) {
            chosen += !nest.schedule.empty();
            ++nests;
        }
    const auto algorithms = std::int64_t(kernels.algorithms.size()) -
                            std::ranges::count_if(kernels.algorithms, &std::string::empty);
    return (kernels.blocks.size() == blocksBefore
                ? std::string()
                : std::to_string(kernels.blocks.size()) + " blocks instead of " +
                      std::to_string(blocksBefore) + ", ") +
           std::to_string(chosen) + " of " + std::to_string(nests) +
           " loop nests have a non-default schedule" +
           (algorithms == 0
                ? std::string()
                : ", " + std::to_string(algorithms) + " blocks a non-default algorithm");
}

} // namespace graphloom
