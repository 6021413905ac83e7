// SPDX-License-Identifier: Apache-2.0
// Measures candidates of generated kernels in a process of its own, as one may crash or hang. Reads
// a TrialOrder and answers in lines (engine/runtime/trial/trial_wire.h).
#include "engine/base/hash.h"
#include "engine/codegen/build/kernel_library.h"
#include "engine/cost/host.h"
#include "engine/runtime/aligned_bytes.h"
#include "engine/runtime/team.h"
#include "engine/runtime/trial/program/trial_memory.h"
#include "engine/runtime/trial/trial_wire.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <sys/prctl.h>

namespace graphloom {

namespace {

void answer(const TrialAnswer &what)
{
    std::puts(toLine(what).c_str());
    std::fflush(stdout);
}

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns how many bytes of other data must pass through the caches to leave what all of them
/// would leave there. If the shared cache holds them, the data of a kernel wait there, and only the
/// cores' own caches have other contents.
std::int64_t bytesToTouch(std::int64_t others, unsigned threads)
{
    const HostFacts &host = hostFacts();
    if (others <= host.l2Bytes)
        return 0;
    if (others <= host.l3Bytes / 2)
        return std::min(others, 2 * host.l2Bytes * std::int64_t(std::max(threads, 1U)));
    return std::min(others, std::max<std::int64_t>(2 * host.l3Bytes, 32 << 20));
}

class Trials {
public:
    static Result<Trials> prepare(TrialJob job);
    std::size_t count() const { return m_job.candidates.size(); }
    /// Measures one candidate; an error is its problem.
    Result<TrialResult> measure(std::size_t number);

private:
    struct Phase {
        KernelFunction function;
        std::int64_t tasks;
        std::vector<std::uint32_t> buffers;
    };
    struct alignas(64) Status {
        std::int32_t value = 0;
    };

    explicit Trials(TrialJob job) : m_job(std::move(job)), m_best(m_job.bestSeconds) {}
    Result<KernelFunction> function(const std::string &symbol) const;
    Result<void> fillBuffer(std::uint32_t number);
    /// Affects the caches like other kernels that run between two calls of the candidate.
    void use(std::size_t number, Team::Session &session);

