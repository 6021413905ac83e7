// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"

#include "engine/cost/device.h"
#include "engine/interpreter/fold.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/training_record.h"

namespace graphloom {

namespace {

/// Tells whether two graphs have the same ids: hashes do not depend on them.
bool haveSameIds(const Graph &a, const Graph &b)
{
    if (a.nodeBound() != b.nodeBound() || a.tensorBound() != b.tensorBound())
        return false;
    for (std::uint32_t i = 0; i < a.nodeBound(); ++i)
        if (a.contains(NodeId{i}) != b.contains(NodeId{i}))
            return false;
    for (std::uint32_t i = 0; i < a.tensorBound(); ++i)
        if (a.contains(TensorId{i}) != b.contains(TensorId{i}))
            return false;
    return true;
}

} // namespace

std::shared_ptr<const Device> plannedDevice(const Plan &plan)
{
    return plan.device ? plan.device : sharedDevice(devices().front());
}

std::shared_ptr<const Device> deviceOfFigures(const Plan &plan, std::string_view name)
{
    const Device *described = plan.device && plan.device->name == name ? nullptr : findDevice(name);
    return described ? sharedDevice(*described) : plannedDevice(plan);
}

bool isSameGraph(const Plan &a, const Plan &b)
{
    return &a == &b || (a.model == b.model && a.graph.hash() == b.graph.hash() &&
                        haveSameIds(a.graph, b.graph));
}

const MemorySchedule *scheduleOf(const Plan &plan)
{
    return plan.schedule && plan.schedule->isOf(plan.graph) ? plan.schedule.get() : nullptr;
}

std::int64_t peakBytesOf(const Plan &plan)
{
    const MemorySchedule *schedule = plan.memory->realized ? scheduleOf(plan) : nullptr;
    return schedule ? peakOf(*schedule).bytes : plan.memory->after.peakBytes;
}

Result<Plan> initialPlan(std::shared_ptr<const Model> model, const std::stop_token &stop)
{
    GL_TRY_RESULT(folded, foldConstants(model->graph, opsetsOf(*model), mostFoldedBytes, stop));
    Plan plan;
    plan.graph = plan.original = std::move(*folded);
    plan.model = std::move(model);
    return plan;
}

Plan initialPlan(std::shared_ptr<const Model> model, TrainingRecord training)
{
    Plan plan;
    plan.graph = plan.original = model->graph;
    plan.model = std::move(model);
    plan.training = std::make_shared<const TrainingRecord>(std::move(training));
    return plan;
}

} // namespace graphloom
