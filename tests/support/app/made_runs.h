// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/plan_run.h"
#include "engine/target/target_plugins.h"

#include <functional>

namespace graphloom::testing {

/// A run made by hand: a step for each block, of which block b took b + 1 ms for 1e6 * (b + 1)
/// operations and 1e5 bytes ("kernel_<b>", a file of its own), but the first is interpreted
/// ("for a test"). Before them a step that copies an input for 1 ms, without arithmetic.
/// The device reaches 100 GFLOP/s and 10 GB/s.
PlanRunPointer madeRun(const SnapshotPointer &snapshot);

/// A target called "host" whose build is a function of the test.
class ScriptedTarget final : public Target {
public:
    using Build = std::function<Result<std::shared_ptr<BuiltPlan>>(const BuildOptions &)>;

    explicit ScriptedTarget(Build build) : m_build(std::move(build)) {}
    std::string_view name() const override { return "host"; }
    std::string_view help() const override { return "Does what a test says."; }
    std::vector<std::string> devices() const override { return {"cpu"}; }
    Result<Device> describe(const std::string &, std::stop_token) const override;
    std::vector<Finding> probe() const override { return {}; }
    Result<std::vector<SourceFile>> generate(const Plan &, const BuildOptions &) const override
    {
        return std::vector<SourceFile>();
    }
    Result<std::shared_ptr<const KernelPlan>> tune(const Plan &, const TuneOptions &) const override
    {
        return nullptr; // nothing is better than the defaults
    }
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &,
                                             const BuildOptions &options) const override
    {
        return m_build(options);
    }
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                             const MeasureOptions &options) const override
    {
        return measureInTurns(plans, options);
    }

private:
    Build m_build;
};

std::vector<TargetPlugin> scripted(ScriptedTarget::Build build);

} // namespace graphloom::testing
