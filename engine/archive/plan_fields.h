// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/node_fields.h"
#include "engine/cost/device.h"
#include "engine/cost/machine_text.h"
#include "engine/plan/objective.h"
#include "engine/plan/plan.h"
#include "engine/plan/training_record.h"

/// Defines the fields of each structure of a plan, for archives (fields.h). A field is added at the
/// end of its structure's list and makes a new archiveVersion (plan_store.h).
namespace graphloom {

constexpr MappingType lastOf(MappingType)
{
    return MappingType::Opaque;
}
constexpr Provenance lastOf(Provenance)
{
    return Provenance::Modelled;
}
constexpr Layout lastOf(Layout)
{
    return Layout::ChannelsLast;
}
constexpr BlockBorder::Cause lastOf(BlockBorder::Cause)
{
    return BlockBorder::Cause::Generator;
}
constexpr BlockLimits::Contractions lastOf(BlockLimits::Contractions)
{
    return BlockLimits::Contractions::Intensive;
}
constexpr Objective::Mode lastOf(Objective::Mode)
{
    return Objective::Mode::Pareto;
}
constexpr TrainingOptions::BatchNorm lastOf(TrainingOptions::BatchNorm)
{
    return TrainingOptions::BatchNorm::Frozen;
}
constexpr TrainingOptions::Optimizer lastOf(TrainingOptions::Optimizer)
{
    return TrainingOptions::Optimizer::Adam;
}
constexpr TrainingOptions::Loss lastOf(TrainingOptions::Loss)
{
    return TrainingOptions::Loss::SquaredError;
}

template <class Archive> void fields(Archive &archive, OpsetImport &import)
{
    archive(import.domain, import.version);
}

template <class Archive> void fields(Archive &archive, Model &model)
{
    std::string path = model.path.string();
    archive(model.graph, model.opsets, model.fileOpsets, model.irVersion, model.producer,
            model.documentation, model.metadata, path, model.fileBytes, model.fileNodes,
            model.warnings);
    if constexpr (std::is_same_v<Archive, FieldReader>)
        model.path = path;
}

template <class Archive> void fields(Archive &archive, TrainingOptions &options)
{
    archive(options.batchNorm, options.optimizer, options.loss, options.learningRate);
}

template <class Archive> void fields(Archive &archive, TrainingRecord &record)
{
    archive(record.options, record.forwardNodes, record.backwardNodes, record.updateNodes,
            record.weights, record.parameters, record.savedBytes, record.unused, record.variables);
}

template <class Archive> void fields(Archive &archive, Subgraph &subgraph)
{
    archive(subgraph.nodes, subgraph.weight, subgraph.locked);
}

template <class Archive> void fields(Archive &archive, Partition &partition)
{
    archive(partition.method, partition.threshold, partition.subgraphs, partition.subgraphOf,
            partition.nodeWeights);
}

template <class Archive> void fields(Archive &archive, GraphPart &part)
{
    archive(part.nodes, part.tensors, part.inputs, part.outputs);
}

template <class Archive> void fields(Archive &archive, RewriteStep &step)
{
    archive(step.rule, step.category, step.where, step.flopsSaved, step.removed, step.added,
            step.before, step.after);
}

template <class Archive> void fields(Archive &archive, RewriteLog &log)
{
    archive(log.strategy, log.steps, log.flopsBefore, log.flopsAfter);
}

template <class Archive> void fields(Archive &archive, BlockBorder &border)
{
    archive(border.producer, border.consumer, border.cause, border.reason);
}

template <class Archive> void fields(Archive &archive, BlockDecision &decision)
{
    archive(decision.producer, decision.consumer, decision.reason);
}

template <class Archive> void fields(Archive &archive, FusionBlock &block)
{
    archive(block.mapping, block.pattern, block.inputs, block.outputs, block.borders,
            block.decisions, block.indexChanges, block.placed, block.removedBytes, block.locked);
}

template <class Archive> void fields(Archive &archive, FusionStatistics::Side &side)
{
    archive(side.layers, side.computeIntensive, side.irsBytes, side.unsized);
}

template <class Archive> void fields(Archive &archive, BlockLimits &limits)
{
    archive(limits.operators, limits.inputs, limits.outputs, limits.liveValues, limits.scratchBytes,
            limits.operandBytes, limits.leastRows, limits.reductions, limits.contractions);
}

template <class Archive> void fields(Archive &archive, BlockTuning &tuning)
{
    archive(tuning.reforms, tuning.stableGain, tuning.stableTrials);
}

template <class Archive> void fields(Archive &archive, FusionPlan &plan)
{
    archive(plan.partition, plan.blocks, plan.statistics.before, plan.statistics.after, plan.limits,
            plan.costMs, plan.device, plan.within, plan.unfusedMs, plan.tuning);
}

template <class Archive> void fields(Archive &archive, Device &device)
{
    std::string machine = device.machine ? textOf(*device.machine) : "";
    archive(device.name, device.title, device.units, device.lanes, device.peakFlops,
            device.bandwidth, device.cacheBandwidth, device.launchSeconds, device.cacheLineBytes,
            device.tile, device.smallTileShare, device.tileDepth, device.overlaps, device.hostLink,
            device.transferSeconds, device.sources, device.target, machine, device.fingerprint);
    if constexpr (std::is_same_v<Archive, FieldReader>)
        if (!machine.empty()) {
            if (auto read = parseMachine(machine))
                device.machine = std::make_shared<const Machine>(*std::move(read));
            else
                archive.in().refuse("describes no machine");
        }
}

template <class Archive> void fields(Archive &archive, LayoutPlan::Choice &choice)
{
    archive(choice.layout, choice.dominant, choice.gainMs, choice.locked, choice.measured);
}

template <class Archive> void fields(Archive &archive, LayoutPlan::Transformation &change)
{
    archive(change.tensor, change.from, change.to, change.ms);
}

template <class Archive> void fields(Archive &archive, LayoutPlan &plan)
{
    archive(plan.blocks, plan.tensors, plan.transformations, plan.ms, plan.heuristicMs,
            plan.unchangedMs, plan.heuristicTransformations);
}

template <class Archive> void fields(Archive &archive, Figure &figure)
{
    archive(figure.value, figure.unit, figure.provenance);
}

template <class Archive> void fields(Archive &archive, NestKernel &kernel)
{
    archive(kernel.schedule, kernel.before, kernel.time, kernel.trials);
}

template <class Archive> void fields(Archive &archive, KernelPlan &plan)
{
    archive(plan.target, plan.device, plan.threads, plan.fusion, plan.blocks, plan.algorithms);
}

template <class Archive> void fields(Archive &archive, MemoryPoint &point)
{
    archive(point.ms, point.peakBytes, point.origin);
}

template <class Archive> void fields(Archive &archive, MemoryPlan::Step &step)
{
    archive(step.node, step.startMs, step.ms, step.bytes, step.again, step.workspace);
}

template <class Archive> void fields(Archive &archive, MemoryPlan::Life &life)
{
    archive(life.tensor, life.first, life.last, life.bytes, life.offset);
}

template <class Archive> void fields(Archive &archive, MemoryPlan::Transfer &transfer)
{
    archive(transfer.tensor, transfer.load, transfer.startMs, transfer.endMs);
}

template <class Archive> void fields(Archive &archive, MemoryPlan::Fission &fission)
{
    archive(fission.dimension, fission.first, fission.last, fission.nodes, fission.parent,
            fission.number, fission.most, fission.names, fission.numbers, fission.heat,
            fission.score, fission.changed, fission.locked);
}

template <class Archive> void fields(Archive &archive, MemoryPlan::Baseline &baseline)
{
    archive(baseline.name, baseline.points, baseline.best, baseline.rewritten);
}

template <class Archive> void fields(Archive &archive, MemoryPlan::Times::Problem &problem)
{
    archive(problem.node, problem.reason);
}

template <class Archive> void fields(Archive &archive, MemoryPlan::Times &times)
{
    archive(times.measured, times.modelled, times.partsMeasured, times.partsScaled,
            times.partsModelled, times.shareBefore, times.share, times.problems);
}

template <class Archive> void fields(Archive &archive, MemoryPlan &plan)
{
    archive(plan.device, plan.times, plan.before, plan.after, plan.residentBytes, plan.arenaBytes,
            plan.stepsBefore, plan.steps, plan.lives, plan.transfers, plan.fissions, plan.baselines,
            plan.front, plan.recomputed, plan.swapped, plan.changes, plan.limitsMet, plan.realized,
            plan.unrealized, plan.state, plan.rewritten, plan.referenceMs, plan.workspaceBytes);
}

template <class Archive> void fields(Archive &archive, MemorySchedule::Place &place)
{
    archive(place.tensor, place.offset);
}

template <class Archive> void fields(Archive &archive, MemorySchedule::Storage &storage)
{
    archive(storage.bytes, storage.first, storage.last, storage.resident, storage.takesOver,
            storage.tensors, storage.offsets);
}

template <class Archive> void fields(Archive &archive, MemorySchedule::Swap &swap)
{
    archive(swap.storage, swap.storedAfter, swap.awayFrom, swap.backAt, swap.loadedBefore);
}

template <class Archive> void fields(Archive &archive, MemorySchedule::EarlyCopy &copy)
{
    archive(copy.tensor, copy.into);
}

template <class Archive> void fields(Archive &archive, MemorySchedule::Workspace &workspace)
{
    archive(workspace.step, workspace.bytes);
}

template <class Archive> void fields(Archive &archive, MemorySchedule &schedule)
{
    archive(schedule.order, schedule.graphHash, schedule.countsWeights, schedule.storages,
            schedule.swaps, schedule.copies, schedule.workspaces, schedule.arenaBytes);
}

template <class Archive> void fields(Archive &archive, SearchRecord::Best &best)
{
    archive(best.seconds, best.cost);
}

template <class Archive> void fields(Archive &archive, SearchRecord::Refusal &refusal)
{
    archive(refusal.reason, refusal.count, refusal.example);
}

template <class Archive> void fields(Archive &archive, SearchRecord &record)
{
    std::string state = record.state ? *record.state : std::string(); // "": none
    archive(record.cost, record.generated, record.filtered, record.expanded, record.simulated,
            record.seconds, record.exhausted, record.history, record.refusals, state);
    if constexpr (std::is_same_v<Archive, FieldReader>)
        if (!state.empty())
            record.state = std::make_shared<const std::string>(std::move(state));
}

template <class Archive> void fields(Archive &archive, Objective &objective)
{
    archive(objective.mode, objective.memoryLimit, objective.latencyLimit);
}

template <class Archive> void fields(Archive &archive, SummaryEntry &entry)
{
    archive(entry.key, entry.value);
}

template <class Archive> void fields(Archive &archive, PassRecord &record)
{
    archive(record.pass, record.seconds, record.settings, record.summary);
}

template <class Archive> void fields(Archive &archive, Plan &plan)
{
    // Each graph after the one that it was made from: it is stored as the changes from that one.
    archive(plan.model, plan.training, plan.original, plan.rewrite, plan.graph, plan.partition,
            plan.baselinePartition, plan.fusion, plan.baselineFusion, plan.layouts, plan.kernels,
            plan.memory, plan.search, plan.history, plan.schedule, plan.device);
}

} // namespace graphloom
