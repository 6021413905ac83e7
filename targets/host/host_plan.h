// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/executable.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// A plan in this process.
class HostPlan final : public BuiltPlan {
public:
    explicit HostPlan(std::shared_ptr<Executable> executable);

    const std::vector<PlanStep> &steps() const override { return m_steps; }
    PlanMemory memory() const override;
    unsigned threads() const override { return m_executable->threads(); }
    Provenance provenance() const override { return Provenance::Host; }
    Result<void> setInputs(const std::vector<TensorData> &inputs) override
    {
        return m_executable->setInputs(inputs);
    }
    Result<void> runOnce() override { return m_executable->runOnce(); }
    Result<std::vector<TensorData>> outputs() const override { return m_executable->outputs(); }
    Result<std::vector<double>> timeSteps() override { return m_executable->timeSteps(); }
    Result<std::vector<TraceSlice>> trace() override { return m_executable->trace(); }

private:
    std::shared_ptr<Executable> m_executable;
    std::vector<PlanStep> m_steps;
};

} // namespace graphloom::host
