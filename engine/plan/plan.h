// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/figure.h"
#include "engine/ir/model.h"
#include "engine/plan/fusion_plan.h"
#include "engine/plan/kernel_plan.h"
#include "engine/plan/layout_plan.h"
#include "engine/plan/memory_plan.h"
#include "engine/plan/memory_schedule.h"
#include "engine/plan/partition.h"
#include "engine/plan/rewrite_log.h"
#include "engine/plan/search_record.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace graphloom {

/// The metadata key that holds the plan in an exported model.
inline constexpr std::string_view storedPlanKey = "graphloom.plan";

/// Holds one line of a pass's summary of its result, shown in the window and written to the
/// report's passes[].summary.
struct SummaryEntry {
    std::string key;
    std::variant<std::int64_t, double, bool, std::string> value;
};

struct PassRecord {
    std::string pass;
    double seconds = 0; // wall-clock time of this run on this machine
    std::vector<std::pair<std::string, double>> settings;
    std::vector<SummaryEntry> summary;
};

struct Device;         // device.h
struct TrainingRecord; // training_record.h

/// A `Plan` holds all decisions about a model as one value. A pass takes a plan and returns
/// another; undo, comparison, saving, the live view and search share this value, so everything in
/// it is immutable or cheap to copy.
struct Plan {
    std::shared_ptr<const Model> model; // as opened, or the training step derived from it
    std::shared_ptr<const TrainingRecord> training; // set if the model is a training step
    std::shared_ptr<const Device> device;           // passes plan for it; null: see plannedDevice()
    Graph original; // with constants folded; rewriting starts from it
    Graph graph;    // as rewritten so far; its order() is the execution order
    std::shared_ptr<const Partition> partition;
    std::shared_ptr<const Partition> baselinePartition; // the one it is compared with
    std::shared_ptr<const RewriteLog> rewrite;
    std::shared_ptr<const FusionPlan> fusion;
    std::shared_ptr<const FusionPlan> baselineFusion; // of `original`, by fixed patterns
    std::shared_ptr<const LayoutPlan> layouts;        // of the fusion blocks
    std::shared_ptr<const KernelPlan> kernels;        // of the blocks; see kernelsOf()
    std::shared_ptr<const MemoryPlan> memory;         // how it runs in less memory
    std::shared_ptr<const MemorySchedule> schedule;   // where its tensors lie; see scheduleOf()
    std::shared_ptr<const SearchRecord> search;       // of the last pass that searched
    std::vector<PassRecord> history;
};

/// Returns the device that a plan is made for: the one that was chosen for it, otherwise the first
/// description that comes with the program.
std::shared_ptr<const Device> plannedDevice(const Plan &plan);
/// Returns the device of that name for which figures of the plan were made: that of the plan, or
/// one that comes with the program. If there is neither, returns plannedDevice().
std::shared_ptr<const Device> deviceOfFigures(const Plan &plan, std::string_view name);

/// Tells whether two plans have the same graph of the same model, so that its nodes and tensors
/// have the same ids.
bool isSameGraph(const Plan &a, const Plan &b);

/// Returns the plan's memory schedule. Returns null if there is none, or if it belongs to another
/// graph or order because a later pass or edit changed them.
const MemorySchedule *scheduleOf(const Plan &plan);
/// Returns the modelled peak memory in bytes of a plan with a memory plan: that of the graph that
/// realizes it or, if there is none, the one that the search assumed. The former may be less: the
/// last part may be smaller, and a tensor on its way to the host and back may be in memory only
/// once.
std::int64_t peakBytesOf(const Plan &plan);

/// Returns the plan of a model before any pass: its graph with everything folded that depends on
/// constants and static shapes alone. Passes decide about this graph. Fails as foldConstants()
/// does.
Result<Plan> initialPlan(std::shared_ptr<const Model> model, const std::stop_token &stop = {});
/// Returns the plan of a training step (trainingModel()). Nothing more is folded: values computed
/// from weights change from step to step.
Plan initialPlan(std::shared_ptr<const Model> model, TrainingRecord training);

} // namespace graphloom
