// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/made_runs.h"

namespace graphloom::testing {

PlanRunPointer madeRun(const SnapshotPointer &snapshot)
{
    PlanRun run;
    run.plan = snapshot->plan;
    run.outcome.target = "host";
    run.outcome.toolchain = "a compiler";
    run.outcome.threads = 2;
    run.outcome.after.emplace();
    run.outcome.after->whole = {9, 10, 12, 0.05};
    run.outcome.after->runs = 50;
    const auto add = [&](PlanStep step, double ms) {
        run.outcome.steps.push_back(std::move(step));
        run.outcome.after->steps.push_back({ms, ms, ms, 0});
    };
    PlanStep copy;
    copy.symbol = "kernel_copy";
    copy.text = "x with margins";
    copy.bytes = 64;
    add(copy, 1);
    const auto blocks = kernelBlocksOf(*run.plan);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        PlanStep step;
        step.block = b;
        step.text = "nest of " + std::to_string(b);
        if (b == 0) {
            step.reason = "for a test";
        } else {
            step.symbol = "kernel_" + std::to_string(b);
            step.schedule = "parallel i";
            step.flops = 1e6 * (b + 1);
            step.bytes = 1e5;
            run.sources.push_back({"block_" + std::to_string(b) + ".c",
                                   "// Block " + std::to_string(b) + "\n\n// y = x\nvoid " +
                                       step.symbol + "(void)\n{\n}\n",
                                   b});
        }
        add(std::move(step), b + 1);
    }
    run.device.emplace();
    run.device->units = 2;
    run.device->peakFlops = 100e9;
    run.device->bandwidth = 10e9;
    run.device->cacheBandwidth = 50e9;
    return planRunOf(std::move(run));
}

Result<Device> ScriptedTarget::describe(const std::string &, std::stop_token) const
{
    return fail(Error::Kind::Missing, "peaks are not known to a test");
}

std::vector<TargetPlugin> scripted(ScriptedTarget::Build build)
{
    return {{"scripted.so", std::make_shared<ScriptedTarget>(std::move(build)), {}}};
}

} // namespace graphloom::testing
