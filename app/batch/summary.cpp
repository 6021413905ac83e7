// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/summary.h"

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
                     " after folding constants, opset " + std::to_string(model.opset("")));
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
        text += "; without effect on it: " + training.unused.front() +
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
                                        " subgraphs, weights of mean " +
                                        shortNumber(statistics.mean) + ", median " +
                                        shortNumber(statistics.median) + ", Jain's index " +
                                        shortNumber(statistics.jain) + " (" +
                                        std::string(nameOf(Provenance::Modelled)) + ")");
}

std::string summaryOf(const std::string &what, const Verification &verification)
{
    if (verification.passed && !verification.comparable)
        return summaryLine(what, "not comparable: " + verification.message);
    return summaryLine(what, std::string(verification.passed ? "passed" : "FAILED") +
                                 ": greatest error " + shortNumber(verification.maxAbsError) +
                                 ", relative to scale " + shortNumber(verification.maxRelError) +
                                 (verification.message.empty() ? "" : "; ") + verification.message);
}

std::string summaryOf(const Gate &gate)
{
    return summaryLine(gate.kind, std::string(gate.passed ? "passed" : "FAILED") + ": " +
                                      gate.text +
                                      (gate.message.empty() ? "" : " (" + gate.message + ")"));
}

} // namespace graphloom
