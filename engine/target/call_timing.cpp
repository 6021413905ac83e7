// SPDX-License-Identifier: Apache-2.0
#include "engine/target/call_timing.h"

#include "engine/base/steady_clock.h"
#include "engine/cost/call_work.h"
#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/system/temporary.h"
#include "engine/target/calibration.h"
#include "engine/target/call_bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <unistd.h>
#include <unordered_map>

namespace graphloom {

namespace {

constexpr std::size_t mostTogether = 24; // kernels: one compilation, others' data between runs
constexpr int mostRuns = 15, warmup = 2;
constexpr double mostSeconds = 1;    // of the runs of one batch; a slow one is run once
constexpr double batchSeconds = 0.1; // modelled, of one run of all kernels of a batch
/// Expected runs of a kernel: it is repeated, operands are copied, and models are optimistic.
constexpr double likelyRuns = 10;
constexpr double bytesPerSecond = 2e8; // rate of filling operands and copying to the device
constexpr std::uint64_t inputSeed = 1;
/// A batch is run in rounds until this many of them in a row have not lowered its time by this
/// share, or until they have taken `mostSeconds`: what else uses the caches and the memory of the
/// machine slows down all runs of some tenths of a second, so that their spread does not show it.
constexpr int steadyRounds = 3;
constexpr double steadyShare = 0.02;

std::int64_t quarterOfMemory()
{
    return std::int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 4;
}

/// A kernel to be timed: its key, or why it cannot be timed.
struct Wanted {
    KernelCalls calls;
    Result<ProfileKey> key;
};

/// Describes kernels with one key.
struct Job {
    KernelCalls calls;
    ProfileKey key;
    std::int64_t bytes = 0;
    double modelled = 0; // seconds of a run
    Result<KernelTime> time = fail(Error::Kind::Fault, "was not measured");
    std::optional<LatencySamples> best = std::nullopt; // of those taken now
    int taken = 0;
};

KernelTime timeOf(const LatencySamples &samples)
{
    return {samples.minNs * 1e-9, int(samples.count), samples.provenance, samples.measuredAtMs};
}

class TargetTimer final : public CallTimer {
public:
    TargetTimer(std::shared_ptr<const Target> target, CallTimingOptions options)
        : m_target(std::move(target)), m_options(std::move(options))
    {
        if (!m_options.clock)
            m_options.clock = steadySeconds;
        if (m_options.mostBytes <= 0)
            m_options.mostBytes = quarterOfMemory();
        if (m_options.device.empty())
            m_options.device = m_target->devices().front();
        if (!m_options.database)
            if (auto own = ProfileDatabase::inMemory())
                m_options.database = std::make_shared<ProfileDatabase>(*std::move(own));
    }

    Result<Device> device(const TimingLimits &limits) const override
    {
        // Once, not for each kernel.
        for (const Finding &step : m_target->checkConnection(m_options.device, limits.stop))
            if (!step.found)
                return fail(Error::Kind::Missing, step.detail, step.what);
        return calibrated({m_target, m_options.device}, m_options, limits);
    }

    std::vector<Result<double>> time(const Graph &graph, const Opsets &opsets,
                                     std::span<const CallPart> calls,
                                     const TimingLimits &limits) override;
    std::vector<Result<KernelTime>> timeBlocks(const Graph &graph, const Opsets &opsets,
                                               std::span<const std::vector<NodeId>> blocks,
                                               const TimingLimits &limits) override;

private:
    Result<void> look(const Graph &graph, const Opsets &opsets, const TimingLimits &limits);
    std::vector<Result<KernelTime>> timed(std::span<const Wanted> kernels,
                                          const TimingLimits &limits);
    std::string formIn(const KernelBench &bench) const;
    void listJobs(std::span<const Wanted> kernels, std::vector<Job> &jobs,
                  std::vector<Result<std::size_t>> &jobOf) const;
    bool isKnown(Job &job) const;
    void measure(std::span<Job *const> jobs, const TimingLimits &limits);
    Result<std::vector<LatencySamples>> measured(std::span<Job *const> jobs,
                                                 const TimingLimits &limits) const;

