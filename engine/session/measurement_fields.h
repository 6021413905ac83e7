// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_fields.h"
#include "engine/target/plan_measurement.h"

/// Defines the fields of measurements in a session, except for their plans, which are objects of
/// their own. A field is added at the end of its structure's list and makes a new version of the
/// session's tables (session_tables.h).
namespace graphloom {

template <class Archive> void fields(Archive &archive, MeasuredAt &at)
{
    archive(at.machine, at.ms);
}

template <class Archive> void fields(Archive &archive, PlanStep &step)
{
    archive(step.block, step.nest, step.symbol, step.reason, step.failed, step.text, step.schedule,
            step.flops, step.bytes);
}

template <class Archive> void fields(Archive &archive, TraceSlice &slice)
{
    archive(slice.step, slice.thread, slice.start, slice.seconds, slice.tasks);
}

template <class Archive> void fields(Archive &archive, PlanMemory &memory)
{
    archive(memory.arena, memory.peak, memory.border, memory.constants);
}

template <class Archive> void fields(Archive &archive, Times &times)
{
    archive(times.min, times.median, times.p95, times.noise);
}

template <class Archive> void fields(Archive &archive, StepCounts &counts)
{
    archive(counts.instructions, counts.firstMisses, counts.lastMisses, counts.cycles,
            counts.spills);
}

template <class Archive> void fields(Archive &archive, Measurement &measurement)
{
    archive(measurement.whole, measurement.steps, measurement.runs, measurement.provenance,
            measurement.isBracket, measurement.counts);
}

template <class Archive> void fields(Archive &archive, TargetOutcome &outcome)
{
    archive(outcome.target, outcome.device, outcome.toolchain, outcome.instructionSet,
            outcome.buildSeconds, outcome.steps, outcome.stepsBefore, outcome.threads,
            outcome.provenance, outcome.memory, outcome.memoryBefore, outcome.before, outcome.after,
            outcome.filledWeights, outcome.tuningSeconds, outcome.tuningSetupSeconds, outcome.trace,
            outcome.traceBefore, outcome.besideOriginal);
}

template <class Archive> void fields(Archive &archive, SourceFile &source)
{
    archive(source.name, source.content, source.block);
}

template <class Archive> void fields(Archive &archive, KernelPlace &place)
{
    archive(place.block, place.nest);
}

template <class Archive> void fields(Archive &archive, TuningTrial &trial)
{
    archive(trial.place, trial.schedule, trial.milliseconds, trial.problem, trial.byDefault,
            trial.uses, trial.provenance);
}

} // namespace graphloom
