// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/optimizer.h"

#include "engine/base/hash.h"
#include "plugins/magis/search/fission_tree.h"
#include "plugins/magis/search/lowering.h"
#include "plugins/magis/search/state_order.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace graphloom::magis {

struct Optimization::Expansion {
    const State &from;
    Simulator &simulator;
    Trace &trace; // of `from`
    Trace &other;
    std::mt19937_64 random;
    std::vector<State> found;
    PartTimes::Clock::duration inside{}; // time that counts for other parts than transforming

    double unit() { return double(random() >> 11) * 0x1p-53; }
};

Optimization::Optimization(const SearchSpace &space, Outcome before, std::vector<Limits> interests,
                           std::uint64_t seed, std::vector<FissionIndex> candidates,
                           const SearchMoves &moves)
    : m_space(space), m_before(before), m_interests(std::move(interests)), m_seed(seed),
      m_candidates(std::move(candidates)), m_moves(moves), m_workspaces([&space] {
          return Workspace{Simulator(space.memory(), space.evictions()), {}, {}};
      })
{
}

void Optimization::lock(std::vector<EnabledFission> locks)
{
    m_locks = std::move(locks);
    if (const auto locked = arrange(firstOrder, {}))
        m_moves.mostCalls = std::max(m_moves.mostCalls, locked->calls());
}

void Optimization::accepted(const State &state)
{
    constexpr std::size_t most = 4096;
    for (const EnabledFission &enabled : state.arrangement->fissions())
        if (m_candidates.size() < most &&
            std::ranges::find(m_candidates, enabled.fission) == m_candidates.end())
            m_candidates.push_back(enabled.fission);
}

double Optimization::interest(double seconds, double bytes) const
{
    double least = 1;
    for (const Limits &limits : m_interests) {
        const double distance = limits.seconds > 0 ? std::abs(seconds / limits.seconds - 1)
                                                   : std::abs(bytes / double(limits.bytes) - 1);
        least = std::min(least, 0.05 + 4 * distance);
    }
    return least;
}

std::uint64_t Optimization::niche(const State &state) const
{
    const Arrangement &arrangement = *state.arrangement;
    std::uint64_t parts = 1;
    bool nested = false;
    for (const RegionIndex r : arrangement.regions().indices())
        if (arrangement.regions()[r].parent.isValid())
            nested = true;
        else
            parts = std::max(parts, std::uint64_t(arrangement.fissions()[r].number));
    constexpr std::uint64_t most = 16; // higher numbers of parts share a niche
    return std::min(parts, most) * 2 + nested;
}

double Optimization::objective(const ParetoArchive<State> &archive) const
{
    constexpr double nothing = 10;
    double sum = 0;
    for (const Limits &limits : m_interests) {
        const auto *best = limits.seconds > 0 ? archive.bestWithinFirst(limits.seconds)
                                              : archive.bestWithinSecond(double(limits.bytes));
        if (!best)
            sum += nothing;
        else
            sum += limits.seconds > 0 ? best->second / double(m_before.peak)
                                      : best->first / m_before.seconds;
    }
    return sum / double(std::max<std::size_t>(1, m_interests.size()));
}

bool Optimization::keepsLocks(const State &state) const
{
    const auto &fissions = state.arrangement->fissions();
    return std::ranges::all_of(m_locks, [&](const EnabledFission &lock) {
        const auto at = std::ranges::find(fissions, lock.fission, &EnabledFission::fission);
        return at == fissions.end() ? lock.number == 1 : at->number == lock.number;
    });
}

/// Applies the locks: a locked fission replaces those that overlap it without being nested.
std::shared_ptr<const Arrangement> Optimization::arrange(OrderIndex order,
                                                         std::vector<EnabledFission> fissions) const
{
    const FissionTable &table = m_space.fissions();
    const bool isChosen = !fissions.empty(); // by the search, not by the user
    for (const EnabledFission &lock : m_locks) {
        const Fission &locked = table.fission(lock.fission);
        std::erase_if(fissions, [&](const EnabledFission &other) {
            if (other.fission == lock.fission)
                return true;
            const Fission &one = table.fission(other.fission);
            const std::size_t shared = lock.number > 1 ? locked.overlap(one) : 0;
            return shared > 0 && shared != one.nodes().size() && shared != locked.nodes().size();
        });
        if (lock.number > 1)
            fissions.push_back(lock);
    }
    auto arrangement = m_space.arrange(order, std::move(fissions));
    return isChosen && arrangement && arrangement->calls() > m_moves.mostCalls
               ? nullptr
               : std::move(arrangement);
}

