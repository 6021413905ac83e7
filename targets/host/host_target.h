// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/host.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// Represents the machine that the program runs on as a target: kernels in C, compiled by gcc or
/// clang.
class HostTarget final : public Target {
public:
    /// Creates the target; `host` describes this machine, or another one in tests.
    explicit HostTarget(const HostFacts &host = hostFacts()) : m_host(host) {}

    std::string_view name() const override { return "host"; }
    std::string_view help() const override;
    bool isThisMachine() const override { return true; }
    /// Returns "cpu" and the names of the architecture's instruction sets.
    std::vector<std::string> devices() const override;
    /// Measures the peaks of the processor unless that was done before. Like tune() and build(),
    /// fails (Missing) if the processor cannot execute the instruction set.
    Result<Device> describe(const std::string &device, std::stop_token stop) const override;
    std::vector<Finding> probe() const override;
    std::string fingerprint(const std::string &device) const override;
    Result<void> checkDevice(const std::string &device) const override;
    Result<std::vector<SourceFile>> generate(const Plan &plan,
                                             const BuildOptions &options) const override;
    Result<KernelCode> compiledCode(std::span<const SourceFile> files, const std::string &symbol,
                                    const BuildOptions &options) const override;
    Result<PackageFacts> package(const Plan &plan, const PackageOptions &options,
                                 const std::filesystem::path &folder) const override;
    Result<Plan> tune(const Plan &plan, const TuneOptions &options) const override;
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &plan,
                                             const BuildOptions &options) const override;
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                             const MeasureOptions &options) const override;

private:
    HostFacts m_host;
};

} // namespace graphloom::host
