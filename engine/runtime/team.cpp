// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/team.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <ctime>
#include <pthread.h>
#include <tbb/task_arena.h>
#include <thread>
#include <vector>

namespace graphloom {

namespace {

/// Holds what is left of a worker's part of a loop, in units of one or more tasks, with the loop's
/// number: a compare-and-swap that succeeds proves that this loop still runs.
struct Part {
    std::uint32_t loop;
    std::uint16_t first, last;

    static Part of(std::uint64_t word)
    {
        return {std::uint32_t(word >> 32), std::uint16_t(word >> 16), std::uint16_t(word)};
    }
    std::uint64_t word() const
    {
        return std::uint64_t{loop} << 32 | std::uint64_t{first} << 16 | last;
    }
};
constexpr std::int64_t mostUnits = 0xffff;

using Clock = std::chrono::steady_clock;

/// Helpers that lose their cores get them back after the time slices of others: milliseconds.
constexpr Clock::duration shortestLoss = std::chrono::microseconds(500);
constexpr Clock::duration shortestPause = std::chrono::milliseconds(2),
                          longestPause = std::chrono::seconds(1);

/// Spins, then yields, so that more threads than cores still make progress.
class Wait {
public:
    void operator()()
    {
        if (!yields()) {
            ++m_count;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            asm volatile("yield");
#endif
        } else {
            std::this_thread::yield();
        }
    }
    bool yields() const
    {
        return m_count == spins;
    }

private:
    static constexpr int spins = 200; // a few microseconds
    int m_count = 0;
};

} // namespace

struct Team::State {
    static constexpr std::size_t cacheLine = 64;

    struct alignas(cacheLine) Worker {
        std::atomic<std::uint64_t> part{0};
        std::atomic<bool> called{false};  // a helper is coming or present
        std::atomic<bool> serving{false}; // the helper is in a session
        std::atomic<clockid_t> clock{};   // CPU clock of its thread
    };

    State(unsigned threads, Pinning pin) : workers(threads), pinning(pin) {}

    /// Returns the CPU time of the helpers that are in a session, and their number.
    std::pair<Clock::duration, int> onCores() const
    {
        std::pair<Clock::duration, int> sum{};
        for (const Worker &worker : workers) {
            timespec time{};
            if (!worker.serving || ::clock_gettime(worker.clock, &time) != 0)
                continue;
            sum.first += std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
            ++sum.second;
        }
        return sum;
    }

