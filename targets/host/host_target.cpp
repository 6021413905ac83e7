// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_target.h"

#include "engine/cost/host.h"
#include "engine/ops/infer.h"
#include "engine/runtime/host_peaks.h"
#include "targets/host/host_plan.h"
#include "targets/host/host_tuning.h"
#include "targets/host/kernel_files.h"

#include <algorithm>
#include <cstdlib>

namespace graphloom::host {

namespace {

constexpr std::uint64_t cacheBytes = std::uint64_t{1} << 30;
/// A parallel loop of a team begins and ends within about this time (tests/bench/team_bench).
constexpr double loopSeconds = 1e-6;

std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

Result<std::filesystem::path> cacheFolder(const std::filesystem::path &named)
{
    return named.empty() ? defaultKernelFolder(variable("XDG_CACHE_HOME"), variable("HOME"))
                         : Result<std::filesystem::path>(named);
}

Result<void> checkDevice(const std::string &device)
{
    if (device.empty() || device == "cpu")
        return {};
    return fail(Error::Kind::Usage, "this target has one device, cpu", "host:" + device);
}

using Tell = std::function<void(const TargetMessage &)>;

/// What kernels are compiled with. Without a folder of the user's they are kept for as long as this
/// is there.
struct Toolchain {
    Toolchain(CCompiler found, const Result<std::filesystem::path> &folder, const Tell &tell)
        : compiler(std::move(found)), cache(folder.value_or(""), cacheBytes, eventsOf(folder, tell))
    {
    }
    static KernelCacheEvents eventsOf(const Result<std::filesystem::path> &folder, const Tell &tell)
    {
        using Kind = TargetMessage::Kind;
        return {
            [tell](const std::string &what) {
                tell({Kind::DamagedKernel, "a compiled kernel was made anew: " + what});
            },
            [tell, none = folder ? "" : folder.error().text()](const std::string &reason) {
                tell({Kind::NoKernelFolder, (none.empty() ? reason : none) +
                                                "; for now they are kept in a temporary folder"});
            }};
    }
    CCompiler compiler;
    KernelCache cache;
};

Result<Toolchain> toolchainFor(const std::string &device, const std::filesystem::path &named,
                               const Tell &tell, std::stop_token stop)
{
    if (auto known = checkDevice(device); !known)
        return tl::unexpected(known.error());
    auto compiler = findCCompiler(std::getenv("CC"), std::move(stop));
    if (!compiler)
        return tl::unexpected(compiler.error());
    return Result<Toolchain>(tl::in_place, *std::move(compiler), cacheFolder(named), tell);
}

unsigned threadsOf(unsigned wanted)
{
    return wanted ? wanted : unsigned(hostFacts().cores);
}

ScheduleTarget scheduleTarget(unsigned threads)
{
    ScheduleTarget target;
    // Vectors of one element have no code; compilers split those of four where there are none.
    target.lanes = std::max(hostFacts().lanes, 4);
    target.vectorRegisters = hostFacts().avx512 || hostFacts().neon ? 32 : 16;
    target.threads = int(threadsOf(threads));
    return target;
}

/// What the plan says of its kernels.
KernelChoices choicesOf(const Plan &plan, unsigned threads)
{
    KernelChoices choices;
    choices.target = scheduleTarget(threads);
    choices.layouts = layoutsOf(plan);
    if (const KernelPlan *kernels = kernelsOf(plan)) {
        choices.algorithms = kernels->algorithms;
        for (const std::vector<NestKernel> &block : kernels->blocks) {
            std::vector<std::string> &nests = choices.schedules.emplace_back();
            for (const NestKernel &nest : block)
                nests.push_back(nest.schedule);
        }
    }
    return choices;
}

} // namespace

std::string_view HostTarget::help() const
{
    return "This machine: kernels in C with vector extensions, compiled by gcc or clang, loaded "
           "into the program and kept on disk. Figures have the provenance \"host\".";
}

Result<Device> HostTarget::describe(const std::string &device, std::stop_token stop) const
{
    if (auto known = checkDevice(device); !known)
        return tl::unexpected(known.error());
    const auto folder = cacheFolder({});
    std::optional<HostPeaks> peaks = folder ? readHostPeaks(*folder) : std::nullopt;
    if (!peaks) {
        auto tools = toolchainFor(
            device, {}, [](const TargetMessage &) {}, stop);
        if (!tools)
            return tl::unexpected(tools.error());
        auto measured = measureHostPeaks(tools->cache, tools->compiler, stop);
        if (!measured)
            return tl::unexpected(measured.error());
        peaks = *measured;
    }
    const HostFacts &facts = hostFacts();
    Device host;
    host.name = "host";
    host.title = facts.cpu;
    host.units = facts.cores;
    host.lanes = facts.lanes;
    host.peakFlops = peaks->flopsOfAll;
    host.bandwidth = peaks->memoryOfAll;
    const double nearest = peaks->l2 > 0 ? peaks->l2 : peaks->l1;
    host.cacheBandwidth = nearest > 0 ? nearest * facts.cores : peaks->memoryOfAll;
    host.launchSeconds = loopSeconds;
    host.sources = {{"units", "cores that this program may use"},
                    {"peak_gflops", "measured here: fused multiply-adds on all cores at once"},
                    {"bandwidth_gb_per_s", "measured here: all cores read from memory at once"},
                    {"cache_gb_per_s", "measured here: reads from the second-level cache of one "
                                       "core, times the cores"},
                    {"launch_us", "assumed: a parallel loop of a team of threads that spin"}};
    return host;
}

std::vector<Finding> HostTarget::probe() const
{
    std::vector<Finding> findings;
    const HostFacts &facts = hostFacts();
    findings.push_back({"processor", true,
                        facts.cpu + ", " + std::to_string(facts.cores) + " cores, vectors of " +
                            std::to_string(facts.lanes)});
    for (const CCompiler &compiler : findCCompilers())
        findings.push_back(
            {"C compiler", true, compiler.program.string() + ": " + compiler.version});
    if (findings.size() == 1)
        findings.push_back({"C compiler", false, findCCompiler().error().text()});
    return findings;
}

Result<std::vector<SourceFile>> HostTarget::generate(const Plan &plan,
                                                     const BuildOptions &options) const
{
    if (auto known = checkDevice(options.device); !known)
        return tl::unexpected(known.error());
    GenerateOptions generate{choicesOf(plan, options.threads)};
    generate.stop = options.stop;
    generate.progress = [&](double done) { options.progress(done, "generating kernels"); };
    const auto kernels =
        generateKernels(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan), generate);
    if (!kernels)
        return tl::unexpected(kernels.error());
    return kernelFiles(*kernels, generate.target.lanes);
}

