// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/arm64_target.h"

#include "engine/codegen/emit/block_kernel.h"
#include "engine/connection/adb_connection.h"
#include "engine/connection/emulator_connection.h"
#include "engine/connection/ssh_connection.h"
#include "engine/deploy/deployed_build.h"
#include "engine/deploy/deployed_plan.h"
#include "engine/deploy/kernel_choices.h"
#include "engine/deploy/plan_package.h"
#include "engine/deploy/plan_tuning.h"
#include "engine/machine_code/compiled_code.h"
#include "engine/package/kernel_files.h"
#include "engine/tuning/reformer/tuned_plan.h"
#include "targets/arm64/arm_devices.h"
#include "targets/arm64/arm_tools.h"
#include "targets/arm64/estimated_times.h"
#include "targets/arm64/phase_times.h"

namespace graphloom::arm64 {

namespace {

/// Returns the description with the units that run a plan; 0 threads: all of them.
Device runningDevice(const ArmDevice &device, unsigned threads)
{
    Device of = threads == 0 ? *device.described
                             : deviceOf(std::make_shared<const Machine>(
                                   withUnits(*device.described->machine, int(threads))));
    of.target = "arm64:" + device.name;
    return of;
}

ScheduleTarget schedulesFor(const ArmDevice &device, unsigned threads)
{
    ScheduleTarget target =
        scheduleTargetOf(neon(), threads ? int(threads) : device.described->units);
    target.ownCache = ownCacheOf(*device.described->machine);
    target.pipes = pipesOf(*device.described->machine);
    target.halves = device.halves;
    return target;
}

/// Returns what compilers are told of the cores that kernels are compiled for. Where these begin
/// instructions in order, registers are renamed after they are assigned: GCC uses one again at
/// once, so that a load cannot move away from the instruction that uses what it loads.
std::vector<std::string> processorFlags(const ArmDevice &device)
{
    std::vector<std::string> flags{"-mcpu=" + device.processor};
    const UnitKind &unit = fastestSingleUnits(*device.described->machine);
    if (unit.inOrder && unit.inOrder->value != 0)
        flags.emplace_back("-frename-registers");
    return flags;
}

PackageContent contentFor(const ArmDevice &device)
{
    PackageContent content;
    content.device = "arm64:" + device.name;
    content.instructions = &neon();
    content.processorFlags = processorFlags(device);
    return content;
}

/// Returns the connection that a name says, without a connection the emulator of the device's
/// processor. Nothing is sent yet.
Result<std::shared_ptr<Connection>> connectionTo(const std::string &name, const ArmDevice &device,
                                                 std::stop_token stop)
{
    using Made = std::shared_ptr<Connection>;
    constexpr std::string_view ssh = "ssh:", adb = "adb:";
    const std::string connection = splitName(name).connection;
    if (connection.starts_with(ssh)) {
        GL_TRY_RESULT(address, parseSshAddress(connection.substr(ssh.size())));
        return Made(sshConnection(*std::move(address)));
    }
    if (connection.starts_with(adb)) {
        GL_TRY(checkAdbSerial(connection.substr(adb.size())));
        return Made(adbConnection(connection.substr(adb.size())));
    }
    if (!connection.empty())
        return fail(Error::Kind::Usage,
                    "a connection is ssh:USER@HOST, ssh:USER@HOST:PORT or adb:SERIAL",
                    "arm64:" + name);
    GL_TRY_CONST(emulator, armEmulator(std::move(stop)));
    GL_TRY_CONST(processor, emulatedProcessor(*emulator, device.processor));
    return Made(emulatorConnection({emulator->program, "-cpu", *processor}));
}

Result<ArmDevice> chosenDevice(const std::string &name)
{
    return name.empty() ? armDevices().front() : armDevice(splitName(name).device);
}

} // namespace

std::string_view Arm64Target::help() const
{
    return "Phones and boards with 64-bit ARM: packages in C with 128-bit vectors, compiled by a "
           "cross-compiler (gcc-aarch64-linux-gnu, or the one that GRAPHLOOM_ARM64_CC names) for "
           "the cores of the device. kirin990@ssh:USER@HOST is a board, sd865@adb:SERIAL a phone; "
           "their latencies have the provenance \"device\". Without a connection, programs run in "
           "QEMU's user mode, which shows whether their outputs are right and nothing of their "
           "speed: latencies have the provenance \"modelled\" and come from the description of the "
           "device. Devices whose names end with +fp16 compute tensors of half precision, which "
           "the pass half makes, in half precision.";
}

std::vector<std::string> Arm64Target::devices() const
{
    std::vector<std::string> names;
    for (const ArmDevice &device : armDevices())
        names.push_back(device.name);
    return names;
}

bool Arm64Target::hasDevice(const std::string &device) const
{
    return armDevice(splitName(device).device).has_value();
}

std::vector<Finding> Arm64Target::checkConnection(const std::string &device,
                                                  std::stop_token stop) const
{
    const auto failed = [](const Error &error) {
        return std::vector<Finding>{{"name", false, error.text()}};
    };
    const auto of = chosenDevice(device);
    if (!of)
        return failed(of.error());
    const auto connection = connectionTo(device, *of, stop);
    return connection ? (*connection)->check(stop) : failed(connection.error());
}

bool Arm64Target::measures(const std::string &device) const
{
    return !splitName(device).connection.empty();
}

Result<Device> Arm64Target::describe(const std::string &device, std::stop_token) const
{
    GL_TRY_CONST(of, chosenDevice(device));
    Device described = runningDevice(*of, 0);
    described.target = "arm64:" + device;
    return described;
}

std::vector<Finding> Arm64Target::probe() const
{
    std::vector<Finding> findings;
    for (const CCompiler &compiler : armCompilers())
        findings.push_back(
            {"C compiler", true, compiler.program.string() + ": " + compiler.version});
    if (findings.empty())
        findings.push_back({"C compiler", false, armCompiler({}).error().message});
    const auto emulator = armEmulator({});
    findings.push_back(
        {"emulator", emulator.has_value(), emulator ? emulator->version : emulator.error().text()});
    return findings;
}

std::string Arm64Target::fingerprint(const std::string &device) const
{
    const auto of = chosenDevice(device);
    if (!of)
        return {};
    const auto compiler = armCompiler({});
    const std::string connection = splitName(device).connection;
    return of->described->title + (connection.empty() ? "" : " at " + connection) + ", " +
           std::string(neon().title) + (of->halves ? " with FP16, " : ", ") +
           vectorsText(neon().lanes) + ", " + (compiler ? compiler->version : "");
}

Result<void> Arm64Target::checkDevice(const std::string &device) const
{
    GL_TRY_CONST(of, chosenDevice(device));
    GL_TRY(armCompiler({}));
    GL_TRY(connectionTo(device, *of, {}));
    return {};
}

Result<std::vector<SourceFile>> Arm64Target::generate(const Plan &plan,
                                                      const BuildOptions &options) const
{
    GL_TRY_CONST(device, chosenDevice(options.device));
    GL_TRY_CONST(steps, executionPlanFor(plan, schedulesFor(*device, options.threads), options));
    return kernelFiles(*steps, cFileForm(neon()));
}

Result<KernelCode> Arm64Target::compiledCode(std::span<const SourceFile> files,
                                             const std::string &symbol,
                                             const BuildOptions &options) const
{
    GL_TRY_CONST(device, chosenDevice(options.device));
    GL_TRY_RESULT(compiler, armCompiler(options.stop));
    std::vector<std::string> flags = kernelFlags(neon());
    std::ranges::copy(processorFlags(*device), std::back_inserter(flags));
    const UnitKind &unit = fastestSingleUnits(*device->described->machine);
    return graphloom::compiledCode(
        {files, symbol, *std::move(compiler), std::move(flags), unit.processor, options.stop});
}

Result<PackageFacts> Arm64Target::package(const Plan &plan, const PackageOptions &options,
                                          const std::filesystem::path &folder) const
{
    GL_TRY_CONST(device, chosenDevice(options.device));
    return packagePlan(plan, schedulesFor(*device, options.threads), contentFor(*device), options,
                       folder);
}

Result<Plan> Arm64Target::tune(const Plan &plan, const TuneOptions &options) const
{
    GL_TRY_CONST(device, chosenDevice(options.device));
    Plan own = plan;
    own.device = std::make_shared<const Device>(runningDevice(*device, options.threads));
    auto tuned = tuneFor(*device, own, options);
    if (tuned)
        tuned->device = plan.device;
    return tuned;
}

Result<Plan> Arm64Target::tuneFor(const ArmDevice &device, const Plan &plan,
                                  const TuneOptions &options) const
{
    const ScheduleTarget schedules = schedulesFor(device, options.threads);
    const bool isReal = measures(options.device);
    const bool needsTools = !isReal && !options.modelled && options.seconds > 0;
    const auto counting =
        !needsTools ? Result<void>() : checkCounting(*device.described->machine, options.stop);
    if (!counting)
        options.tell(
            {TargetMessage::Kind::TunedByModel,
             "kernels are tuned by the model of the device alone: " + counting.error().text()});
    if (options.modelled || !counting)
        return tuneByModel(plan, "arm64", schedules, options);

    const Provenance provenance = isReal ? Provenance::Device : Provenance::Modelled;
    PlanTunerOptions tuner = tunerOptionsOf(schedules, options, provenance);
    std::optional<Toolchain> toolchain;
    std::optional<DeployedBuild> build;
    if (options.seconds > 0) {
        GL_TRY_RESULT(compiler, armCompiler(options.stop));
        GL_TRY_RESULT(connection, connectionTo(options.device, device, options.stop));
        toolchain.emplace(*std::move(compiler), options.cache, options.tell);
        build.emplace(DeployedBuild{*toolchain, *std::move(connection), schedules,
                                    contentFor(device), runningDevice(device, options.threads)});
        tuner.times = phaseTimes(*build, options.stop);
    } else { // what the database knows needs no tools, as for a package
        tuner.times = [](const BlockKernel &, PhaseIndex, GroupSchedules) {
            return PhaseTime{0, 0, 0};
        };
    }
    tuner.database = options.database.get();
    tuner.device = fingerprint(options.device) + (isReal ? "" : ", counted");
    if (isReal)
        tuner.wholeRuns = [&](std::span<const Plan> plans, double seconds) {
            return runInTurns(plans, *this, options, seconds);
        };
    return tunedPlan(plan, {"arm64", provenance, schedules}, tuner);
}

Result<std::shared_ptr<BuiltPlan>> Arm64Target::build(const Plan &plan,
                                                      const BuildOptions &options) const
{
    GL_TRY_CONST(device, chosenDevice(options.device));
    GL_TRY_RESULT(compiler, armCompiler(options.stop));
    GL_TRY_RESULT(connection, connectionTo(options.device, *device, options.stop));
    Toolchain toolchain(*std::move(compiler), options.cache, options.tell);
    return buildDeployed(plan,
                         {toolchain, *std::move(connection), schedulesFor(*device, options.threads),
                          contentFor(*device), runningDevice(*device, options.threads)},
                         options);
}

Result<void> Arm64Target::deploy(BuiltPlan &plan, std::stop_token stop) const
{
    auto *deployed = dynamic_cast<DeployedPlan *>(&plan);
    if (!deployed)
        return fail(Error::Kind::Fault, "the plan was built by another target");
    return deployed->deploy(std::move(stop));
}

Result<std::vector<Measurement>>
Arm64Target::measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                     const MeasureOptions &options) const
{
    std::vector<Measurement> measurements;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        auto *deployed = dynamic_cast<DeployedPlan *>(plans[i].get());
        if (!deployed || !deployed->isEmulated())
            return measureDeployed(plans, options);
        options.progress(double(i) / double(plans.size()), "counting instructions");
        auto estimated = estimatedTimes(*deployed, options.stop);
        if (!estimated && estimated.error().kind != Error::Kind::Missing)
            return tl::unexpected(estimated.error());
        // Without the tools, times are those of the device's model, and nothing is counted.
        measurements.push_back(estimated ? *std::move(estimated) : deployed->modelled());
    }
    options.progress(1, "counting instructions");
    return measurements;
}

} // namespace graphloom::arm64
