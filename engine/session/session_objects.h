// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/session/measurement_fields.h"
#include "engine/session/session_content.h"

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

struct KeptMeasurement {
    PlanMeasurement measurement;
    std::int64_t plan = -1;
};

template <class Archive> void fields(Archive &archive, KeptMeasurement &kept)
{
    PlanMeasurement &of = kept.measurement;
    archive(of.outcome, of.sources, of.device, of.noDevice, of.at, kept.plan);
}

struct KeptTrials {
    TuningTrials trials;
    std::int64_t plan = -1;
};

template <class Archive> void fields(Archive &archive, KeptTrials &kept)
{
    archive(kept.trials.trials, kept.trials.at, kept.plan);
}

} // namespace graphloom
