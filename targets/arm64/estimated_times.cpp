// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/estimated_times.h"

#include "engine/connection/emulator_connection.h"
#include "engine/package/plan_source.h"
#include "targets/arm64/arm_tools.h"

#include <algorithm>

namespace graphloom::arm64 {

namespace {

Times timesOf(const Bracket &bracket)
{
    Times times;
    times.min = 1e3 * bracket.low;
    times.p95 = 1e3 * bracket.high;
    times.median = (times.min + times.p95) / 2;
    return times;
}

/// Returns the words that start the emulator of a kind of unit so that it counts kernels whose
/// names begin with the prefix.
Result<std::vector<std::string>> countingEmulator(const UnitKind &unit, const std::string &prefix,
                                                  const std::filesystem::path &output,
                                                  std::stop_token stop)
{
    GL_TRY_CONST(emulator, armEmulator(std::move(stop)));
    GL_TRY_CONST(processor, emulatedProcessor(*emulator, unit.processor));
    GL_TRY_CONST(counting, counterWords(emulator->version, unit, prefix, output));
    std::vector<std::string> words = {emulator->program, "-cpu", *processor};
    words.insert(words.end(), counting->begin(), counting->end());
    return words;
}

} // namespace

Result<void> checkCounting(const Machine &machine, std::stop_token stop)
{
    GL_TRY(llvmTools(stop));
    GL_TRY(countingEmulator(fastestSingleUnits(machine), "", "", stop));
    return {};
}

Result<std::vector<KernelEstimate>> stepEstimates(DeployedPlan &plan, std::stop_token stop)
{
    const PackagedPlan &content = plan.content();
    const UnitKind &unit = fastestSingleUnits(*content.device.machine);
    const std::string prefix = PackageNames(content.model).kernel("");
    const std::filesystem::path counted = content.folder.path() / "counts.txt";
    GL_TRY_CONST(tools, llvmTools(stop));
    GL_TRY_RESULT(words, countingEmulator(unit, prefix, counted, stop));
    GL_TRY(plan.runOnceThrough(*emulatorConnection(*std::move(words)), stop));
    GL_TRY_CONST(counts, readCounts(counted));
    GL_TRY_CONST(code,
                 disassembled(*tools, *findArchitecture("aarch64"), content.program, prefix, stop));
    GL_TRY_CONST(kernels, estimates(*tools, unit, *code, *counts, stop));

    std::vector<KernelEstimate> ofSteps;
    for (const PlanStep &step : content.steps) {
        const auto found = kernels->find(PackageNames(content.model).kernel(step.symbol));
        ofSteps.push_back(found == kernels->end() ? KernelEstimate() : found->second);
    }
    return ofSteps;
}

Result<Measurement> estimatedTimes(DeployedPlan &plan, std::stop_token stop)
{
    GL_TRY_CONST(estimates, stepEstimates(plan, std::move(stop)));
    Measurement measurement;
    measurement.provenance = Provenance::Modelled;
    measurement.isBracket = true;
    measurement.runs = 1;
    Bracket whole;
    for (std::size_t i = 0; i < estimates->size(); ++i) {
        const KernelEstimate &estimate = (*estimates)[i];
        const Bracket bracket =
            bracketOf(estimate, *plan.content().device.machine, plan.content().tasks[i]);
        whole.low += bracket.low;
        whole.high += bracket.high;
        measurement.steps.push_back(timesOf(bracket));
        measurement.counts.push_back({estimate.instructions, estimate.firstMisses,
                                      estimate.lastMisses, estimate.cycles, estimate.spills,
                                      estimate.tileCycles, estimate.tileFlops});
    }
    measurement.whole = timesOf(whole);
    return measurement;
}

} // namespace graphloom::arm64