bool Optimization::evaluate(Expansion &expansion, OrderIndex order,
                            std::vector<EnabledFission> fissions, Policies policies) const
{
    auto arrangement = arrange(order, std::move(fissions));
    return arrangement && evaluate(expansion, order, std::move(arrangement), std::move(policies));
}

bool Optimization::evaluate(Expansion &expansion, OrderIndex order,
                            std::shared_ptr<const Arrangement> arrangement, Policies policies) const
{
    m_simulated.fetch_add(1, std::memory_order_relaxed);
    const PartTimes::Clock::time_point start = PartTimes::Clock::now();
    auto state = m_space.evaluate(expansion.simulator, order, std::move(arrangement),
                                  std::move(policies), &m_times);
    expansion.inside += PartTimes::Clock::now() - start;
    if (!state)
        return false;
    expansion.found.push_back(std::move(*state));
    return true;
}

std::vector<State> Optimization::expand(const State &state, std::uint64_t visit) const
{
    const PartTimes::Clock::time_point start = PartTimes::Clock::now();
    Workspace &work = workspace();
    Expansion expansion{state,
                        work.simulator,
                        work.trace,
                        work.other,
                        std::mt19937_64(combine(combine(m_seed, state.hash.first), visit)),
                        {}};
    expansion.found.reserve(32);
    expansion.simulator.run(*state.arrangement, state.policies, &expansion.trace);
    expansion.inside = PartTimes::Clock::now() - start;
    m_times.add(SearchPart::Simulating, expansion.inside);
    if (m_moves.choosesEvictions)
        addPolicyMoves(expansion);
    else
        addEvictionsAnywhere(expansion);
    addFissionMoves(expansion);
    constexpr std::uint64_t sometimes = 128; // an analysis takes as long as hundreds of states
    if (m_moves.analyses && m_moves.choosesRegions && expansion.random() % sometimes == 0)
        addAnalysis(expansion);
    // Reschedule only states that have not been superseded and are near the limits.
    constexpr std::uint64_t stayed = 1; // visits
    constexpr double near = 0.3;
    if (m_moves.reschedules && visit == stayed &&
        interest(state.outcome.seconds, double(state.outcome.peak)) < near)
        addSchedule(expansion);
    m_times.add(SearchPart::Transforming, PartTimes::Clock::now() - start - expansion.inside);
    return std::move(expansion.found);
}

/// Keeps, swaps or computes again single tensors anywhere in the graph.
void Optimization::addEvictionsAnywhere(Expansion &expansion) const
{
    const State &from = expansion.from;
    constexpr int tries = 8; // about as many states as the moves near peaks make
    for (int i = 0; i < tries && !from.policies.empty(); ++i) {
        const EvictionIndex eviction(expansion.random() % from.policies.size());
        Policies policies = from.policies;
        const bool recomputes = m_space.canRecompute(eviction) && expansion.random() % 2 == 0;
        const Policy other = recomputes ? Policy::Recompute : Policy::Swap;
        policies[eviction] = policies[eviction] == Policy::Keep ? other : Policy::Keep;
        evaluate(expansion, from.order, from.arrangement, std::move(policies));
    }
}

