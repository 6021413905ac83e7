// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/executable.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// Implements a built plan that runs in this process.
class HostPlan final : public BuiltPlan {
public:
    HostPlan(std::shared_ptr<Executable> executable, std::string compiler,
             std::string_view instructionSet);

    const std::vector<PlanStep> &steps() const override { return m_steps; }
    PlanMemory memory() const override;
    unsigned threads() const override { return m_executable->threads(); }
    std::string toolchain() const override { return m_compiler; }
    std::string instructionSet() const override { return m_instructionSet; }
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
    std::string m_compiler, m_instructionSet;
    std::vector<PlanStep> m_steps;
};

} // namespace graphloom::host
