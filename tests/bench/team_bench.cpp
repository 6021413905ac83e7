// SPDX-License-Identifier: Apache-2.0
// What a parallel loop of two threads costs with a Team and with tbb::parallel_for: empty; with two
// tasks that wait for each other, so that a second thread has to come; and with work that stays in
// the cache of the thread that did it the last time.
#include "engine/runtime/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>
#include <vector>

using namespace graphloom;

namespace {

/// Median of the microseconds of one call; a sample is ten calls.
template <class Call> double medianOf(Call call)
{
    constexpr int samples = 2000, calls = 10;
    std::vector<double> micros;
    for (int i = -200; i < samples; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        for (int j = 0; j < calls; ++j)
            call();
        const std::chrono::duration<double, std::micro> spent =
            std::chrono::steady_clock::now() - begin;
        if (i >= 0)
            micros.push_back(spent.count() / calls);
    }
    std::nth_element(micros.begin(), micros.begin() + samples / 2, micros.end());
    return micros[samples / 2];
}

template <class Loop> void print(const char *name, Loop loop)
{
    std::vector<float> data(1 << 17, 1.0F);
    const auto sweep = [&](std::int64_t tasks) {
        return medianOf([&, tasks] {
            const std::int64_t each = std::int64_t(data.size()) / tasks;
            loop(tasks, [&, each](std::int64_t first, std::int64_t last) {
                for (auto i = first * each; i < last * each; ++i)
                    data[std::size_t(i)] = data[std::size_t(i)] * 0.5F + 0.5F;
            });
        });
    };
    const double empty = medianOf([&] { loop(2, [](std::int64_t, std::int64_t) {}); });
    const double meeting = medianOf([&] {
        std::atomic<std::int64_t> met = 0;
        loop(2, [&](std::int64_t first, std::int64_t last) {
            for (met += last - first; met < 2;)
                std::this_thread::yield();
        });
    });
    std::printf(
        "%-18s empty %6.3f us, meeting %6.3f us, 512 KiB in 2 tasks %6.2f us, in 32 %6.2f us\n",
        name, empty, meeting, sweep(2), sweep(32));
}

} // namespace

int main()
{
    constexpr int threads = 2;
    print("one thread", [](std::int64_t tasks, auto body) { body(0, tasks); });
    for (const Team::Pinning pinning : {Team::Pinning::Free, Team::Pinning::OneCoreEach}) {
        Team team(threads, pinning);
        Team::Session session(team);
        print(pinning == Team::Pinning::Free ? "Team" : "Team, pinned",
              [&](std::int64_t tasks, auto body) {
                  session.parallel(tasks, [&](std::int64_t first, std::int64_t last, unsigned) {
                      body(first, last);
                  });
              });
    }
    tbb::task_arena arena(threads);
    arena.execute([&] {
        print("tbb::parallel_for", [](std::int64_t tasks, auto body) {
            tbb::parallel_for(std::int64_t{0}, tasks, [&](std::int64_t i) { body(i, i + 1); });
        });
    });
    Team team(threads);
    std::printf("a session with one empty loop: %.2f us\n", medianOf([&] {
                    Team::Session session(team);
                    session.parallel(2, [](std::int64_t, std::int64_t, unsigned) {});
                }));
}
