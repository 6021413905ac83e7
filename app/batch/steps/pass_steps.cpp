// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/pass_steps.h"

#include "app/batch/report/summary.h"
#include "engine/pass/graph_change.h"
#include "engine/profile/user_profile.h"
#include "engine/system/read_file.h"

#include <chrono>

namespace graphloom {

namespace {

/// Keeps the plan and the run that created it, as the window would.
void keepForSession(BatchState &batch, const ChosenPass &chosen, const Plan &plan)
{
    SessionContent &session = batch.session;
    const PassRecord &record = plan.history.back();
    SessionRun run;
    run.number = int(session.runs.size()) + 1;
    run.pass = record.pass;
    run.settings = record.settings;
    run.objective = batch.options.objective.objective;
    run.seed = batch.options.seed;
    run.threads = batch.options.threads;
    run.seconds = record.seconds;
    run.beganMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count() -
                  std::int64_t(record.seconds * 1e3);
    run.search = plan.search;
    run.before = session.states.back().plan;
    run.result = std::make_shared<const Plan>(plan);
    session.states.push_back({run.result, std::string(chosen.pass->name()), false});
    session.runs.push_back(std::move(run));
}

/// Describes the device that passes plan for. If it is to be measured and cannot be, they plan for
/// another one: what needs no compiler, such as the text of kernels, is made without one.
Result<void> describeDevice(BatchState &batch)
{
    const Setup &setup = batch.setup;
    const auto warn = [&](const std::string &text) {
        batch.log.warn(text + "; to choose a device, use --device");
        batch.noticed.push_back({"GL5005", text});
    };
    if (setup.described) {
        batch.device = sharedDevice(*setup.described);
        if (!batch.options.device)
            warn("passes plan for " + setup.described->name +
                 ", as there is no target plugin for this machine");
    }
    if (!setup.plannedOn)
        return {};
    batch.log.begin("device");
    GL_TRY_RESULT(planned, plannedDeviceOn(*setup.plannedOn,
                                           {.stop = batch.interrupt.stop(),
                                            .progress =
                                                [&batch](double fraction, std::string_view text) {
                                                    batch.log.update(fraction, text);
                                                }},
                                           batch.timers));
    if (!planned->instead.empty())
        warn(planned->instead);
    batch.device = std::move(planned->device);
    return {};
}

} // namespace

Result<Plan> applied(BatchState &batch, Plan plan, bool rehearsing)
{
    if (batch.device) // otherwise a stored plan keeps its own
        plan.device = batch.device;
    for (const ChosenPass &chosen : batch.setup.passes) {
        if (batch.interrupt.requested())
            return plan;
        if (!rehearsing) {
            batch.log.begin(chosen.pass->name());
            if (const std::string loss = lossBy(*chosen.pass, chosen.settings, plan); !loss.empty())
                batch.log.say("graphloom: " + loss, "note");
        }
        Context context;
        context.stop = batch.interrupt.stop();
        context.seed = batch.options.seed;
        context.threads = batch.options.threads;
        context.settings = chosen.settings;
        context.objective = batch.options.objective.objective;
        if (!rehearsing) // a rehearsal is another search
            context.checkpoint = batch.options.objective.checkpoint.value_or("");
        if (const auto &from = batch.options.objective.resume) {
            GL_TRY_RESULT(state, readFile(*from));
            context.resume = {*std::move(state), from->string()};
        }
        if (!rehearsing)
            context.publish = [&batch](std::shared_ptr<const Plan> on) {
                batch.reached.set(std::move(on));
            };
        context.profile = batch.profile;
        context.timers = batch.timers;
        context.progress = [&batch](double fraction, std::string_view text) {
            batch.log.update(fraction, text);
        };
        auto better = runPass(*chosen.pass, plan, context);
        if (!better && batch.interrupt.requested()) // keep the earlier result
            return plan;
        if (!better)
            return tl::unexpected(better.error());
        plan = *std::move(better);
        if (rehearsing)
            continue;
        batch.reached.set(std::make_shared<const Plan>(plan));
        if (batch.options.save)
            keepForSession(batch, chosen, plan);
        const std::string summary = summaryOf(plan.history.back());
        batch.log.record({"pass",
                          std::string(chosen.pass->name()),
                          Check::Outcome::Passed,
                          {},
                          batch.log.seconds(),
                          summary});
        batch.log.print(summary);
    }
    return plan;
}

Result<void> runPasses(BatchState &batch)
{
    if (!batch.setup.passes.empty() || batch.setup.target) {
        const auto open = batch.fillsProfile() ? openOrMakeProfile : openProfile;
        GL_TRY_CONST(opened, open(batch.options.profile, batch.interrupt.stop()));
        batch.profile = opened->database;
        if (!opened->problem.empty()) {
            const std::string text = "the profile database is not used: " + opened->problem;
            batch.log.warn(text);
            batch.noticed.push_back({"GL5003", text});
        }
    }
    GL_TRY(describeDevice(batch));
    if (batch.device)
        batch.plan->device = batch.device;
    if (batch.options.save)
        batch.session.states.push_back({std::make_shared<const Plan>(*batch.plan), {}, false});
    GL_TRY_RESULT(plan, applied(batch, *batch.plan, false));
    batch.plan = *std::move(plan);
    if (batch.interrupt.requested())
        return {};
    for (const auto &partition : {batch.plan->partition, batch.plan->baselinePartition})
        if (partition)
            batch.log.print(summaryOf(*partition, statisticsOf(batch.plan->graph, *partition)));
    return {};
}

} // namespace graphloom