    std::vector<Worker> workers;
    const Pinning pinning;
    // The current loop: read by threads that saw its number, valid for those that got a part of it.
    std::atomic<void *> body{nullptr};
    std::atomic<TeamBody::Call> call{nullptr};
    std::atomic<std::int64_t> tasks{0}, unit{1}; // in all, and per unit
    alignas(cacheLine) std::atomic<std::uint32_t> loop{0};
    std::atomic<bool> open{false};
    std::atomic<bool> ended{false};      // no more sessions follow
    std::atomic<std::uint32_t> calls{0}; // counts sessions and the end, to wake helpers
    alignas(cacheLine) std::atomic<std::int64_t> done{0}; // tasks that helpers have finished
};

struct Team::Arena {
    tbb::task_arena arena;
};

Team::Team(unsigned threads, Pinning pinning)
    : m_threads(std::max(threads, 1U)), m_state(std::make_shared<State>(m_threads, pinning)),
      m_pause(shortestPause)
{
    if (m_threads == 1)
        return;
    if (pinning == Pinning::OneCoreEach) {
        for (unsigned worker = 1; worker < m_threads; ++worker)
            m_helpers.emplace_back([state = m_state, worker] { stay(*state, worker); });
        return;
    }
    // One slot is the caller's, who stays outside: it would have to enter for every session.
    m_arena.reset(new Arena{tbb::task_arena(int(m_threads), 1)});
    m_arena->arena.initialize();
}

Team::~Team()
{
    m_state->ended = true;
    ++m_state->calls;
    m_state->calls.notify_all();
    if (!m_arena)
        return;
    // Waits for called helpers: an arena that ends before them leaks what they hold. The wait is
    // limited, as oneTBB may have no thread for them, for example if its own thread waits here.
    const auto end = Clock::now() + std::chrono::milliseconds(100);
    for (const State::Worker &worker : m_state->workers)
        for (Wait wait; worker.called && Clock::now() < end;)
            wait();
}

void Team::open()
{
    assert(!m_state->open && "one session at a time");
    if (m_state->pinning == Pinning::OneCoreEach)
        m_pin.emplace(0);
    if (m_alone && Clock::now() < m_aloneUntil)
        return;
    if (!m_alone) // the last session went well
        m_pause = std::max(m_pause / 2, shortestPause);
    m_alone = false;
    m_state->open = true; // sequentially consistent, as in help(): one of the two sees the other
    if (m_state->pinning == Pinning::OneCoreEach) {
        ++m_state->calls;
        m_state->calls.notify_all();
        return;
    }
    for (unsigned worker = 1; worker < m_threads; ++worker)
        if (!m_state->workers[worker].called.exchange(true))
            m_arena->arena.enqueue([state = m_state, worker] { help(*state, worker); });
}

void Team::close()
{
    m_state->open = false;
    m_pin.reset();
}

/// Waits for a session; returns false if none opens soon. Successive inferences thus find helpers
/// awake: waking takes longer than many inferences, and on the caller's core, where systems tend to
/// put them, helpers could not begin before the caller is done.
bool Team::awaitSession(const State &state)
{
    constexpr auto patience = std::chrono::milliseconds(5);
    const auto end = Clock::now() + patience;
    Wait wait;
    while (!state.open.load(std::memory_order_relaxed)) {
        if (state.ended || Clock::now() > end)
            return false;
        wait();
    }
    return true;
}

/// Runs loops until the session ends.
void Team::serve(State &state, unsigned worker)
{
    State::Worker &own = state.workers[worker];
    clockid_t clock;
    if (::pthread_getcpuclockid(::pthread_self(), &clock) == 0) {
        own.clock = clock;
        own.serving = true;
    }
    std::uint32_t seen = 0; // no loop has this number
    Wait wait;
    while (state.open.load(std::memory_order_relaxed)) {
        const std::uint32_t loop = state.loop.load(std::memory_order_acquire);
        if (loop == seen) {
            wait();
            continue;
        }
        seen = loop;
        if (const std::int64_t tasks = work(state, loop, worker))
            state.done.fetch_add(tasks, std::memory_order_release);
        wait = {};
    }
    own.serving = false;
}

/// Runs a helper on a oneTBB thread while sessions follow each other.
void Team::help(State &state, unsigned worker)
{
    std::atomic<bool> &called = state.workers[worker].called;
    do {
        while (awaitSession(state))
            serve(state, worker);
        called = false;
        // The next session may have begun meanwhile, relying on this helper.
    } while (state.open && !called.exchange(true));
}

/// Runs a helper on a thread of the team's own, as long as the team exists.
void Team::stay(State &state, unsigned worker)
{
    const PinnedThread pin(worker);
    while (!state.ended) {
        const std::uint32_t seen = state.calls;
        if (awaitSession(state))
            serve(state, worker);
        else if (!state.ended)
            state.calls.wait(seen);
    }
}

/// Runs tasks of a loop as long as there are any; returns how many it ran.
std::int64_t Team::work(State &state, std::uint32_t loop, unsigned worker)
{
    const TeamBody body(state.body.load(std::memory_order_relaxed),
                        state.call.load(std::memory_order_relaxed));
    const std::int64_t tasks = state.tasks.load(std::memory_order_relaxed);
    const std::int64_t unit = state.unit.load(std::memory_order_relaxed);
    std::int64_t count = 0;
    const auto workers = unsigned(state.workers.size());
    for (unsigned i = 0; i < workers; ++i) {
        const bool own = i == 0;
        auto &part = state.workers[(worker + i) % workers].part;
        std::uint64_t word = part.load(std::memory_order_acquire);
        for (;;) {
            Part left = Part::of(word);
            if (left.loop != loop || left.first == left.last)
                break;
            // Takes half, of its own part from the front, of another's from the back.
            const auto half = std::uint16_t((left.last - left.first + 1) / 2);
            const Part taken = own ? Part{loop, left.first, std::uint16_t(left.first + half)}
                                   : Part{loop, std::uint16_t(left.last - half), left.last};
            (own ? left.first : left.last) = own ? taken.last : taken.first;
            if (!part.compare_exchange_weak(word, left.word(), std::memory_order_acq_rel,
                                            std::memory_order_acquire))
                continue;
            word = left.word();
            const std::int64_t first = taken.first * unit;
            const std::int64_t last = std::min(taken.last * unit, tasks);
            body(first, last, worker);
            count += last - first;
        }
    }
    return count;
}

void Team::run(std::int64_t tasks, TeamBody body)
{
    if (tasks <= 0)
        return;
    if (m_threads == 1 || tasks == 1 || m_alone)
        return body(0, tasks, 0);
    State &state = *m_state;
    const std::int64_t unit = (tasks + mostUnits - 1) / mostUnits;
    const std::int64_t units = (tasks + unit - 1) / unit;
    std::uint32_t loop = state.loop.load(std::memory_order_relaxed) + 1;
    loop += loop == 0;
    state.body.store(body.m_body, std::memory_order_relaxed);
    state.call.store(body.m_call, std::memory_order_relaxed);
    state.tasks.store(tasks, std::memory_order_relaxed);
    state.unit.store(unit, std::memory_order_relaxed);
    state.done.store(0, std::memory_order_relaxed);
    for (unsigned worker = 0; worker < m_threads; ++worker) {
        const Part part{loop, std::uint16_t(units * worker / m_threads),
                        std::uint16_t(units * (worker + 1) / m_threads)};
        state.workers[worker].part.store(part.word(), std::memory_order_release);
    }
    state.loop.store(loop, std::memory_order_release);
    awaitHelpers(tasks - work(state, loop, 0));
}

/// Waits until helpers finish their tasks. If they lost their cores, does without them for a while.
void Team::awaitHelpers(std::int64_t tasks)
{
    const State &state = *m_state;
    const auto begun = Clock::now();
    std::optional<Clock::time_point> sampled;
    std::pair<Clock::duration, int> before;
    for (Wait wait; state.done.load(std::memory_order_acquire) != tasks;) {
        wait();
        constexpr auto usual = std::chrono::microseconds(100); // parts differ in work
        if (!sampled && wait.yields() && Clock::now() - begun > usual) {
            before = state.onCores();
            sampled = Clock::now();
        }
    }
    if (!sampled)
        return;
    const auto [time, helpers] = state.onCores();
    const auto lost = helpers * (Clock::now() - *sampled) - (time - before.first);
    if (helpers != before.second || lost < shortestLoss)
        return;
    m_alone = true;
    m_aloneUntil = Clock::now() + m_pause;
    m_pause = std::min(2 * m_pause, longestPause);
}

} // namespace graphloom