    std::shared_ptr<const Target> m_target;
    CallTimingOptions m_options;
    mutable std::unique_ptr<Temporary> m_temporary; // for kernels, if they have no folder
    Device m_described;
    std::string m_fingerprint;      // empty until look()
    const Graph *m_graph = nullptr; // of the calls
    std::map<TensorId, Layout> m_layouts;
};

/// Determines everything that a time depends on besides the kernel.
Result<void> TargetTimer::look(const Graph &graph, const Opsets &opsets, const TimingLimits &limits)
{
    m_graph = &graph;
    m_layouts = kernelLayouts(graph, opsets);
    if (!m_fingerprint.empty())
        return {};
    GL_TRY_RESULT(plain, described({m_target, m_options.device}, limits.stop));
    m_described = *std::move(plain);
    m_fingerprint = profiledDevice(m_described, m_options.threads);
    return {};
}

/// Returns the form in which the only kernel of a bench is timed, as the schedule of its key.
std::string TargetTimer::formIn(const KernelBench &bench) const
{
    return std::string(defaultForm) + " in version " + m_options.version +
           ", among others, orders " + bench.layouts.front();
}

void TargetTimer::listJobs(std::span<const Wanted> kernels, std::vector<Job> &jobs,
                           std::vector<Result<std::size_t>> &jobOf) const
{
    std::unordered_map<std::uint64_t, std::size_t> known; // by key
    for (const Wanted &kernel : kernels) {
        if (!kernel.key) {
            jobOf.push_back(tl::unexpected(kernel.key.error()));
            continue;
        }
        const auto [at, added] = known.try_emplace(kernel.key->hash(), jobs.size());
        if (added) {
            Job job{kernel.calls, *kernel.key};
            job.bytes = benchBytes(job.calls);
            for (const CallPart &call : job.calls)
                job.modelled +=
                    kernelSeconds(m_described, CallWork(call.description, call.call()).work());
            jobs.push_back(std::move(job));
        }
        jobOf.push_back(at->second);
    }
}

bool TargetTimer::isKnown(Job &job) const
{
    if (!m_options.database)
        return false;
    const auto latencies = m_options.database->lookup(job.key);
    if (!latencies)
        return false; // an unreadable database counts as empty
    // Provenances are ordered from the real device downwards.
    const auto nearest = std::ranges::min_element(*latencies, {}, &ProfiledLatency::provenance);
    if (nearest == latencies->end() || nearest->provenance == Provenance::Modelled)
        return false;
    job.time = timeOf(*nearest);
    return true;
}

/// Returns the time of a run outside its steps, in ms per step: threads wait for each other there.
double betweenSteps(const Measurement &measurement)
{
    double steps = 0;
    for (const Times &step : measurement.steps)
        steps += step.min;
    return std::max(0.0, measurement.whole.min - steps) /
           double(std::max<std::size_t>(1, measurement.steps.size()));
}

Result<std::vector<LatencySamples>> TargetTimer::measured(std::span<Job *const> jobs,
                                                          const TimingLimits &limits) const
{
    std::vector<KernelCalls> kernels;
    for (const Job *job : jobs)
        kernels.push_back(job->calls);
    GL_TRY_CONST(bench, benchOf(*m_graph, kernels, m_layouts));
    BuildOptions build;
    build.device = m_options.device;
    build.threads = m_options.threads;
    build.pinned = true;
    build.cache = m_temporary ? m_temporary->path() : m_options.cache;
    build.stop = limits.stop;
    std::atomic<bool> hasNoFolder = false;
    build.tell = [&](const TargetMessage &message) {
        hasNoFolder = hasNoFolder || message.kind == TargetMessage::Kind::NoKernelFolder;
    };
    GL_TRY_CONST(built, m_target->build(bench->plan, build));
    if (hasNoFolder) // rounds of the same calls need not compile again
        if (auto own = Temporary::folder(temporaryFolder()))
            m_temporary = std::make_unique<Temporary>(*std::move(own));
    GL_TRY(m_target->deploy(**built, limits.stop));
    GL_TRY_CONST(inputs, randomInputs(bench->plan.graph, inputSeed));
    GL_TRY((*built)->setInputs(*inputs));
    MeasureOptions options;
    options.runs = mostRuns;
    options.warmup = warmup;
    options.seconds = mostSeconds;
    options.stop = limits.stop;
    std::vector<Measurement> rounds;
    double least = std::numeric_limits<double>::infinity(); // ms of a run
    const double begin = m_options.clock();
    for (int steady = 0; steady < steadyRounds;) {
        GL_TRY_RESULT(times, m_target->measure({&*built, 1}, options));
        rounds.push_back(std::move(times->front()));
        const double now = rounds.back().whole.min;
        steady = now < (1 - steadyShare) * least ? 0 : steady + 1;
        least = std::min(least, now);
        if (limits.stop.stop_requested() || m_options.clock() - begin > mostSeconds)
            break;
    }

    const auto blocks = kernelBlocksOf(bench->plan);
    const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
    std::vector<LatencySamples> samples;
    for (const std::vector<NodeId> &kernel : bench->kernels) {
        const NodeId first = kernel.front();
        std::optional<LatencySamples> best;
        for (const Measurement &round : rounds) {
            LatencySamples sample{
                0, 0, std::max(1, round.runs), round.provenance, at, m_options.version};
            bool any = false;
            const auto &steps = (*built)->steps();
            const double between = betweenSteps(round);
            for (std::size_t s = 0; s < steps.size(); ++s)
                if (steps[s].block && std::ranges::count(blocks.at(*steps[s].block), first)) {
                    any = true;
                    sample.minNs += (round.steps[s].min + between) * 1e6;
                    sample.medianNs += (round.steps[s].median + between) * 1e6;
                }
            if (!any)
                return fail(Error::Kind::Fault, "the target has no step for a kernel",
                            bench->plan.graph.node(first).label());
            if (!best || sample.minNs < best->minNs)
                best = sample;
        }
        samples.push_back(*best);
    }
    return samples;
}

/// Measures all jobs together, or in two halves if that fails, so that only the job that causes the
/// failure gets no time.
void TargetTimer::measure(std::span<Job *const> jobs, const TimingLimits &limits)
{
    const auto samples = measured(jobs, limits);
    if (samples) {
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            Job &job = *jobs[j];
            const LatencySamples &sample = (*samples)[j];
            if (!job.best || sample.minNs < job.best->minNs)
                job.best = sample;
            job.time = timeOf(*job.best);
            // What was stopped before all times were taken is measured anew. A time that cannot be
            // stored is still valid.
            if (++job.taken >= m_options.times && m_options.database)
                (void)m_options.database->record(job.key, *job.best);
        }
    } else if (jobs.size() == 1 || limits.stop.stop_requested()) {
        for (Job *job : jobs)
            job->time = tl::unexpected(samples.error());
    } else {
        measure(jobs.first(jobs.size() / 2), limits);
        measure(jobs.subspan(jobs.size() / 2), limits);
    }
}

std::vector<Result<double>> TargetTimer::time(const Graph &graph, const Opsets &opsets,
                                              std::span<const CallPart> calls,
                                              const TimingLimits &limits)
{
    if (auto looked = look(graph, opsets, limits); !looked)
        return std::vector<Result<double>>(calls.size(), tl::unexpected(looked.error()));
    std::vector<Wanted> kernels;
    for (const CallPart &call : calls) {
        const KernelCalls alone(&call, 1);
        // A part of a call is none of the graph's, so that its key is that of its bench.
        const auto key = [&]() -> Result<ProfileKey> {
            GL_TRY_CONST(bench, benchOf(graph, {&alone, 1}, m_layouts));
            GL_TRY_RESULT(made, kernelKeyOf(bench->plan.graph, opsetsOf(*bench->plan.model),
                                            bench->kernels.front(), m_fingerprint));
            made->schedule = formIn(*bench);
            return *std::move(made);
        };
        kernels.push_back({alone, key()});
    }
    std::vector<Result<double>> seconds;
    for (const auto &time : timed(kernels, limits))
        seconds.push_back(time.map([](const KernelTime &known) { return known.seconds; }));
    return seconds;
}

std::vector<Result<KernelTime>> TargetTimer::timeBlocks(const Graph &graph, const Opsets &opsets,
                                                        std::span<const std::vector<NodeId>> blocks,
                                                        const TimingLimits &limits)
{
    if (auto looked = look(graph, opsets, limits); !looked)
        return std::vector<Result<KernelTime>>(blocks.size(), tl::unexpected(looked.error()));
    std::vector<std::vector<CallPart>> calls(blocks.size());
    std::vector<Wanted> kernels;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const auto key = [&]() -> Result<ProfileKey> {
            for (const NodeId id : blocks[b]) {
                const Node &node = graph.node(id);
                const Call call(node, operandsOf(graph, node), opsets(node.domain));
                GL_TRY_RESULT(description, describe(call));
                calls[b].push_back(wholeCall(call, *std::move(description)));
            }
            const KernelCalls together = calls[b];
            GL_TRY_CONST(bench, benchOf(graph, {&together, 1}, m_layouts));
            GL_TRY_RESULT(made, kernelKeyOf(graph, opsets, blocks[b], m_fingerprint));
            made->schedule = formIn(*bench);
            return *std::move(made);
        };
        auto made = key();
        kernels.push_back({calls[b], std::move(made)});
    }
    return timed(kernels, limits);
}

