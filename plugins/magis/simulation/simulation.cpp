// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/simulation/simulation.h"

#include <algorithm>
#include <numeric>

namespace graphloom::magis {

Simulator::Simulator(const MemoryGraph &memory, std::span<const Eviction> evictions)
    : m_memory(memory), m_evictions(evictions)
{
    for (const Step &step : memory.steps())
        m_mayTakeOver.push_back(!step.overwrites.empty());
}

Outcome Simulator::run(const Arrangement &arrangement, std::span<const Policy> policies,
                       Trace *trace)
{
    m_arrangement = &arrangement;
    m_policies = policies;
    const std::size_t buffers = m_memory.buffers().size();
    m_lifeOf.assign(buffers, -1);
    m_gone.assign(buffers, 0);
    m_storeOf.assign(buffers, -1);
    m_updated.assign(buffers, 0);
    m_lives.clear();
    m_stores.clear();
    m_loads.clear();
    m_runs.clear();
    m_runAt.resize(arrangement.order().size());
    m_takeovers.clear();
    m_unused.clear();
    m_users.resize(arrangement.regions().size());
    for (auto &users : m_users)
        users.clear();
    m_begins.assign(arrangement.regions().size(), 0);
    m_ends.assign(arrangement.regions().size(), 0);
    m_possible = true;
    m_depth = 0;
    m_passing.clear();

    Outcome outcome;
    walk();
    if (!m_possible)
        return outcome;
    outcome.possible = true;
    transfer();
    tally(outcome, trace);
    return outcome;
}

void Simulator::walk()
{
    const Arrangement &plan = *m_arrangement;
    const auto &buffers = m_memory.buffers();
    for (std::size_t b = 0; b < buffers.size(); ++b)
        if (buffers[b].producer < 0 && !buffers[b].resident)
            begin(int(b), -1, 0);
    const int positions = int(plan.order().size());
    for (int p = 0; p < positions && m_possible; ++p) {
        const int region = plan.regionAt(p);
        for (const int e : plan.needs(p)) {
            const int buffer = m_evictions[std::size_t(e)].buffer;
            if (m_policies[std::size_t(e)] != Policy::Keep && m_lifeOf[std::size_t(buffer)] < 0 &&
                !bring(buffer, plan.scope(buffer), p))
                return;
        }
        for (int r = region; r >= 0 && plan.regions()[std::size_t(r)].begin == p;
             r = plan.regions()[std::size_t(r)].parent)
            m_begins[std::size_t(r)] = int(m_runs.size());
        if (!execute(p, region, p, false))
            return;
        drop(p);
    }
    const int last = int(m_runs.size()) - 1;
    for (std::size_t b = 0; b < buffers.size(); ++b)
        if (buffers[b].kept && m_lifeOf[b] >= 0)
            m_lives[std::size_t(m_lifeOf[b])].last = last;
}

void Simulator::begin(int buffer, int region, int run)
{
    const Arrangement &plan = *m_arrangement;
    const int below = region < 0 ? -1 : plan.outermostBelow(region, plan.scope(buffer));
    const int first = below >= 0 ? m_begins[std::size_t(below)] : run;
    m_lifeOf[std::size_t(buffer)] = int(m_lives.size());
    m_gone[std::size_t(buffer)] = 0;
    if (below >= 0)
        m_users[std::size_t(below)].push_back(int(m_lives.size()));
    int firstInFirst = first;
    if (below >= 0 && plan.isSum(buffer)) {
        const int inner = plan.outermostBelow(region, below);
        firstInFirst = inner >= 0 ? m_begins[std::size_t(inner)] : run;
    }
    m_lives.push_back({buffer, first, run, plan.bytes(buffer), firstInFirst, -1});
}

void Simulator::use(int life, int region)
{
    const Arrangement &plan = *m_arrangement;
    m_lives[std::size_t(life)].last = int(m_runs.size());
    if (region < 0)
        return;
    const int scope = plan.scope(m_lives[std::size_t(life)].buffer);
    if (scope == region)
        return;
    if (const int below = plan.outermostBelow(region, scope); below >= 0)
        m_users[std::size_t(below)].push_back(life);
}

/// Has a buffer that is gone computed or loaded again.
bool Simulator::bring(int buffer, int region, int at)
{
    const int store = m_storeOf[std::size_t(buffer)];
    if (store >= 0) {
        begin(buffer, region, int(m_runs.size()));
        m_loads.push_back({m_lifeOf[std::size_t(buffer)], int(m_runs.size()), store});
        if (m_depth > 0)
            m_passing.push_back(buffer);
        return true;
    }
    const int producer = m_memory.buffers()[std::size_t(buffer)].producer;
    constexpr int deepest = 2000;
    if (!m_gone[std::size_t(buffer)] || producer < 0 || m_depth > deepest)
        return m_possible = false;
    if (m_memory.steps()[std::size_t(producer)].once)
        return m_possible = false;
    const int position = m_arrangement->position(producer);
    // A step of another region would need what that region has given up.
    if (m_arrangement->regionAt(position) != region)
        return m_possible = false;
    ++m_depth;
    const bool done = execute(position, region, at, true);
    if (--m_depth == 0) {
        // What was needed on the way only.
        for (const int b : m_passing)
            if (m_arrangement->lastUse(b) < at && m_lifeOf[std::size_t(b)] >= 0) {
                m_lifeOf[std::size_t(b)] = -1;
                m_gone[std::size_t(b)] = 1;
            }
        m_passing.clear();
    }
    return done;
}

bool Simulator::execute(int position, int region, int at, bool again)
{
    const Arrangement &plan = *m_arrangement;
    const int step = plan.order()[std::size_t(position)];
    const auto reads = m_memory.reads(step);
    for (const int b : reads)
        if (m_lifeOf[std::size_t(b)] < 0 && !bring(b, region, at))
            return false;
    // What is brought for one input may have ended the life of none: drops come after steps only.
    for (const int b : reads)
        use(m_lifeOf[std::size_t(b)], region);
    const int run = int(m_runs.size());
    const auto writes = m_memory.writes(step);
    if (again)
        for (const int b : m_memory.steps()[std::size_t(step)].reads)
            if (m_updated[std::size_t(b)])
                return m_possible = false;
    for (std::size_t w = 0; w < writes.size(); ++w) {
        const int b = writes[w];
        if (again && m_lifeOf[std::size_t(b)] >= 0) {
            // Another output of the step is still there; the new one is not needed.
            m_unused.push_back({run, plan.bytes(b)});
            continue;
        }
        begin(b, region, run);
        if (again)
            m_passing.push_back(b);
        const int weight = m_memory.buffers()[std::size_t(b)].updates;
        if (weight >= 0) {
            m_lives.back().bytes = 0; // in the weight's place
            m_updated[std::size_t(weight)] = 1;
        } else if (w == 0 && m_mayTakeOver[std::size_t(step)]) {
            // What other parts read, too, is there until the last of them has.
            for (const int from : m_memory.steps()[std::size_t(step)].overwrites)
                if (m_lifeOf[std::size_t(from)] >= 0 &&
                    !m_memory.buffers()[std::size_t(from)].kept &&
                    plan.outermostBelow(plan.regionAt(position), plan.scope(from)) < 0)
                    m_takeovers.push_back(
                        {run, m_lifeOf[std::size_t(from)], m_lifeOf[std::size_t(b)]});
        }
    }
    if (!again)
        m_runAt[std::size_t(position)] = run;
    m_runs.push_back({position, at, again});
    return true;
}

/// The run behind which a buffer can be stored: of what parts give, the last one of the fission.
int Simulator::readyAt(int buffer, int first) const
{
    const Arrangement &plan = *m_arrangement;
    const int producer = m_memory.buffers()[std::size_t(buffer)].producer;
    const int below = producer < 0 ? -1
                                   : plan.outermostBelow(plan.regionAt(plan.position(producer)),
                                                         plan.scope(buffer));
    return below >= 0 ? m_ends[std::size_t(below)] : first;
}

/// Ends what ends at a position: regions, and first lives.
void Simulator::drop(int position)
{
    const Arrangement &plan = *m_arrangement;
    const int run = int(m_runs.size()) - 1;
    for (int r = plan.regionAt(position); r >= 0 && plan.regions()[std::size_t(r)].end == position;
         r = plan.regions()[std::size_t(r)].parent) {
        m_ends[std::size_t(r)] = run;
        for (const int life : m_users[std::size_t(r)])
            m_lives[std::size_t(life)].last = std::max(m_lives[std::size_t(life)].last, run);
    }
    for (const int b : plan.ends(position)) {
        m_lifeOf[std::size_t(b)] = -1;
        m_gone[std::size_t(b)] = 1;
    }
    for (const int e : plan.drops(position)) {
        const Policy policy = m_policies[std::size_t(e)];
        const int buffer = m_evictions[std::size_t(e)].buffer;
        const int life = m_lifeOf[std::size_t(buffer)];
        if (policy == Policy::Keep || life < 0)
            continue;
        m_lifeOf[std::size_t(buffer)] = -1;
        m_gone[std::size_t(buffer)] = 1;
        if (policy == Policy::Swap && m_storeOf[std::size_t(buffer)] < 0) {
            m_storeOf[std::size_t(buffer)] = int(m_stores.size());
            m_stores.push_back({life, readyAt(buffer, m_lives[std::size_t(life)].first)});
        }
    }
}

std::span<const Arrangement::Copy> Simulator::copiesOf(int run) const
{
    if (!m_runs[std::size_t(run)].again)
        return {};
    const auto found =
        std::ranges::equal_range(m_arrangement->copies(), m_runs[std::size_t(run)].position, {},
                                 &Arrangement::Copy::position);
    return {found.begin(), found.end()};
}

double Simulator::secondsOfCopies(int run) const
{
    double seconds = 0;
    for (const Arrangement::Copy &copy : copiesOf(run))
        seconds += copy.seconds;
    return seconds;
}

/// Times of all runs and transfers. A load begins as late as it is done in time and the stream is
/// free for the next one, but not before its tensor is stored.
void Simulator::transfer()
{
    const Arrangement &plan = *m_arrangement;
    const int runs = int(m_runs.size());
    m_starts.resize(std::size_t(runs) + 1);
    double now = 0;
    for (int r = 0; r < runs; ++r) {
        m_starts[std::size_t(r)] = now;
        now += secondsOf(r);
    }
    m_starts[std::size_t(runs)] = now;
    if (m_stores.empty())
        return;
    const Device &device = m_memory.device();
    // In a region a transfer stands for those of all parts.
    const auto secondsOf = [&](int life) {
        double parts = 1;
        for (int r = plan.scope(m_lives[std::size_t(life)].buffer); r >= 0;
             r = plan.regions()[std::size_t(r)].parent)
            parts *= plan.fissions()[std::size_t(r)].number;
        return parts * (device.transferSeconds +
                        double(m_lives[std::size_t(life)].bytes) / device.hostLink);
    };
    double free = now;
    for (auto load = m_loads.rbegin(); load != m_loads.rend(); ++load) {
        const double seconds = secondsOf(load->life);
        load->latest = std::min(free, m_starts[std::size_t(load->need)]) - seconds;
        free = load->latest;
    }
    m_storeOrder.resize(m_stores.size());
    std::iota(m_storeOrder.begin(), m_storeOrder.end(), 0);
    std::ranges::stable_sort(m_storeOrder, {},
                             [&](int s) { return m_stores[std::size_t(s)].ready; });
    double shift = 0, outFree = 0, inFree = 0;
    std::size_t store = 0;
    int shifted = 0; // runs before have their final start
    for (Load &load : m_loads) {
        // Stores that are ready before this run, at the times shifted so far.
        for (; store < m_stores.size(); ++store) {
            Store &next = m_stores[std::size_t(m_storeOrder[store])];
            if (next.ready >= load.need)
                break;
            const double ready =
                m_starts[std::size_t(next.ready) + 1] + (next.ready >= shifted ? shift : 0);
            next.start = std::max(outFree, ready);
            next.end = outFree = next.start + secondsOf(next.life);
        }
        const double stored = m_stores[std::size_t(load.store)].end;
        load.start = std::max({load.latest + shift, stored, inFree, 0.0});
        load.end = inFree = load.start + secondsOf(load.life);
        const double late = load.end - (m_starts[std::size_t(load.need)] + shift);
        if (late > 1e-12) {
            for (; shifted < load.need; ++shifted)
                m_starts[std::size_t(shifted)] += shift;
            shift += late;
        }
    }
    for (; shifted <= runs; ++shifted)
        m_starts[std::size_t(shifted)] += shift;
    for (; store < m_stores.size(); ++store) {
        Store &next = m_stores[std::size_t(m_storeOrder[store])];
        next.start = std::max(outFree, m_starts[std::size_t(next.ready) + 1]);
        next.end = outFree = next.start + secondsOf(next.life);
    }
    // Memory is in use while a transfer is under way, in whatever part the runs then are of.
    for (const Store &stored : m_stores) {
        Life &life = m_lives[std::size_t(stored.life)];
        const auto until = [&](Part part) {
            return std::max(life.last, runAt(stored.end - 1e-12, plan.scope(life.buffer), part));
        };
        life.lastLater = until(Part::Second);
        life.last = until(Part::First);
    }
    for (const Load &load : m_loads) {
        Life &life = m_lives[std::size_t(load.life)];
        const int first = runAt(load.start, plan.scope(life.buffer), Part::Last);
        life.first = std::min(life.first, first);
        life.firstInFirst = std::min(life.firstInFirst, first);
    }
}

/// The last run that has begun by a time, in a part of the outermost fission inside of a region: -1
/// more than its first run where that part has not begun. m_starts has a run once, with the time of
/// all its parts. Of fissions inside of that one it is the first or the last part.
int Simulator::runAt(double time, int scope, Part part) const
{
    const Arrangement &plan = *m_arrangement;
    const int runs = int(m_runs.size());
    const auto at = std::upper_bound(m_starts.begin(), m_starts.begin() + runs, time);
    int run = std::max(0, int(at - m_starts.begin()) - 1);
    int first = 0, end = runs; // those that it can be of
    for (;;) {
        const int below = plan.outermostBelow(plan.regionAt(m_runs[std::size_t(run)].at), scope);
        // What is computed again for a fission's first step is not in it yet.
        if (below < 0 || run < m_begins[std::size_t(below)])
            return run;
        const Arrangement::Region &region = plan.regions()[std::size_t(below)];
        first = std::max(first, m_begins[std::size_t(below)]);
        end = std::min(end, m_ends[std::size_t(below)] + 1);
        const double begin = m_starts[std::size_t(first)], over = m_starts[std::size_t(end)];
        if (part == Part::Second) {
            time -= region.firstShare * (over - begin);
            if (time < begin)
                return first - 1;
            time = begin + (time - begin) / region.secondShare;
            part = Part::First;
        } else {
            time = part == Part::Last ? std::max(begin, over - (over - time) / region.lastShare)
                                      : begin + (time - begin) / region.firstShare;
        }
        const auto later = std::upper_bound(m_starts.begin() + first, m_starts.begin() + end, time);
        run = std::max(first, int(later - m_starts.begin()) - 1);
        scope = below;
    }
}

void Simulator::tally(Outcome &outcome, Trace *trace)
{
    const Arrangement &plan = *m_arrangement;
    const int runs = int(m_runs.size());
    m_change.assign(std::size_t(runs) + 1, 0);
    m_saved.assign(std::size_t(runs), 0);
    m_later.assign(std::size_t(runs) + 1, 0); // beside m_change
    for (const Life &life : m_lives) {
        m_change[std::size_t(life.firstInFirst)] += life.bytes;
        m_change[std::size_t(life.last) + 1] -= life.bytes;
        if (life.firstInFirst != life.first) {
            m_later[std::size_t(life.first)] += life.bytes;
            m_later[std::size_t(life.firstInFirst)] -= life.bytes;
        }
        if (life.lastLater >= 0 && life.lastLater != life.last) {
            m_later[std::size_t(life.lastLater) + 1] -= life.bytes;
            m_later[std::size_t(life.last) + 1] += life.bytes;
        }
    }
    for (const Arrangement::Extra &extra : plan.extras()) {
        m_change[std::size_t(m_runAt[std::size_t(extra.begin)])] += extra.bytes;
        m_change[std::size_t(m_runAt[std::size_t(extra.end)]) + 1] -= extra.bytes;
    }
    if (!plan.copies().empty())
        for (int r = 0; r < runs; ++r)
            for (const Arrangement::Copy &copy : copiesOf(r)) {
                m_change[std::size_t(r)] += copy.bytes;
                m_change[std::size_t(r) + 1] -= copy.bytes;
            }
    for (const Unused &unused : m_unused) {
        m_change[std::size_t(unused.run)] += unused.bytes;
        m_change[std::size_t(unused.run) + 1] -= unused.bytes;
    }
    std::vector<int> takesOver;
    if (trace) {
        takesOver.assign(m_lives.size(), -1);
        trace->runs.clear();
        trace->lives.clear();
        trace->transfers.clear();
    }
    for (const Takeover &takeover : m_takeovers) {
        const Life &from = m_lives[std::size_t(takeover.from)],
                   &to = m_lives[std::size_t(takeover.to)];
        if (from.last != takeover.run || to.first != takeover.run || from.bytes < to.bytes ||
            m_saved[std::size_t(takeover.run)] > 0)
            continue;
        m_saved[std::size_t(takeover.run)] = to.bytes;
        if (trace)
            takesOver[std::size_t(takeover.to)] = takeover.from;
    }
    std::int64_t alive = m_memory.residentBytes(), more = 0; // more in parts behind the first
    for (int r = 0; r < runs; ++r) {
        alive += m_change[std::size_t(r)];
        more += m_later[std::size_t(r)];
        const std::int64_t workspace = plan.workspace(m_runs[std::size_t(r)].position);
        const std::int64_t needed =
            alive + std::max<std::int64_t>(0, more) - m_saved[std::size_t(r)] + workspace;
        if (needed > outcome.peak) {
            outcome.peak = needed;
            outcome.peakStep = r;
        }
        if (trace) {
            const double start = m_starts[std::size_t(r)];
            const Run &run = m_runs[std::size_t(r)];
            trace->runs.push_back({plan.order()[std::size_t(run.position)], run.at, run.again,
                                   start, secondsOf(r), needed, workspace});
        }
    }
    outcome.seconds = m_starts[std::size_t(runs)];
    if (trace) {
        trace->runAt = m_runAt;
        for (std::size_t l = 0; l < m_lives.size(); ++l)
            trace->lives.push_back(
                {m_lives[l].buffer, m_lives[l].first, m_lives[l].last, m_lives[l].bytes,
                 takesOver[l], -1, m_lives[l].firstInFirst,
                 m_lives[l].lastLater >= 0 ? m_lives[l].lastLater : m_lives[l].last});
        for (const Load &load : m_loads)
            trace->lives[std::size_t(load.life)].loadedFor = load.need;
        for (const Store &store : m_stores)
            trace->transfers.push_back(
                {m_lives[std::size_t(store.life)].buffer, false, store.start, store.end});
        for (const Load &load : m_loads)
            trace->transfers.push_back(
                {m_lives[std::size_t(load.life)].buffer, true, load.start, load.end});
    }
}

} // namespace graphloom::magis
