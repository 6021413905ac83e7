// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/pinned_thread.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace graphloom {

/// Refers to the body of a parallel loop: `body(first, last, worker)` runs tasks first..last-1.
/// `worker` is less than the team's number of threads, and no two calls with the same one run at a
/// time, so it selects scratch memory. The callable must outlive the TeamBody and must not throw.
class TeamBody {
public:
    template <class Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, TeamBody> &&
             std::is_invocable_v<Body &, std::int64_t, std::int64_t, unsigned>)
        TeamBody(Body &&body)
        : m_body(const_cast<void *>(static_cast<const void *>(&body))),
          m_call([](void *callable, std::int64_t first, std::int64_t last, unsigned worker) {
              (*static_cast<std::remove_reference_t<Body> *>(callable))(first, last, worker);
          })
    {
    }
    void operator()(std::int64_t first, std::int64_t last, unsigned worker) const
    {
        m_call(m_body, first, last, worker);
    }

private:
    friend class Team;
    using Call = void (*)(void *, std::int64_t, std::int64_t, unsigned);
    TeamBody(void *body, Call call) : m_body(body), m_call(call) {}
    void *m_body;
    Call m_call;
};

/// Holds the threads that run one inference together, for loops of microseconds: between loops the
/// helpers spin. The threads are oneTBB's; the team does without one that is busy elsewhere or has
/// no core. A pinned team has its own threads: a pinned oneTBB thread would keep the threads that
/// it starts on its core. If helpers lose their cores to other programs in the middle of work that
/// they have begun, the caller works alone for a while, longer each time that this recurs.
class Team {
public:
    enum class Pinning { Free, OneCoreEach };

    /// Makes a team of at least one thread, the caller's. In a pinned team each thread keeps to its
    /// own core if the system allows it, as measurements require: the caller during a session, the
    /// others always.
    explicit Team(unsigned threads, Pinning pinning = Pinning::Free);
    ~Team();
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;

    unsigned threads() const { return m_threads; }

    /// Represents one inference: calls the helpers together and releases them at the end. One
    /// session at a time.
    class Session {
    public:
        explicit Session(Team &team) : m_team(team) { m_team.open(); }
        ~Session() { m_team.close(); }
        Session(const Session &) = delete;
        Session &operator=(const Session &) = delete;

        unsigned threads() const { return m_team.threads(); }
        /// Runs tasks 0..tasks-1 and returns when all are done. Each thread begins with a part of
        /// its own, the same in every loop with as many tasks, so that its cache still holds what
        /// it wrote before; then it takes tasks from the others. Does not allocate, lock or nest.
        void parallel(std::int64_t tasks, TeamBody body) { m_team.run(tasks, body); }

    private:
        Team &m_team;
    };

private:
    struct State;
    struct Arena;

    void open();
    void close();
    void run(std::int64_t tasks, TeamBody body);
    static bool awaitSession(const State &state);
    static void serve(State &state, unsigned worker);
    static void help(State &state, unsigned worker);
    static void stay(State &state, unsigned worker);
    static std::int64_t work(State &state, std::uint32_t loop, unsigned worker);
    void awaitHelpers(std::int64_t tasks);

    unsigned m_threads;
    std::shared_ptr<State> m_state;      // shared with helpers that arrive after the team is gone
    std::unique_ptr<Arena> m_arena;      // of a team that is not pinned
    std::vector<std::jthread> m_helpers; // of a pinned team
    std::optional<PinnedThread> m_pin;   // of the caller
    bool m_alone = false;
    std::chrono::steady_clock::time_point m_aloneUntil;
    std::chrono::steady_clock::duration m_pause; // the next period alone
};

} // namespace graphloom