std::vector<Result<KernelTime>> TargetTimer::timed(std::span<const Wanted> kernels,
                                                   const TimingLimits &limits)
{
    const double start = m_options.clock();
    const auto left = [&] { return limits.seconds - (m_options.clock() - start); };
    std::vector<Job> jobs;
    std::vector<Result<std::size_t>> jobOf;
    listJobs(kernels, jobs, jobOf);

    std::vector<Job *> unknown;
    for (Job &job : jobs)
        if (!isKnown(job))
            unknown.push_back(&job);
    std::vector<Job *> batch;
    std::int64_t bytes = 0;
    double modelled = 0;
    std::size_t done = jobs.size() - unknown.size();
    const std::size_t all = done + unknown.size() * std::size_t(std::max(1, m_options.times));
    const auto run = [&] {
        if (!batch.empty())
            measure(batch, limits);
        done += batch.size();
        batch.clear();
        bytes = 0;
        modelled = 0;
        limits.progress(double(done) / double(std::max<std::size_t>(1, all)), "measuring kernels");
    };
    const auto add = [&](Job &job) {
        if (!batch.empty() &&
            (batch.size() == mostTogether || bytes + job.bytes > m_options.mostBytes ||
             modelled + job.modelled > batchSeconds))
            run();
        const auto skip = [&](const std::string &why) {
            if (!job.time) // otherwise it keeps its earlier time
                job.time = fail(Error::Kind::Usage, why, job.calls.front().node.label());
            ++done;
        };
        if (limits.stop.stop_requested())
            skip("cancelled before it was measured");
        else if (job.bytes > m_options.mostBytes)
            skip("takes " + std::to_string(job.bytes >> 20) + " MiB to measure, more than " +
                 std::to_string(m_options.mostBytes >> 20));
        else if (left() <= likelyRuns * (modelled + job.modelled) +
                               double(bytes + job.bytes) / bytesPerSecond)
            skip("the time for measuring is used up");
        else {
            batch.push_back(&job);
            bytes += job.bytes;
            modelled += job.modelled;
        }
    };
    for (int time = 0; time < std::max(1, m_options.times); ++time) {
        for (Job *job : unknown)
            add(*job);
        run();
    }
    std::vector<Result<KernelTime>> times;
    for (const auto &job : jobOf)
        times.push_back(job ? jobs[*job].time : Result<KernelTime>(tl::unexpected(job.error())));
    return times;
}

} // namespace

