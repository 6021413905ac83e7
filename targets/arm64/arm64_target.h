// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"
#include "targets/arm64/arm_devices.h"

namespace graphloom::arm64 {

/// Represents phones and boards with 64-bit ARM as a target: packages are compiled by a
/// cross-compiler and run on a device by ssh or adb, or else in QEMU's user mode.
class Arm64Target final : public Target {
public:
    std::string_view name() const override { return "arm64"; }
    std::string_view help() const override;
    /// Returns the described devices with NEON (resources/devices).
    std::vector<std::string> devices() const override;
    /// Knows these also with a connection: "kirin990@ssh:user@board", "sd865@adb:SERIAL".
    bool hasDevice(const std::string &device) const override;
    bool hasConnections() const override { return true; }
    std::vector<Finding> checkConnection(const std::string &device,
                                         std::stop_token stop) const override;
    /// Tells whether the name has a connection: others are emulated.
    bool measures(const std::string &device) const override;
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
    /// Tunes by what kernels take on the device; without a connection, by the upper bounds of their
    /// brackets.
    Result<Plan> tune(const Plan &plan, const TuneOptions &options) const override;
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &plan,
                                             const BuildOptions &options) const override;
    Result<void> deploy(BuiltPlan &plan, std::stop_token stop) const override;
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                             const MeasureOptions &options) const override;

private:
    /// Implements tune() for a plan whose device is the one that kernels run on.
    Result<Plan> tuneFor(const ArmDevice &device, const Plan &plan,
                         const TuneOptions &options) const;
};

} // namespace graphloom::arm64
