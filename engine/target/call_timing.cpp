// SPDX-License-Identifier: Apache-2.0
#include "engine/target/call_timing.h"

#include "engine/base/steady_clock.h"
#include "engine/cost/call_work.h"
#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/target/call_bench.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <unordered_map>

namespace graphloom {

namespace {

constexpr std::size_t mostTogether = 24; // calls: one compilation, others' data between runs
constexpr int mostRuns = 15, warmup = 2;
constexpr double mostSeconds = 1;    // of the runs of one batch; a slow one is run once
constexpr double batchSeconds = 0.1; // modelled, of one run of all calls of a batch
/// Expected runs of a call: it is repeated, operands are copied, and models are optimistic.
constexpr double likelyRuns = 10;
constexpr double bytesPerSecond = 2e8; // rate of filling operands and copying to the device
constexpr std::uint64_t inputSeed = 1;
/// Runs that differ by this much are repeated once: something else ran on the machine.
constexpr double noisy = 0.2;
constexpr int mostRounds = 2;

std::int64_t quarterOfMemory()
{
    return std::int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 4;
}

/// Describes calls with one key.
struct Job {
    const CallPart *call;
    ProfileKey key;
    std::int64_t bytes = 0;
    double modelled = 0; // seconds of a run
    Result<double> seconds = fail(Error::Kind::Fault, "was not measured");
};

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

    Result<Device> device(std::stop_token stop) const override
    {
        return m_target->describe(m_options.device, stop);
    }

    std::vector<Result<double>> time(const Graph &graph, const Opsets &opsets,
                                     std::span<const CallPart> calls,
                                     const TimingLimits &limits) override;

private:
    Result<void> look(const TimingLimits &limits);
    void listJobs(std::span<const CallPart> calls, std::vector<Job> &jobs,
                  std::vector<Result<std::size_t>> &jobOf) const;
    bool isKnown(Job &job) const;
    void measure(std::span<Job *const> jobs, const TimingLimits &limits);
    Result<std::vector<LatencySamples>> measured(std::span<Job *const> jobs,
                                                 const TimingLimits &limits) const;

