// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/session/measurement_fields.h"
#include "engine/session/session_content.h"
#include "engine/session/verification_fields.h"

/// Defines what the rows of a session's tables hold. Plans are objects of their own, referred to by
/// their numbers; -1 stands for none.
namespace graphloom {

struct KeptRun {
    SessionRun run;
    std::int64_t before = -1, result = -1;
};

template <class Archive> void fields(Archive &archive, KeptRun &kept)
{
    SessionRun &run = kept.run;
    archive(run.number, run.pass, run.settings, run.objective, run.seed, run.threads, run.beganMs,
            run.seconds, run.problem, run.stopped, run.search, kept.before, kept.result);
}

/// Holds what was found out about a plan, without the plan.
template <class Content> struct Kept {
    Content content;
    std::int64_t plan = -1;
};

template <class Archive> void fields(Archive &archive, Kept<PlanMeasurement> &kept)
{
    PlanMeasurement &of = kept.content;
    archive(of.outcome, of.sources, of.device, of.noDevice, of.at, kept.plan);
}

template <class Archive> void fields(Archive &archive, Kept<TuningTrials> &kept)
{
    archive(kept.content.trials, kept.content.at, kept.plan);
}

template <class Archive> void fields(Archive &archive, Kept<VerifiedPlan> &kept)
{
    archive(kept.content.errors, kept.content.inputs, kept.plan);
}

} // namespace graphloom