    TrialJob m_job;
    std::vector<KernelLibrary> m_libraries;
    std::vector<std::vector<Phase>> m_phases; // by candidate
    std::vector<GuardedMemory> m_buffers;
    std::vector<GuardedMemory> m_scratch; // by worker
    AlignedBytes m_elsewhere;             // other data that go through the caches
    std::int64_t m_elsewhereBytes = 0;
    double m_best;
};

Result<KernelFunction> Trials::function(const std::string &symbol) const
{
    Result<KernelFunction> found = fail(Error::Kind::Fault, "there is no library");
    for (const KernelLibrary &library : m_libraries)
        if (found = library.kernel(symbol); found)
            break;
    return found;
}

Result<Trials> Trials::prepare(TrialJob job)
{
    Trials trials(std::move(job));
    for (const std::filesystem::path &file : trials.m_job.libraries) {
        auto library = KernelLibrary::open(file);
        if (!library)
            return tl::unexpected(Error{library.error().kind, library.error().message, {}, {}});
        trials.m_libraries.push_back(std::move(*library));
    }
    const TrialJob &what = trials.m_job;
    for (const TrialCandidate &candidate : what.candidates) {
        auto &phases = trials.m_phases.emplace_back();
        const auto known = [&](std::uint32_t buffer) { return buffer < what.buffers.size(); };
        bool knowsAll = std::ranges::all_of(candidate.buffers, known) &&
                        std::ranges::all_of(candidate.outputs, known, &TrialOutput::buffer);
        for (const TrialPhase &phase : candidate.phases) {
            const auto function = trials.function(phase.symbol);
            if (!function)
                return fail(Error::Kind::Fault, function.error().message);
            knowsAll = knowsAll && std::ranges::all_of(phase.buffers, known);
            phases.push_back({*function, phase.tasks,
                              phase.buffers.empty() ? candidate.buffers : phase.buffers});
        }
        if (!knowsAll)
            return fail(Error::Kind::Fault, "a candidate refers to an unknown buffer");
    }
    const auto allocate = [](std::vector<GuardedMemory> &where,
                             std::int64_t bytes) -> Result<void> {
        if (!where.emplace_back(bytes).data())
            return fail(Error::Kind::Fault,
                        "not enough memory for a buffer of " + std::to_string(bytes) + " bytes");
        return {};
    };
    for (const TrialBuffer &buffer : what.buffers)
        GL_TRY(allocate(trials.m_buffers, buffer.bytes));
    for (unsigned worker = 0; worker < std::max(what.threads, 1U); ++worker)
        GL_TRY(allocate(trials.m_scratch, what.scratchBytes));
    trials.m_elsewhereBytes = bytesToTouch(what.otherBytes, what.threads);
    trials.m_elsewhere = alignedBytes(trials.m_elsewhereBytes);
    std::memset(trials.m_elsewhere.get(), 0, std::size_t(trials.m_elsewhereBytes));
    for (std::uint32_t i = 0; i < what.buffers.size(); ++i)
        GL_TRY(trials.fillBuffer(i));
    return trials;
}

Result<void> Trials::fillBuffer(std::uint32_t number)
{
    return fill(m_buffers[number], m_job.buffers[number], combine(m_job.seed, number));
}

void Trials::use(std::size_t number, Team::Session &session)
{
    constexpr std::int64_t line = 64;
    // Each thread touches a part, since the cores' own caches are full of other data, too.
    const auto threads = std::int64_t(std::max(m_job.threads, 1U));
    const auto touch = [&](volatile char *data, std::int64_t bytes) {
        session.parallel(threads, [&](std::int64_t first, std::int64_t last, unsigned) {
            for (std::int64_t i = bytes * first / threads; i < bytes * last / threads; i += line)
                data[i] = char(data[i]);
        });
    };
    touch(reinterpret_cast<char *>(m_elsewhere.get()), m_elsewhereBytes);
    for (const Phase &phase : m_phases[number])
        for (const std::uint32_t buffer : phase.buffers)
            if (m_job.buffers[buffer].isRecent)
                touch(reinterpret_cast<char *>(m_buffers[buffer].data()),
                      m_job.buffers[buffer].bytes);
}

Result<TrialResult> Trials::measure(std::size_t number)
{
    const TrialCandidate &candidate = m_job.candidates[number];
    std::vector<std::vector<void *>> buffers; // by phase
    for (const Phase &phase : m_phases[number]) {
        auto &pointers = buffers.emplace_back();
        for (const std::uint32_t buffer : phase.buffers)
            pointers.push_back(m_buffers[buffer].data());
    }
    Team team(m_job.threads, Team::Pinning::OneCoreEach);
    Team::Session session(team);
    std::vector<Status> status(team.threads());
    const auto call = [&] {
        for (std::size_t p = 0; p < m_phases[number].size(); ++p) {
            const Phase &phase = m_phases[number][p];
            session.parallel(phase.tasks,
                             [&](std::int64_t first, std::int64_t last, unsigned worker) {
                                 phase.function(buffers[p].data(), m_scratch[worker].data(), first,
                                                last, &status[worker].value);
                             });
        }
    };
    const auto timed = [&](int calls) {
        if (m_elsewhereBytes > 0)
            use(number, session);
        const auto begin = Clock::now();
        for (int i = 0; i < calls; ++i)
            call();
        return secondsSince(begin) / calls;
    };

    if (!candidate.outputs.empty())
        for (const std::uint32_t buffer : candidate.buffers)
            GL_TRY(fillBuffer(buffer));
    double once = timed(1);
    for (const Status &one : status)
        if (one.value != 0)
            return fail(Error::Kind::Fault, "reports error " + std::to_string(one.value));
    for (const TrialOutput &output : candidate.outputs)
        GL_TRY(write(m_buffers[output.buffer], output.file));

    // Runs until caches, branch predictors and the clock settle; for heavy kernels they have.
    constexpr double settling = 2e-3, shortest = 20e-6;
    const auto warmUp = Clock::now();
    while (secondsSince(warmUp) < std::min(settling, m_job.seconds / 4))
        once = std::min(once, timed(1));

    TrialResult result;
    result.candidate = number;
    // A clock that ticks in tens of nanoseconds cannot time one call of a light kernel.
    result.callsPerSample = m_elsewhereBytes > 0 || once >= shortest
                                ? 1
                                : int(std::ceil(shortest / std::max(once, 1e-9)));
    std::vector<double> samples;
    const auto begin = Clock::now();
    const auto enough = [&] {
        const int count = int(samples.size());
        if (count == 1 && m_job.hopeless > 0 && m_best > 0 &&
            samples.front() > m_job.hopeless * m_best)
            return true;
        return count >= std::max(m_job.rounds, 1) ||
               (count >= 3 && secondsSince(begin) > m_job.seconds);
    };
    while (!enough())
        samples.push_back(timed(result.callsPerSample));
    std::ranges::sort(samples);
    result.samples = int(samples.size());
    result.least = samples.front();
    result.median = samples[samples.size() / 2];
    result.p95 = samples[(samples.size() * 95 + 99) / 100 - 1];
    m_best = m_best > 0 ? std::min(m_best, result.least) : result.least;
    return result;
}

int run()
{
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    auto order = trialOrderOf(text);
    const std::size_t begin = order ? order->begin : 0;
    auto trials = order ? Trials::prepare(std::move(order->job)) : tl::unexpected(order.error());
    if (!trials) {
        answer(TrialRefusal{trials.error().text()});
        return 1;
    }
    answer(TrialReady{});
    for (std::size_t number = begin; number < trials->count(); ++number) {
        auto result = trials->measure(number);
        if (!result) {
            TrialResult failed;
            failed.candidate = number;
            failed.problem = result.error().text();
            result = failed;
        }
        answer(*result);
    }
    return 0;
}

} // namespace

} // namespace graphloom

int main(int count, char **)
{
    if (count != 1) {
        std::fprintf(stderr, "usage: graphloom-trial < ORDER\n");
        return 2;
    }
    // The parent process reports a crash, not a handler that a library has installed here.
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
        std::signal(signal, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a hanging kernel does not outlive the parent process
    return graphloom::run();
}