void Optimization::addPolicyMoves(Expansion &expansion) const
{
    const State &from = expansion.from;
    const auto peak = double(from.outcome.peak);
    auto &random = expansion.random;
    const auto unit = [&] { return expansion.unit(); };
    const auto tryPolicies = [&](Policies policies) {
        if (policies != from.policies)
            evaluate(expansion, from.order, from.arrangement, std::move(policies));
    };
    // Intermediate targets are worth as much as the last one.
    constexpr int ways = 2;
    for (int way = 0; way < ways; ++way) {
        Lowering lowering;
        for (const double depth : {0.003, 0.015, 0.05, 0.15})
            lowering.targets.push_back(std::int64_t(peak * (1 - depth * (0.5 + unit()))));
        lowering.transferWeight = std::pow(10.0, -2.5 * unit());
        lowering.noise = 1 + 3 * unit();
        lowering.swaps = random() % 4 != 0;
        lowering.recomputes = random() % 6 != 0;
        lowering.seed = random();
        for (Policies &policies : lowered(m_space, from, expansion.trace, lowering))
            tryPolicies(std::move(policies));
    }
    tryPolicies(relaxed(m_space, from, expansion.trace, from.outcome.peak));
    tryPolicies(relaxed(m_space, from, expansion.trace, std::int64_t(peak * (1 + 0.05 * unit()))));
    // Undo some evictions and choose others in their place.
    Policies fewer = from.policies;
    const double share = 0.05 + 0.4 * unit();
    bool changed = false;
    for (Policy &policy : fewer)
        if (policy != Policy::Keep && unit() < share) {
            policy = Policy::Keep;
            changed = true;
        }
    if (!changed)
        return;
    auto state = m_space.evaluate(expansion.simulator, from.order, from.arrangement, fewer);
    m_simulated.fetch_add(1, std::memory_order_relaxed);
    if (!state)
        return;
    expansion.simulator.run(*state->arrangement, state->policies, &expansion.other);
    Lowering lowering{.targets = {std::int64_t(peak * (1 - 0.01 * unit()))}};
    lowering.transferWeight = std::pow(10.0, -2.5 * unit());
    lowering.noise = 1 + unit();
    lowering.seed = random();
    for (Policies &policies : lowered(m_space, *state, expansion.other, lowering))
        tryPolicies(std::move(policies));
    expansion.found.push_back(std::move(*state));
}

/// Adds the fission and all others of its form, as repeated blocks have them, where they fit with
/// the enabled ones; with `replaces`, instead of enabled ones that they share nodes with.
std::vector<EnabledFission> Optimization::withForm(const std::vector<EnabledFission> &enabled,
                                                   FissionIndex fission, const Cutting &cutting,
                                                   bool replaces,
                                                   std::span<const FissionIndex> candidates) const
{
    const FissionTable &table = m_space.fissions();
    std::vector<EnabledFission> result = enabled;
    for (const FissionIndex f : candidates) {
        const Fission &added = table.fission(f);
        if (added.form() != table.fission(fission).form())
            continue;
        if (replaces)
            std::erase_if(result, [&](const EnabledFission &other) {
                const Fission &old = table.fission(other.fission);
                return added.overlap(old) > 0 && old.nodes().size() <= 2 * added.nodes().size();
            });
        const bool fits = std::ranges::none_of(result, [&](const EnabledFission &other) {
            const Fission &old = table.fission(other.fission);
            const std::size_t shared = added.overlap(old);
            return other.fission == f ||
                   (shared > 0 && shared != added.nodes().size() && shared != old.nodes().size());
        });
        if (fits)
            result.push_back({f, cutting.number, cutting.size});
    }
    return result;
}

