// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"

#include <chrono>
#include <thread>

namespace graphloom::test {

/// Implements a built plan that computes nothing and records its runs in a list that several plans
/// share.
class FakePlan final : public BuiltPlan {
public:
    FakePlan(std::string name, std::vector<std::string> &log) : m_name(std::move(name)), m_log(log)
    {
        m_steps.resize(2);
        m_steps[0].text = "first";
        m_steps[1].text = "second";
        for (std::uint32_t block = 0; block < 2; ++block)
            m_steps[block].block = block;
    }

    const std::vector<PlanStep> &steps() const override { return m_steps; }
    PlanMemory memory() const override { return {}; }
    unsigned threads() const override { return 1; }
    std::string toolchain() const override { return "none"; }
    Provenance provenance() const override { return Provenance::Emulated; }
    Result<void> setInputs(const std::vector<TensorData> &) override { return {}; }
    Result<void> runOnce() override
    {
        m_log.push_back(m_name);
        if (pause.count() > 0)
            std::this_thread::sleep_for(pause);
        if (fails)
            return fail(Error::Kind::Model, "an index leaves its tensor");
        return {};
    }
    Result<std::vector<TensorData>> outputs() const override { return std::vector<TensorData>(); }
    Result<std::vector<double>> timeSteps() override { return std::vector<double>{0.001, 0.002}; }
    Result<std::vector<TraceSlice>> trace() override { return std::vector<TraceSlice>(); }

    bool fails = false;
    std::chrono::milliseconds pause{0}; // time of a run

private:
    std::string m_name;
    std::vector<std::string> &m_log;
    std::vector<PlanStep> m_steps;
};

} // namespace graphloom::test
