// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"
#include "engine/ops/derive/infer.h"
#include "engine/runtime/execution_plan.h"
#include "engine/target/target.h"
#include "targets/opencl/opencl_queue.h"

#include <map>

namespace graphloom::opencl {

/// Holds the programs of a plan's kernels, by their symbols.
using Programs = std::map<std::string, Program>;

/// Runs a plan on a device of OpenCL: intermediate results are in one piece of memory of the
/// device, interpreted blocks run on the host, and all other steps are kernels in one queue.
class OpenclPlan final : public BuiltPlan {
public:
    /// Gives a plan its memory and its kernels their arguments; writes the constants to the device.
    /// With a described device, times are those of its model; otherwise, it is null. Fails
    /// (Missing) if the device does not have the memory, and (Fault) with OpenCL's error.
    static Result<std::shared_ptr<OpenclPlan>> make(ExecutionPlan plan, Opsets opsets,
                                                    const Programs &programs,
                                                    std::shared_ptr<OpenclQueue> queue,
                                                    const Device *described, int units);

    const std::vector<PlanStep> &steps() const override { return m_steps; }
    PlanMemory memory() const override;
    unsigned threads() const override { return unsigned(m_units); }
    std::string toolchain() const override { return m_queue->device().identity(); }
    Provenance provenance() const override;
    Result<void> setInputs(const std::vector<TensorData> &inputs) override;
    Result<void> runOnce() override;
    Result<std::vector<TensorData>> outputs() const override;
    /// Returns the seconds that kernels take on the device, without what the host does for them.
    Result<std::vector<double>> timeSteps() override;
    /// Returns one slice for each step, one after the other.
    Result<std::vector<TraceSlice>> trace() override;

    bool isDescribed() const { return m_described != nullptr; }
    /// Returns the times of the described device's model.
    Measurement modelled() const;

private:
    struct Run {
        Kernel kernel; // empty: interpreted
        WorkItems items;
    };

    OpenclPlan(ExecutionPlan plan, Opsets opsets, std::shared_ptr<OpenclQueue> queue,
               const Device *described, int units);
    std::vector<double> modelledSeconds() const;
    Result<void> takeMemory();
    Result<void> takeKernels(const Programs &programs);
    const Memory &at(const BufferPlace &place) const;
    /// Sets two arguments of a kernel: what is at a place as an image, which is one for all its
    /// readers, and the first of its elements.
    Result<void> setImage(const Kernel &kernel, cl_uint argument, const BufferPlace &place,
                          DataType type);
    Result<void> interpretStep(const ExecutionStep &step);
    Result<TensorData> dataOf(TensorId id, const Memory &memory) const;
    /// Fails (Model) if a kernel has met an index that leaves its tensor.
    Result<void> checkStatus();

    ExecutionPlan m_plan;
    Opsets m_opsets;
    std::shared_ptr<OpenclQueue> m_queue;
    const Device *m_described;
    int m_units;
    std::vector<PlanStep> m_steps;
    Memory m_whole; // of the arena
    IndexedVector<ArenaIndex, Memory> m_arena;
    IndexedVector<BorderIndex, Memory> m_border;
    IndexedVector<ConstantIndex, Memory> m_constants;
    std::map<std::pair<cl_mem, DataType>, Memory> m_images; // of what memory holds
    bool m_partsAreImages = false;
    Memory m_status;
    IndexedVector<StepIndex, Run> m_runs;
    std::map<TensorId, Memory> m_places;            // of tensors with memory that nodes touch
    std::vector<std::optional<DataValue>> m_values; // of the other tensors, by id
};

} // namespace graphloom::opencl
