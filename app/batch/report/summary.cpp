// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/summary.h"

#include "app/run/target_run.h"

#include <array>
#include <cstdio>

namespace graphloom {

namespace {

std::string shortNumber(double value)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
}

std::string milliseconds(double value)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.4g ms", value);
    return text.data();
}

std::string secondsText(double value)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.1f s", value);
    return text.data();
}

std::string percent(double value)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.1f %%", 100 * value);
    return text.data();
}

std::string textOf(const SummaryEntry &entry)
{
    struct Printer {
        std::string operator()(std::int64_t value) const { return std::to_string(value); }
        std::string operator()(double value) const { return shortNumber(value); }
        std::string operator()(bool value) const { return value ? "yes" : "no"; }
        std::string operator()(const std::string &value) const { return value; }
    };
    return entry.key + " " + std::visit(Printer(), entry.value);
}

} // namespace

std::string summaryLine(const std::string &what, const std::string &text)
{
    constexpr std::size_t column = 10;
    return what + std::string(what.size() < column ? column - what.size() : 1, ' ') + text;
}

std::string summaryOf(const Model &model, const Plan &plan)
{
    return summaryLine(
        "model", model.path.filename().string() + ": " + std::to_string(model.graph.nodeCount()) +
                     " nodes, " + std::to_string(plan.graph.nodeCount()) +
                     " after constant folding, opset " + std::to_string(model.opset("")));
}

std::string summaryOf(const TrainingRecord &training)
{
    std::string text =
        std::to_string(training.forwardNodes) + " nodes forward, " +
        std::to_string(training.backwardNodes) + " backward, " +
        std::to_string(training.updateNodes) + " updates (" +
        std::string(nameOf(training.options.optimizer)) + "); " +
        std::to_string(training.parameters) + " parameters in " + std::to_string(training.weights) +
        " weights, " + shortNumber(double(training.savedBytes) / 0x1p20) +
        " MiB of results kept for gradients, loss " + std::string(nameOf(training.options.loss));
    if (!training.unused.empty())
        text += "; without effect on the loss: " + training.unused.front() +
                (training.unused.size() > 1
                     ? " and " + std::to_string(training.unused.size() - 1) + " more"
                     : "");
    return summaryLine("training", text);
}

std::string summaryOf(const PassRecord &record)
{
    std::string text = shortNumber(record.seconds) + " s";
    for (const SummaryEntry &entry : record.summary)
        text += ", " + textOf(entry);
    return summaryLine(record.pass, text);
}

std::string summaryOf(const Partition &partition, const PartitionStatistics &statistics)
{
    return summaryLine("partition", partition.method + ": " + std::to_string(statistics.subgraphs) +
                                        " subgraphs, mean weight " + shortNumber(statistics.mean) +
                                        ", median " + shortNumber(statistics.median) +
                                        ", Jain's index " + shortNumber(statistics.jain) + " (" +
                                        std::string(nameOf(Provenance::Modelled)) + ")");
}

std::string summaryOf(const std::string &what, const Verification &verification)
{
    if (verification.passed && !verification.comparable)
        return summaryLine(what, "not comparable: " + verification.message);
    return summaryLine(what, std::string(verification.passed ? "passed" : "FAILED") +
                                 ": maximum error " + shortNumber(verification.maxAbsError) +
                                 ", relative to scale " + shortNumber(verification.maxRelError) +
                                 (verification.message.empty() ? "" : "; ") + verification.message);
}

std::string summaryOf(const Gate &gate)
{
    return summaryLine(gate.kind, std::string(gate.passed ? "passed" : "FAILED") + ": " +
                                      gate.text +
                                      (gate.message.empty() ? "" : " (" + gate.message + ")"));
}

std::string summaryOfTuning(const TargetOutcome &outcome, const Plan &before, const Plan &tuned)
{
    std::int64_t trials = 0;
    for (const auto &block : tuned.kernels->blocks)
        for (const NestKernel &nest : block)
            trials += nest.trials;
    return summaryLine("tune", std::to_string(trials) + " trials in " +
                                   secondsText(outcome.tuningSeconds.value_or(0)) + ", " +
                                   TargetRun::tunedParts(before, tuned) +
                                   " (of which compilation of default kernels: " +
                                   secondsText(outcome.tuningSetupSeconds.value_or(0)) + ")");
}

std::string summaryOfBuild(const TargetOutcome &outcome)
{
    std::size_t interpreted = 0;
    for (const PlanStep &step : outcome.steps)
        interpreted += !step.reason.empty();
    const std::string kernels = std::to_string(outcome.steps.size() - interpreted);
    const std::string place =
        nameOf(outcome) + ", " +
        (outcome.instructionSet.empty() ? "" : outcome.instructionSet + ", ") +
        std::to_string(outcome.threads) + " threads";
    return summaryLine("build", milliseconds(1e3 * outcome.buildSeconds) + ", kernels " + kernels +
                                    ", interpreted blocks " + std::to_string(interpreted) +
                                    ", arena " + std::to_string(outcome.memory.arena) + " bytes (" +
                                    place + ")");
}

std::string summaryOfMeasurement(const TargetOutcome &outcome)
{
    const Times &after = outcome.after->whole;
    const std::string provenance(nameOf(outcome.after->provenance));
    if (!outcome.before && outcome.after->isBracket)
        return summaryLine("measure", milliseconds(after.min) + " to " + milliseconds(after.p95) +
                                          " (bounds; " + provenance + ")");
    if (!outcome.before)
        return summaryLine("measure", milliseconds(after.median) + " (median of " +
                                          std::to_string(outcome.after->runs) + " runs; minimum " +
                                          milliseconds(after.min) + ", noise " +
                                          percent(after.noise) + "; " + provenance + ")");
    const Times &before = outcome.before->whole;
    return summaryLine("measure",
                       milliseconds(before.median) + " before, " + milliseconds(after.median) +
                           " after (medians of " + std::to_string(outcome.after->runs) +
                           " runs in alternation; minimum " + milliseconds(before.min) + " and " +
                           milliseconds(after.min) + ", noise " + percent(before.noise) + " and " +
                           percent(after.noise) + "; " + provenance + ")");
}

} // namespace graphloom