void Optimization::addFissionMoves(Expansion &expansion) const
{
    const State &from = expansion.from;
    const auto &enabled = from.arrangement->fissions().elements();
    auto &random = expansion.random;
    const FissionTable &table = m_space.fissions();
    // Mutate (other numbers of parts) or disable one fission, or all of its form.
    std::vector<std::uint64_t> forms;
    for (std::size_t i = 0; i < enabled.size(); ++i) {
        const Fission &fission = table.fission(enabled[i].fission);
        const bool first = std::ranges::find(forms, fission.form()) == forms.end();
        if (!first && random() % enabled.size() > 2)
            continue; // single ones only now and then
        forms.push_back(fission.form());
        const auto &cuttings = m_space.fissions().cuttings(enabled[i].fission);
        const auto at = std::ranges::find(cuttings, enabled[i].cutting());
        std::vector<Cutting> others;
        if (at != cuttings.begin())
            others.push_back(*std::prev(at));
        if (at != cuttings.end() && std::next(at) != cuttings.end())
            others.push_back(*std::next(at));
        for (const Cutting &other : others) {
            std::vector<EnabledFission> fissions;
            for (std::size_t j = 0; j < enabled.size(); ++j) {
                EnabledFission changed = enabled[j];
                const bool same =
                    first ? table.fission(changed.fission).form() == fission.form() : i == j;
                if (same)
                    changed = {changed.fission, other.number, other.size};
                if (changed.number > 1)
                    fissions.push_back(changed);
            }
            evaluate(expansion, from.order, std::move(fissions), from.policies);
        }
    }
    // Enable a fission, or all of its form; lifting: instead of those it shares nodes with.
    for (int tries = 0; tries < 4 && !m_candidates.empty(); ++tries) {
        const FissionIndex fission = m_candidates[random() % m_candidates.size()];
        const auto &cuttings = m_space.fissions().cuttings(fission);
        const std::size_t most = std::min<std::size_t>(cuttings.size() - 1, 12);
        const Cutting cutting = cuttings[1 + random() % most];
        const bool replaces = random() % 2 == 0;
        if (tries % 2 == 0) {
            evaluate(expansion, from.order,
                     withForm(enabled, fission, cutting, replaces, m_candidates), from.policies);
            continue;
        }
        auto fissions = enabled;
        if (std::ranges::find(fissions, fission, &EnabledFission::fission) != fissions.end())
            continue;
        fissions.push_back({fission, cutting.number, cutting.size});
        evaluate(expansion, from.order, std::move(fissions), from.policies);
    }
    // Around this state's peak, splitting more than Algorithm 1 found may pay off.
    if (random() % 16 == 0) {
        std::vector<std::uint64_t> tried;
        const auto around = m_moves.choosesRegions
                                ? fissionsAround(m_space, from, expansion.trace, 4, random())
                                : fissionsAnywhere(m_space, 4, random());
        for (const FissionIndex fission : around) {
            const std::uint64_t form = table.fission(fission).form();
            if (std::ranges::find(tried, form) != tried.end())
                continue;
            tried.push_back(form);
            const auto &cuttings = m_space.fissions().cuttings(fission);
            const Cutting cutting =
                cuttings[1 + random() % std::min<std::size_t>(cuttings.size() - 1, 8)];
            evaluate(expansion, from.order, withForm(enabled, fission, cutting, false, around),
                     from.policies);
        }
    }
    // Try another order.
    if (m_space.orders().size() > 1 && random() % 4 == 0)
        evaluate(expansion, OrderIndex(random() % m_space.orders().size()), enabled, from.policies);
}

/// Builds the F-Tree of Algorithm 1 for this state's hot-spots, and tries some of its fissions.
void Optimization::addAnalysis(Expansion &expansion) const
{
    const State &from = expansion.from;
    const auto hot = hotSpots(expansion.trace, from.outcome.peak);
    const std::vector<FissionIndex> tree =
        buildFissionTree(m_space, hot, m_moves.levels, m_moves.stop);
    constexpr int most = 4;
    for (int tries = 0; tries < most && !tree.empty(); ++tries) {
        const FissionIndex fission = tree[expansion.random() % tree.size()];
        const auto &cuttings = m_space.fissions().cuttings(fission);
        const Cutting cutting =
            cuttings[1 + expansion.random() % std::min<std::size_t>(cuttings.size() - 1, 8)];
        evaluate(expansion, from.order,
                 withForm(from.arrangement->fissions().elements(), fission, cutting, tries % 2 == 1,
                          tree),
                 from.policies);
    }
}

