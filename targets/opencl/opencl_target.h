// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"

namespace graphloom::opencl {

/// Represents the devices that OpenCL drivers of this machine offer, by their numbers, and
/// described ones: kernels in OpenCL C, compiled by the driver.
class OpenclTarget final : public Target {
public:
    std::string_view name() const override { return "opencl"; }
    std::string_view help() const override;
    /// Returns the numbers of the drivers' devices, "0" if there are none, and the names of
    /// described ones.
    std::vector<std::string> devices() const override;
    bool measures(const std::string &device) const override;
    /// Measures the peaks of the device once in a process.
    Result<Device> describe(const std::string &device, std::stop_token stop) const override;
    std::vector<Finding> probe() const override;
    std::string fingerprint(const std::string &device) const override;
    Result<void> checkDevice(const std::string &device) const override;
    Result<std::vector<SourceFile>> generate(const Plan &plan,
                                             const BuildOptions &options) const override;
    Result<PackageFacts> package(const Plan &plan, const PackageOptions &options,
                                 const std::filesystem::path &folder) const override;
    Result<Plan> tune(const Plan &plan, const TuneOptions &options) const override;
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &plan,
                                             const BuildOptions &options) const override;
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                             const MeasureOptions &options) const override;
};

} // namespace graphloom::opencl