std::shared_ptr<CallTimer> timerOn(std::shared_ptr<const Target> target, CallTimingOptions options)
{
    return std::make_shared<TargetTimer>(std::move(target), std::move(options));
}

CallTimers timersOn(std::function<std::vector<TargetPlugin>()> plugins, CallTimingOptions options,
                    std::function<Result<std::shared_ptr<ProfileDatabase>>()> openDatabase)
{
    return [plugins = std::move(plugins), options = std::move(options),
            openDatabase = std::move(openDatabase)](
               std::string_view name) -> Result<std::shared_ptr<CallTimer>> {
        std::string problems;
        for (const TargetPlugin &plugin : plugins()) {
            if (!plugin.target) {
                problems += "; " + plugin.file.filename().string() + ": " + plugin.problem;
                continue;
            }
            const std::string_view target = name.substr(0, name.find(':'));
            if (name == thisMachine ? !plugin.target->isThisMachine()
                                    : plugin.target->name() != target)
                continue;
            CallTimingOptions own = options;
            if (target.size() < name.size())
                own.device = name.substr(target.size() + 1);
            if (!plugin.target->measures(own.device))
                return fail(
                    Error::Kind::Missing,
                    "kernels for this device run in an emulator, where they cannot be timed",
                    std::string(name));
            GL_TRY_RESULT(database, openDatabase());
            own.database = *std::move(database);
            return timerOn(plugin.target, std::move(own));
        }
        return fail(Error::Kind::Missing, "the target plugin \"" + std::string(name) +
                                              "\" was not found next to the executable" + problems);
    };
}

} // namespace graphloom