Result<std::shared_ptr<const KernelPlan>> HostTarget::tune(const Plan &plan,
                                                           const TuneOptions &options) const
{
    auto tools = toolchainFor(options.device, options.cache, options.tell, options.stop);
    if (!tools)
        return tl::unexpected(tools.error());
    return tuneKernels(plan, scheduleTarget(options.threads), options, tools->compiler,
                       tools->cache);
}

Result<std::shared_ptr<BuiltPlan>> HostTarget::build(const Plan &plan,
                                                     const BuildOptions &options) const
{
    auto tools = toolchainFor(options.device, options.cache, options.tell, options.stop);
    if (!tools)
        return tl::unexpected(tools.error());
    ExecutableOptions build{choicesOf(plan, options.threads)};
    build.compiler = &tools->compiler;
    build.cache = &tools->cache;
    build.threads = threadsOf(options.threads);
    build.pinning = options.pinned ? Team::Pinning::OneCoreEach : Team::Pinning::Free;
    build.stop = options.stop;
    build.progress = options.progress;
    build.rehearse = true;
    auto executable =
        Executable::build(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan), build);
    if (!executable)
        return tl::unexpected(executable.error());
    return std::make_shared<HostPlan>(*std::move(executable), tools->compiler.version);
}

Result<std::vector<Measurement>>
HostTarget::measure(std::span<const std::shared_ptr<BuiltPlan>> plans,
                    const MeasureOptions &options) const
{
    return measureInTurns(plans, options);
}

} // namespace graphloom::host
