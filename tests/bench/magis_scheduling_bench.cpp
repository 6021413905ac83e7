// SPDX-License-Identifier: Apache-2.0
// Incremental scheduling (MAGIS Algorithm 2) against scheduling anew, as section 7.3 of the paper
// compares them: ten random networks of cells, ten substitutions each. Both use the same dynamic
// program, without and with a cache of segments. The waists of the old graph are kept with its
// order, so that finding them does not count; making the memory graph is the same for both and does
// not count either. Options: --cells N (12), --seed N: of the first network (1).
#include "plugins/magis/schedule/scheduling.h"
#include "tests/plugins/magis/memory_graphs.h"
#include "tests/support/cell_networks.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace graphloom;
using namespace graphloom::magis;

namespace {

struct Round {
    double full = 0, incremental = 0; // seconds
    std::int64_t fullPeak = 0, incrementalPeak = 0;
    double speedUp() const { return full / incremental; }
    bool isAsLow() const { return incrementalPeak <= fullPeak; }
};

/// Of the processor, since others may use it, too.
double now()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// The least of so many times.
template <class Work> double secondsOf(int times, Work work)
{
    double least = 1e9;
    for (int i = 0; i < times; ++i) {
        const double start = now();
        work();
        least = std::min(least, now() - start);
    }
    return least;
}

/// An order, and what is kept with it.
struct Scheduled {
    MemoryGraph memory;
    StepOrder order;
    IndexedVector<StepIndex, int> waists;
};

std::vector<Round> measure(std::uint64_t seed, int cells, bool cached)
{
    test::Random random(seed);
    Graph graph = test::cellNetwork(random, cells);
    const int times = cached ? 1 : 3; // a cache knows the second time what it learnt the first
    SegmentCache fullCache, incrementalCache;
    SegmentCache *const ofFull = cached ? &fullCache : nullptr;
    SegmentCache *const ofIncremental = cached ? &incrementalCache : nullptr;
    const SchedulingOptions options;
    MemoryGraph first = test::memoryOf(graph);
    StepOrder order = scheduled(first, options, ofFull);
    scheduled(first, options, ofIncremental);
    Scheduled old{std::move(first), std::move(order), {}};
    old.waists = narrowWaists(old.memory);
    std::vector<Round> rounds;
    while (rounds.size() < 10) {
        const std::string name = test::substitute(graph, random);
        MemoryGraph changed = test::memoryOf(graph);
        Round round;
        StepOrder anew, next;
        round.full = secondsOf(times, [&] { anew = scheduled(changed, options, ofFull); });
        round.incremental = secondsOf(times, [&] {
            next = rescheduled(old.memory, old.order, old.waists, changed, options, ofIncremental);
        });
        round.fullPeak = peakOf(changed, anew);
        round.incrementalPeak = peakOf(changed, next);
        if (!test::isValidOrder(changed, anew) || !test::isValidOrder(changed, next)) {
            std::printf("%s: an order is not topological\n", name.c_str());
            std::exit(1);
        }
        rounds.push_back(round);
        auto waists = narrowWaists(changed);
        old = {std::move(changed), std::move(next), std::move(waists)};
    }
    return rounds;
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Summary {
    double mean = 0, geometric = 0, middle = 0, least = 0, most = 0;
    double fullMs = 0, incrementalMs = 0; // of a round, on average
    int asLow = 0;
    double worstRatio = 0;

    explicit Summary(const std::vector<Round> &rounds)
    {
        std::vector<double> ups;
        double full = 0, incremental = 0, logs = 0, sum = 0;
        for (const Round &round : rounds) {
            ups.push_back(round.speedUp());
            sum += ups.back();
            logs += std::log(ups.back());
            full += round.full;
            incremental += round.incremental;
            asLow += round.isAsLow();
            worstRatio =
                std::max(worstRatio, double(round.incrementalPeak) / double(round.fullPeak));
        }
        const double count = double(rounds.size());
        mean = sum / count;
        geometric = std::exp(logs / count);
        middle = median(ups);
        least = std::ranges::min(ups);
        most = std::ranges::max(ups);
        fullMs = full / count * 1e3;
        incrementalMs = incremental / count * 1e3;
    }
    void print(const char *name, std::size_t rounds) const
    {
        std::printf("%-14s %10.3f %10.3f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %5d/%-4zu %6.3f\n",
                    name, fullMs, incrementalMs, fullMs / incrementalMs, mean, geometric, middle,
                    least, most, asLow, rounds, worstRatio);
    }
};

} // namespace

int main(int argc, char **argv)
{
    int cells = 12;
    std::uint64_t firstSeed = 1;
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--cells") == 0)
            cells = std::atoi(argv[i + 1]);
        else if (std::strcmp(argv[i], "--seed") == 0)
            firstSeed = std::uint64_t(std::atoll(argv[i + 1]));
    for (const bool cached : {false, true}) {
        std::printf("%s\n%-14s %10s %10s %8s %8s %8s %8s %8s %8s %10s %6s\n",
                    cached ? "with a cache of segments" : "without a cache", "network, steps",
                    "full ms", "incr. ms", "of sums", "mean", "geom.", "median", "least", "most",
                    "as low", "worst");
        std::vector<Round> all;
        for (std::uint64_t seed = firstSeed; seed < firstSeed + 10; ++seed) {
            test::Random random(seed);
            const std::size_t steps =
                test::memoryOf(test::cellNetwork(random, cells)).steps().size();
            const std::vector<Round> rounds = measure(seed, cells, cached);
            const std::string name = std::to_string(seed) + ", " + std::to_string(steps);
            Summary(rounds).print(name.c_str(), rounds.size());
            all.insert(all.end(), rounds.begin(), rounds.end());
        }
        Summary(all).print("all", all.size());
    }
    return 0;
}
