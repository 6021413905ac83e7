// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_target.h"

#include "engine/codegen/build/kernel_folder.h"
#include "engine/codegen/emit/prelude.h"
#include "engine/deploy/kernel_choices.h"
#include "engine/deploy/plan_package.h"
#include "engine/deploy/plan_tuning.h"
#include "engine/deploy/toolchain.h"
#include "engine/package/kernel_files.h"
#include "targets/opencl/opencl_build.h"
#include "targets/opencl/opencl_peaks.h"
#include "targets/opencl/opencl_tuning.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace graphloom::opencl {

namespace {

/// Returns the folder for binaries, which only this user may write.
Result<std::filesystem::path> binaryFolder(const std::filesystem::path &named)
{
    GL_TRY_RESULT(folder, kernelFolder(named));
    GL_TRY(makeOwnFolder(*folder));
    return folder;
}

/// Returns the form of files with kernels for the device.
KernelFileForm fileForm(const std::string &title, int lanes)
{
    KernelFileForm form;
    form.header = "graphloom_kernels.clh";
    form.prelude = std::string(openclPrelude());
    form.suffix = ".cl";
    form.lanes = lanes;
    form.usage = [title](const std::string &) {
        return std::vector<std::string>{"OpenCL C 1.2, with schedules for " + title,
                                        "Build options: -cl-std=CL1.2 -cl-mad-enable -I FOLDER"};
    };
    return form;
}

Result<OpenclPeaks> peaksOf(const OpenclDevice &device, int lanes, std::stop_token stop)
{
    static std::mutex mutex;
    static std::map<std::string, OpenclPeaks> known;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(device.identity()); found != known.end())
        return found->second;
    GL_TRY_CONST(folder, binaryFolder({}));
    GL_TRY_CONST(queue, OpenclQueue::open(device, 0));
    GL_TRY_CONST(peaks, measuredPeaks(**queue, lanes, *folder, std::move(stop)));
    return known.emplace(device.identity(), *peaks).first->second;
}

} // namespace

std::string_view OpenclTarget::help() const
{
    return "Devices of the OpenCL drivers that are installed here, by their numbers: GPUs, and "
           "processors with PoCL. Kernels are in OpenCL C 1.2 and compiled by the driver; binaries "
           "are kept on disk. Figures of a processor have the provenance \"host\", those of a GPU "
           "\"device\". GPUs of phones are described: their kernels run on the first device here, "
           "which shows whether their outputs are right, and latencies have the provenance "
           "\"modelled\".";
}

std::vector<std::string> OpenclTarget::devices() const
{
    const auto found = openclDevices();
    std::vector<std::string> names{"0"};
    for (std::size_t i = 1; found && i < found->size(); ++i)
        names.push_back(std::to_string(i));
    for (std::string &name : describedNames())
        names.push_back(std::move(name));
    return names;
}

bool OpenclTarget::measures(const std::string &device) const
{
    return std::ranges::count(describedNames(), device) == 0;
}

Result<Device> OpenclTarget::describe(const std::string &device, std::stop_token stop) const
{
    GL_TRY_CONST(of, chosenDevice(device, false));
    if (of->described) {
        Device described = *of->described;
        described.target = "opencl:" + device;
        return described;
    }
    const ScheduleTarget target = of->schedules(0);
    GL_TRY_CONST(peaks, peaksOf(*of->runs, target.lanes, std::move(stop)));
    return deviceOf(std::make_shared<const Machine>(
        machineOf(*of->runs, target.lanes, target.vectorRegisters, *peaks)));
}

std::vector<Finding> OpenclTarget::probe() const
{
    const auto devices = openclDevices();
    if (!devices)
        return {{"OpenCL", false, devices.error().message}};
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < devices->size(); ++i)
        findings.push_back({"device " + std::to_string(i), true, (*devices)[i].identity()});
    return findings;
}

std::string OpenclTarget::fingerprint(const std::string &device) const
{
    const auto of = chosenDevice(device, false);
    return of ? of->fingerprint() : "";
}

Result<void> OpenclTarget::checkDevice(const std::string &device) const
{
    GL_TRY(chosenDevice(device, true));
    return {};
}

Result<std::vector<SourceFile>> OpenclTarget::generate(const Plan &plan,
                                                       const BuildOptions &options) const
{
    GL_TRY_CONST(device, chosenDevice(options.device, false));
    const ScheduleTarget target = device->elsewhere().schedules(options.threads);
    GL_TRY_CONST(steps, executionPlanFor(plan, target, options));
    return kernelFiles(*steps, fileForm(device->fingerprint(), target.lanes));
}

Result<PackageFacts> OpenclTarget::package(const Plan &plan, const PackageOptions &options,
                                           const std::filesystem::path &folder) const
{
    GL_TRY_CONST(device, chosenDevice(options.device, false));
    const ScheduleTarget target = device->elsewhere().schedules(options.threads);
    PackageContent content;
    content.device = "opencl:" + (options.device.empty() ? devices().front() : options.device);
    content.opencl = fileForm(device->fingerprint(), target.lanes);
    return packagePlan(plan, target, std::move(content), options, folder);
}

Result<Plan> OpenclTarget::tune(const Plan &plan, const TuneOptions &options) const
{
    GL_TRY_CONST(device, chosenDevice(options.device, !options.modelled));
    if (options.modelled || device->described) {
        Plan own = plan;
        if (device->described)
            own.device = std::make_shared<const Device>(*describe(options.device, options.stop));
        GL_TRY_RESULT(tuned,
                      tuneByModel(own, "opencl", device->schedules(options.threads), options));
        tuned->device = plan.device;
        return tuned;
    }
    GL_TRY_CONST(folder, binaryFolder(options.cache));
    return tuneOnDevice(plan, *device, *folder, options, *this);
}

Result<std::shared_ptr<BuiltPlan>> OpenclTarget::build(const Plan &plan,
                                                       const BuildOptions &options) const
{
    GL_TRY_CONST(device, chosenDevice(options.device, true));
    GL_TRY_CONST(folder, binaryFolder(options.cache));
    GL_TRY_RESULT(built, buildPlan(plan, *device, *folder, options));
    return std::shared_ptr<BuiltPlan>(*std::move(built));
}

Result<std::vector<Measurement>>
OpenclTarget::measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                      const MeasureOptions &options) const
{
    std::vector<Measurement> measurements;
    for (const std::shared_ptr<BuiltPlan> &plan : plans) {
        const auto *of = dynamic_cast<const OpenclPlan *>(plan.get());
        if (!of || !of->isDescribed())
            return measureInTurns(plans, options);
        measurements.push_back(of->modelled());
    }
    return measurements;
}

} // namespace graphloom::opencl
