// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_target.h"

#include "engine/codegen/emit/block_kernel.h"
#include "engine/cost/host.h"
#include "engine/deploy/kernel_choices.h"
#include "engine/deploy/plan_package.h"
#include "engine/deploy/plan_tuning.h"
#include "engine/deploy/toolchain.h"
#include "engine/machine_code/compiled_code.h"
#include "engine/ops/derive/infer.h"
#include "engine/package/kernel_files.h"
#include "engine/runtime/host_machine.h"
#include "engine/system/machine_condition.h"
#include "targets/host/host_plan.h"
#include "targets/host/host_tuning.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

namespace graphloom::host {

namespace {

constexpr const char *widest = "cpu"; // the device that uses what the processor can execute

/// What kernels of a device are generated for, whether it can be executed here or not.
Result<const InstructionSet *> instructionSetOf(const std::string &device, const HostFacts &host)
{
    if (device.empty() || device == widest)
        return &hostInstructionSet(host);
    if (const InstructionSet *set = findInstructionSet(device))
        return set;
    std::string names = widest;
    for (const InstructionSet &set : instructionSets())
        names += ", " + std::string(set.name);
    return fail(Error::Kind::Usage, "this target has no such device; it has: " + names,
                "host:" + device);
}

/// The same for kernels that are to run.
Result<const InstructionSet *> executableSetOf(const std::string &device, const HostFacts &host)
{
    auto set = instructionSetOf(device, host);
    if (set && !isExecutable(**set, host))
        return fail(Error::Kind::Missing,
                    "this processor supports " + executableInstructionSets(host) + ", but not " +
                        std::string((*set)->title) +
                        ": choose the device cpu, or write the kernels with --emit-kernels and run "
                        "them on a processor that supports it",
                    "host:" + device);
    return set;
}

using Tell = std::function<void(const TargetMessage &)>;

Result<Toolchain> toolchainFor(const std::filesystem::path &named, const Tell &tell,
                               std::stop_token stop)
{
    GL_TRY_RESULT(compiler, findCCompiler(std::getenv("CC"), std::move(stop)));
    return Result<Toolchain>(tl::in_place, *std::move(compiler), named, tell);
}

unsigned threadsOf(unsigned wanted)
{
    return wanted ? wanted : unsigned(hostFacts().cores);
}

ScheduleTarget schedulesFor(const InstructionSet &set, unsigned threads)
{
    return scheduleTargetOf(set, int(threadsOf(threads)));
}

} // namespace

std::string_view HostTarget::help() const
{
    return "This machine: kernels in C with vector extensions, compiled by gcc or clang, loaded "
           "into the program and kept on disk. The device cpu stands for the widest vectors that "
           "the processor can execute; the others name an instruction set, for which kernels can "
           "be generated anywhere. Figures have the provenance \"host\".";
}

std::vector<std::string> HostTarget::devices() const
{
    std::vector<std::string> names{widest};
    for (const InstructionSet &set : instructionSets())
        names.emplace_back(set.name);
    return names;
}

Result<Device> HostTarget::describe(const std::string &device, std::stop_token stop) const
{
    GL_TRY_CONST(set, executableSetOf(device, m_host));
    // Peaks for which there is no folder are kept for this process.
    static std::mutex mutex;
    static std::map<std::string_view, HostPeaks> measuredHere;
    const auto folder = kernelFolder({});
    std::optional<HostPeaks> peaks = folder ? readHostPeaks(*folder, **set) : std::nullopt;
    if (!peaks) {
        const std::lock_guard lock(mutex);
        if (const auto known = measuredHere.find((*set)->name); known != measuredHere.end())
            peaks = known->second;
    }
    if (!peaks) {
        GL_TRY_RESULT(tools, toolchainFor(
                                 {}, [](const TargetMessage &) {}, stop));
        GL_TRY_RESULT(measured, measureHostPeaks(**set, tools->cache, tools->compiler, stop));
        peaks = *measured;
        const std::lock_guard lock(mutex);
        measuredHere.insert_or_assign((*set)->name, *peaks);
    }
    return deviceOf(std::make_shared<const Machine>(hostMachine(hostFacts(), **set, *peaks)));
}

std::vector<Finding> HostTarget::probe() const
{
    std::vector<Finding> findings;
    const HostFacts &facts = hostFacts();
    findings.push_back({"processor", true,
                        facts.cpu + ", " + std::to_string(facts.cores) + " cores, executes " +
                            executableInstructionSets()});
    for (const CCompiler &compiler : findCCompilers())
        findings.push_back(
            {"C compiler", true, compiler.program.string() + ": " + compiler.version});
    if (findings.size() == 1)
        findings.push_back({"C compiler", false, findCCompiler().error().text()});
    return findings;
}

std::string HostTarget::fingerprint(const std::string &device) const
{
    const auto set = instructionSetOf(device, m_host);
    if (!set)
        return {};
    const auto compiler = findCCompiler(std::getenv("CC"), {});
    return fingerprintOf(**set, compiler ? *compiler : CCompiler());
}

Result<void> HostTarget::checkDevice(const std::string &device) const
{
    const auto set = executableSetOf(device, m_host);
    return set ? Result<void>() : tl::unexpected(set.error());
}

Result<std::vector<SourceFile>> HostTarget::generate(const Plan &plan,
                                                     const BuildOptions &options) const
{
    GL_TRY_CONST(set, instructionSetOf(options.device, m_host));
    GL_TRY_CONST(steps, executionPlanFor(plan, schedulesFor(**set, options.threads), options));
    return kernelFiles(*steps, cFileForm(**set));
}

Result<KernelCode> HostTarget::compiledCode(std::span<const SourceFile> files,
                                            const std::string &symbol,
                                            const BuildOptions &options) const
{
    GL_TRY_CONST(set, instructionSetOf(options.device, m_host));
    GL_TRY_RESULT(compiler, findCCompiler(std::getenv("CC"), options.stop));
    return graphloom::compiledCode(
        {files, symbol, *std::move(compiler), kernelFlags(**set), "native", options.stop});
}

Result<PackageFacts> HostTarget::package(const Plan &plan, const PackageOptions &options,
                                         const std::filesystem::path &folder) const
{
    GL_TRY_CONST(set, instructionSetOf(options.device, m_host));
    PackageContent content;
    content.device = "host:" + std::string((*set)->name);
    content.instructions = *set;
    return packagePlan(plan, schedulesFor(**set, options.threads), std::move(content), options,
                       folder);
}

Result<Plan> HostTarget::tune(const Plan &plan, const TuneOptions &options) const
{
    GL_TRY_CONST(set, options.modelled ? instructionSetOf(options.device, m_host)
                                       : executableSetOf(options.device, m_host));
    const ScheduleTarget target = schedulesFor(**set, options.threads);
    if (options.modelled)
        return tuneByModel(plan, "host", target, options);
    GL_TRY_RESULT(tools, toolchainFor(options.cache, options.tell, options.stop));
    return tuneKernels(plan, **set, target, options, tools->compiler, tools->cache, *this);
}

Result<std::shared_ptr<BuiltPlan>> HostTarget::build(const Plan &plan,
                                                     const BuildOptions &options) const
{
    GL_TRY_CONST(set, executableSetOf(options.device, m_host));
    GL_TRY_RESULT(tools, toolchainFor(options.cache, options.tell, options.stop));
    ExecutableOptions build{kernelChoicesOf(plan, schedulesFor(**set, options.threads))};
    build.compiler = &tools->compiler;
    build.cache = &tools->cache;
    build.threads = threadsOf(options.threads);
    build.compilers = unsigned(hostFacts().cores);
    build.pinning = options.pinned ? Team::Pinning::OneCoreEach : Team::Pinning::Free;
    build.stop = options.stop;
    build.progress = options.progress;
    build.rehearse = true;
    GL_TRY_RESULT(executable, Executable::build(plan.graph, opsetsOf(*plan.model),
                                                kernelBlocksOf(plan), build));
    return std::make_shared<HostPlan>(*std::move(executable), tools->compiler.version,
                                      (*set)->title);
}

Result<std::vector<Measurement>>
HostTarget::measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                    const MeasureOptions &options) const
{
    GL_TRY_RESULT(measurements, measureInTurns(plans, options));
    const MachineCondition now = machineCondition();
    for (Measurement &measurement : *measurements) {
        measurement.megahertz = now.megahertz;
        measurement.celsius = now.celsius;
    }
    return measurements;
}

} // namespace graphloom::host