    std::shared_ptr<const Target> m_target;
    CallTimingOptions m_options;
    Device m_described;
    std::string m_fingerprint;      // empty until look()
    const Graph *m_graph = nullptr; // of the calls
    std::map<TensorId, Layout> m_layouts;
};

/// Determines everything that a time depends on besides the call.
Result<void> TargetTimer::look(const TimingLimits &limits)
{
    if (!m_fingerprint.empty())
        return {};
    GL_TRY_RESULT(described, device(limits.stop));
    m_described = *std::move(described);
    const unsigned threads =
        m_options.threads ? m_options.threads : unsigned(std::max(1, m_described.units));
    m_fingerprint = std::string(m_target->name()) + ":" + m_options.device + ", ";
    for (const Finding &finding : m_target->probe())
        if (finding.found)
            m_fingerprint += finding.detail + ", ";
    m_fingerprint += std::to_string(threads) + " threads";
    return {};
}

void TargetTimer::listJobs(std::span<const CallPart> calls, std::vector<Job> &jobs,
                           std::vector<Result<std::size_t>> &jobOf) const
{
    std::unordered_map<std::uint64_t, std::size_t> known; // by key
    for (const CallPart &call : calls) {
        const CallPart *one = &call;
        const auto bench = benchOf(*m_graph, {&one, 1}, m_layouts);
        if (!bench) {
            jobOf.push_back(tl::unexpected(bench.error()));
            continue;
        }
        auto key = kernelKeyOf(bench->plan.graph, opsetsOf(*bench->plan.model),
                               {&bench->calls.front(), 1}, m_fingerprint);
        if (!key) {
            jobOf.push_back(tl::unexpected(key.error()));
            continue;
        }
        key->schedule = "by default in version " + m_options.version + ", among others, orders " +
                        bench->layouts.front();
        const auto [at, added] = known.try_emplace(key->hash(), jobs.size());
        if (added) {
            Job job{&call, *std::move(key)};
            job.bytes = benchBytes(call);
            job.modelled =
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
    job.seconds = nearest->minNs * 1e-9;
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
    std::vector<const CallPart *> calls;
    for (const Job *job : jobs)
        calls.push_back(job->call);
    GL_TRY_CONST(bench, benchOf(*m_graph, calls, m_layouts));
    BuildOptions build;
    build.device = m_options.device;
    build.threads = m_options.threads;
    build.pinned = true;
    build.cache = m_options.cache;
    build.stop = limits.stop;
    GL_TRY_CONST(built, m_target->build(bench->plan, build));
    GL_TRY(m_target->deploy(**built, limits.stop));
    GL_TRY_CONST(inputs, randomInputs(bench->plan.graph, inputSeed));
    GL_TRY((*built)->setInputs(*inputs));
    MeasureOptions options;
    options.runs = mostRuns;
    options.warmup = warmup;
    options.seconds = mostSeconds;
    options.stop = limits.stop;
    std::vector<Measurement> rounds;
    do {
        GL_TRY_RESULT(times, m_target->measure({&*built, 1}, options));
        rounds.push_back(std::move(times->front()));
    } while (int(rounds.size()) < mostRounds && rounds.back().whole.noise > noisy &&
             !limits.stop.stop_requested());

    const auto blocks = kernelBlocksOf(bench->plan);
    const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
    std::vector<LatencySamples> samples;
    for (const NodeId call : bench->calls) {
        std::optional<LatencySamples> best;
        for (const Measurement &round : rounds) {
            LatencySamples sample{
                0, 0, std::max(1, round.runs), round.provenance, at, m_options.version};
            bool any = false;
            const auto &steps = (*built)->steps();
            const double between = betweenSteps(round);
            for (std::size_t s = 0; s < steps.size(); ++s)
                if (steps[s].block && blocks.at(*steps[s].block).front() == call) {
                    any = true;
                    sample.minNs += (round.steps[s].min + between) * 1e6;
                    sample.medianNs += (round.steps[s].median + between) * 1e6;
                }
            if (!any)
                return fail(Error::Kind::Fault, "the target has no step for a call",
                            bench->plan.graph.node(call).label());
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
            jobs[j]->seconds = (*samples)[j].minNs * 1e-9;
            if (m_options.database) // a time that cannot be stored is still valid
                (void)m_options.database->record(jobs[j]->key, (*samples)[j]);
        }
    } else if (jobs.size() == 1 || limits.stop.stop_requested()) {
        for (Job *job : jobs)
            job->seconds = tl::unexpected(samples.error());
    } else {
        measure(jobs.first(jobs.size() / 2), limits);
        measure(jobs.subspan(jobs.size() / 2), limits);
    }
}

std::vector<Result<double>> TargetTimer::time(const Graph &graph, const Opsets &opsets,
                                              std::span<const CallPart> calls,
                                              const TimingLimits &limits)
{
    const double start = m_options.clock();
    const auto left = [&] { return limits.seconds - (m_options.clock() - start); };
    if (auto looked = look(limits); !looked)
        return std::vector<Result<double>>(calls.size(), tl::unexpected(looked.error()));
    m_graph = &graph;
    m_layouts = kernelLayouts(graph, opsets);
    std::vector<Job> jobs;
    std::vector<Result<std::size_t>> jobOf;
    listJobs(calls, jobs, jobOf);

    std::vector<Job *> batch;
    std::int64_t bytes = 0;
    double modelled = 0;
    std::size_t done = 0;
    const auto run = [&] {
        if (!batch.empty())
            measure(batch, limits);
        done += batch.size();
        batch.clear();
        bytes = 0;
        modelled = 0;
        limits.progress(double(done) / double(std::max<std::size_t>(1, jobs.size())),
                        "measuring calls");
    };
    for (Job &job : jobs) {
        if (isKnown(job)) {
            ++done;
            continue;
        }
        if (!batch.empty() &&
            (batch.size() == mostTogether || bytes + job.bytes > m_options.mostBytes ||
             modelled + job.modelled > batchSeconds))
            run();
        const auto skip = [&](const std::string &why) {
            job.seconds = fail(Error::Kind::Usage, why, job.call->node.label());
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
    }
    run();
    std::vector<Result<double>> times;
    for (const auto &job : jobOf)
        times.push_back(job ? jobs[*job].seconds : Result<double>(tl::unexpected(job.error())));
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
            if (name == thisMachine ? !plugin.target->isThisMachine()
                                    : plugin.target->name() != name)
                continue;
            GL_TRY_RESULT(database, openDatabase());
            CallTimingOptions own = options;
            own.database = *std::move(database);
            return timerOn(plugin.target, std::move(own));
        }
        return fail(Error::Kind::Missing, "the target plugin \"" + std::string(name) +
                                              "\" was not found next to the executable" + problems);
    };
}

} // namespace graphloom