/// Adds the state with another order, if that lowers the peak.
void Optimization::addSchedule(Expansion &expansion) const
{
    const State &from = expansion.from;
    SchedulingOptions options;
    options.states = 128; // sets of steps: a search has no time for more
    options.stop = m_moves.stop;
    const PartTimes::Clock::time_point start = PartTimes::Clock::now();
    auto order = reordered(m_space, from, options, &m_segments);
    const PartTimes::Clock::duration time = PartTimes::Clock::now() - start;
    expansion.inside += time;
    m_times.add(SearchPart::Scheduling, time);
    if (!order)
        return;
    evaluate(expansion, m_space.addOrder(*std::move(order)),
             from.arrangement->fissions().elements(), from.policies);
}

std::optional<State> Optimization::unoptimized(OrderIndex order) const
{
    const auto arrangement = arrange(order, {});
    if (!arrangement)
        return std::nullopt;
    return m_space.evaluate(workspace().simulator, order, arrangement, m_space.keepAll());
}

std::optional<State> Optimization::checkpointed(OrderIndex order,
                                                std::vector<EnabledFission> fissions,
                                                int interval) const
{
    const auto arrangement = arrange(order, std::move(fissions));
    if (!arrangement)
        return std::nullopt;
    Policies policies = m_space.keepAll();
    BufferIndex last;
    int number = 0;
    // Evictions are sorted by buffer, in the graph's order.
    for (const EvictionIndex e : policies.indices()) {
        const Eviction &eviction = m_space.evictions()[e];
        if (!m_space.canRecompute(e))
            continue;
        if (eviction.buffer != last) {
            last = eviction.buffer;
            ++number;
        }
        if (number % interval != 0)
            policies[e] = Policy::Recompute;
    }
    return m_space.evaluate(workspace().simulator, order, arrangement, std::move(policies));
}

std::vector<State> Optimization::seeds(const SearchOptions &options, double until) const
{
    struct Maker {
        int rank; // lower ranks run first
        std::function<std::optional<State>()> make;
        std::optional<State> made = std::nullopt;
    };
    std::vector<Maker> makers;
    for (const OrderIndex order : m_space.orders().indices()) {
        makers.push_back({0, [this, order] { return unoptimized(order); }});
        if (m_moves.choosesEvictions)
            for (const int interval : {2, 3, 4, 6, 8, 12, 16, 24, 32})
                makers.push_back({1, [=, this] { return checkpointed(order, {}, interval); }});
        for (const FissionIndex f : m_space.fissions().indices()) {
            int rank = 2 + order.number();
            for (const auto &[number, size] : m_space.fissions().cuttings(f))
                if (number > 1)
                    makers.push_back({rank++, [=, this] {
                                          return split(order, {f, number, size});
                                      }});
        }
    }
    std::vector<std::size_t> sooner(makers.size());
    std::iota(sooner.begin(), sooner.end(), std::size_t{0});
    std::ranges::stable_sort(sooner, {}, [&](std::size_t i) { return makers[i].rank; });
    tbb::task_arena arena(options.threads ? int(options.threads) : tbb::task_arena::automatic);
    constexpr std::size_t batch = 64;
    for (std::size_t done = 0; done < sooner.size(); done += batch) {
        options.progress(0, "choosing the initial state"); // blocks while the run is paused
        const bool isLate =
            options.stop.stop_requested() || (until > 0 && options.clock() >= until);
        if (isLate && makers[sooner[done]].rank > 0) // rank 0 makes at least one
            break;
        const std::size_t end = std::min(sooner.size(), done + batch);
        arena.execute([&] {
            tbb::parallel_for(done, end, [&](std::size_t i) {
                Maker &maker = makers[sooner[i]];
                maker.made = maker.make();
            });
        });
        m_simulated.fetch_add(end - done, std::memory_order_relaxed);
    }
    // Return them in an order that does not depend on timing.
    std::vector<State> states;
    for (Maker &maker : makers)
        if (maker.made)
            states.push_back(*std::move(maker.made));
    return states;
}

std::optional<State> Optimization::split(OrderIndex order, EnabledFission fission) const
{
    const auto arrangement = arrange(order, {fission});
    if (!arrangement)
        return std::nullopt;
    return m_space.evaluate(workspace().simulator, order, arrangement, m_space.keepAll());
}

} // namespace graphloom::magis
