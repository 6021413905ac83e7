// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/estimated_times.h"

#include "engine/connection/emulator_connection.h"
#include "engine/package/plan_source.h"
#include "targets/arm64/arm_tools.h"
#include "targets/arm64/bracket.h"

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

} // namespace

Result<Measurement> estimatedTimes(DeployedPlan &plan, std::stop_token stop)
{
    const PackagedPlan &content = plan.content();
    const Machine &machine = *content.device.machine;
    const UnitKind &unit = fastestSingleUnits(machine);
    GL_TRY_CONST(tools, llvmTools(stop));
    GL_TRY_CONST(emulator, armEmulator(stop));
    GL_TRY_CONST(processor, emulatedProcessor(*emulator, unit.processor));
    const std::string prefix = PackageNames(content.model).kernel("");
    const std::filesystem::path counted = content.folder.path() / "counts.txt";
    GL_TRY_CONST(counting, counterWords(emulator->version, unit, prefix, counted));
    std::vector<std::string> words = {emulator->program, "-cpu", *processor};
    words.insert(words.end(), counting->begin(), counting->end());
    GL_TRY(plan.runOnceThrough(*emulatorConnection(std::move(words)), stop));
    GL_TRY_CONST(counts, readCounts(counted));
    GL_TRY_CONST(code,
                 disassembled(*tools, *findArchitecture("aarch64"), content.program, prefix, stop));
    GL_TRY_CONST(kernels, estimates(*tools, unit.processor, *code, *counts, stop));

    Measurement measurement;
    measurement.provenance = Provenance::Modelled;
    measurement.isBracket = true;
    measurement.runs = 1;
    Bracket whole;
    for (std::size_t i = 0; i < content.steps.size(); ++i) {
        const auto found =
            kernels->find(PackageNames(content.model).kernel(content.steps[i].symbol));
        const KernelEstimate estimate = found == kernels->end() ? KernelEstimate() : found->second;
        const Bracket bracket = bracketOf(estimate, machine, content.tasks[i]);
        whole.low += bracket.low;
        whole.high += bracket.high;
        measurement.steps.push_back(timesOf(bracket));
        measurement.counts.push_back({estimate.instructions, estimate.firstMisses,
                                      estimate.lastMisses, estimate.cycles, estimate.spills});
    }
    measurement.whole = timesOf(whole);
    return measurement;
}

} // namespace graphloom::arm64
