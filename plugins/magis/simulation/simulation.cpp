// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/simulation/simulation.h"

#include <algorithm>
#include <numeric>

namespace graphloom::magis {

Simulator::Simulator(const MemoryGraph &memory, const Evictions &evictions)
    : m_memory(memory), m_evictions(evictions.span())
{
    for (const Step &step : memory.steps())
        m_mayTakeOver.push_back(!step.overwrites.empty());
}

Outcome Simulator::run(const Arrangement &arrangement, const Policies &policies, Trace *trace)
{
    m_arrangement = &arrangement;
    m_policies = policies.span();
    const std::size_t buffers = m_memory.buffers().size();
    m_lifeOf.assign(buffers, {});
    m_gone.assign(buffers, 0);
    m_storeOf.assign(buffers, {});
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
    m_begins.assign(arrangement.regions().size(), RunIndex(0));
    m_ends.assign(arrangement.regions().size(), RunIndex(0));
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
    const auto buffers = m_memory.buffers();
    for (const BufferIndex b : buffers.indices())
        if (!buffers[b].producer.isValid() && !buffers[b].resident)
            begin(b, {}, RunIndex(0));
    for (const Position p : plan.order().indices()) {
        if (!m_possible)
            break;
        const RegionIndex region = plan.regionAt(p);
        for (const EvictionIndex e : plan.needs(p)) {
            const BufferIndex buffer = m_evictions[e].buffer;
            if (m_policies[e] != Policy::Keep && !m_lifeOf[buffer].isValid() &&
                !bring(buffer, plan.scope(buffer), p))
                return;
        }
        for (RegionIndex r = region; r.isValid() && plan.regions()[r].begin == p;
             r = plan.regions()[r].parent)
            m_begins[r] = m_runs.nextIndex();
        if (!execute(p, region, p, false))
            return;
        drop(p);
    }
    for (const BufferIndex b : buffers.indices())
        if (buffers[b].kept && m_lifeOf[b].isValid())
            m_lives[m_lifeOf[b]].last = m_runs.lastIndex();
}

void Simulator::begin(BufferIndex buffer, RegionIndex region, RunIndex run)
{
    const Arrangement &plan = *m_arrangement;
    const RegionIndex below =
        region.isValid() ? plan.outermostBelow(region, plan.scope(buffer)) : RegionIndex();
    const RunIndex first = below.isValid() ? m_begins[below] : run;
    m_lifeOf[buffer] = m_lives.nextIndex();
    m_gone[buffer] = 0;
    if (below.isValid())
        m_users[below].push_back(m_lives.nextIndex());
    RunIndex firstInFirst = first;
    if (below.isValid() && plan.isSum(buffer)) {
        const RegionIndex inner = plan.outermostBelow(region, below);
        firstInFirst = inner.isValid() ? m_begins[inner] : run;
    }
    m_lives.push_back({buffer, first, run, plan.bytes(buffer), firstInFirst, {}});
}

void Simulator::use(LifeIndex life, RegionIndex region)
{
    const Arrangement &plan = *m_arrangement;
    m_lives[life].last = m_runs.nextIndex();
    if (!region.isValid())
        return;
    const RegionIndex scope = plan.scope(m_lives[life].buffer);
    if (scope == region)
        return;
    if (const RegionIndex below = plan.outermostBelow(region, scope); below.isValid())
        m_users[below].push_back(life);
}

/// Ends the current life of a buffer.
void Simulator::forget(BufferIndex buffer)
{
    m_lifeOf[buffer] = {};
    m_gone[buffer] = 1;
}

/// Recomputes or loads a buffer that is no longer in memory.
bool Simulator::bring(BufferIndex buffer, RegionIndex region, Position at)
{
    const StoreIndex store = m_storeOf[buffer];
    if (store.isValid()) {
        begin(buffer, region, m_runs.nextIndex());
        m_loads.push_back({m_lifeOf[buffer], m_runs.nextIndex(), store});
        if (m_depth > 0)
            m_passing.push_back(buffer);
        return true;
    }
    const StepIndex producer = m_memory.buffers()[buffer].producer;
    constexpr int deepest = 2000;
    if (!m_gone[buffer] || !producer.isValid() || m_depth > deepest)
        return m_possible = false;
    if (m_memory.steps()[producer].once)
        return m_possible = false;
    const Position position = m_arrangement->position(producer);
    // A step of another region would need tensors that are gone with that region.
    if (m_arrangement->regionAt(position) != region)
        return m_possible = false;
    ++m_depth;
    const bool done = execute(position, region, at, true);
    if (--m_depth == 0) {
        // Drop buffers that were needed only on the way.
        for (const BufferIndex b : m_passing)
            if (m_arrangement->lastUse(b) < at && m_lifeOf[b].isValid())
                forget(b);
        m_passing.clear();
    }
    return done;
}

bool Simulator::execute(Position position, RegionIndex region, Position at, bool again)
{
    const Arrangement &plan = *m_arrangement;
    const StepIndex step = plan.order()[position];
    const auto reads = m_memory.reads(step);
    for (const BufferIndex b : reads)
        if (!m_lifeOf[b].isValid() && !bring(b, region, at))
            return false;
    // Bringing back one input cannot have ended the life of another: drops follow steps only.
    for (const BufferIndex b : reads)
        use(m_lifeOf[b], region);
    const RunIndex run = m_runs.nextIndex();
    const auto writes = m_memory.writes(step);
    if (again)
        for (const BufferIndex b : m_memory.steps()[step].reads)
            if (m_updated[b])
                return m_possible = false;
    for (const BufferIndex b : writes) {
        if (again && m_lifeOf[b].isValid()) {
            // This output is still in memory; its new copy is not needed.
            m_unused.push_back({run, plan.bytes(b)});
            continue;
        }
        begin(b, region, run);
        if (again)
            m_passing.push_back(b);
        const BufferIndex weight = m_memory.buffers()[b].updates;
        if (weight.isValid()) {
            m_lives.back().bytes = 0; // it overwrites the weight
            m_updated[weight] = 1;
        } else if (b == writes.front() && m_mayTakeOver[step]) {
            // A buffer that other parts read, too, stays until the last of them has read it.
            for (const BufferIndex from : m_memory.steps()[step].overwrites)
                if (m_lifeOf[from].isValid() && !m_memory.buffers()[from].kept &&
                    !plan.outermostBelow(plan.regionAt(position), plan.scope(from)).isValid())
                    m_takeovers.push_back({run, m_lifeOf[from], m_lifeOf[b]});
        }
    }
    if (!again)
        m_runAt[position] = run;
    m_runs.push_back({position, at, again});
    return true;
}

/// Returns the run after which a buffer can be stored: the fission's last run if parts compute it.
RunIndex Simulator::readyAt(BufferIndex buffer, RunIndex first) const
{
    const Arrangement &plan = *m_arrangement;
    const StepIndex producer = m_memory.buffers()[buffer].producer;
    if (!producer.isValid())
        return first;
    const RegionIndex below =
        plan.outermostBelow(plan.regionAt(plan.position(producer)), plan.scope(buffer));
    return below.isValid() ? m_ends[below] : first;
}

/// Ends the regions and first lives that end at a position.
void Simulator::drop(Position position)
{
    const Arrangement &plan = *m_arrangement;
    const RunIndex run = m_runs.lastIndex();
    for (RegionIndex r = plan.regionAt(position); r.isValid() && plan.regions()[r].end == position;
         r = plan.regions()[r].parent) {
        m_ends[r] = run;
        for (const LifeIndex life : m_users[r])
            m_lives[life].last = std::max(m_lives[life].last, run);
    }
    for (const BufferIndex b : plan.ends(position))
        forget(b);
    for (const EvictionIndex e : plan.drops(position)) {
        const Policy policy = m_policies[e];
        const BufferIndex buffer = m_evictions[e].buffer;
        const LifeIndex life = m_lifeOf[buffer];
        if (policy == Policy::Keep || !life.isValid())
            continue;
        forget(buffer);
        if (policy == Policy::Swap && !m_storeOf[buffer].isValid())
            m_storeOf[buffer] = m_stores.append({life, readyAt(buffer, m_lives[life].first)});
    }
}

std::span<const Arrangement::Copy> Simulator::copiesOf(RunIndex run) const
{
    if (!m_runs[run].again)
        return {};
    const auto found = std::ranges::equal_range(m_arrangement->copies(), m_runs[run].position, {},
                                                &Arrangement::Copy::position);
    return {found.begin(), found.end()};
}

double Simulator::secondsOfCopies(RunIndex run) const
{
    double seconds = 0;
    for (const Arrangement::Copy &copy : copiesOf(run))
        seconds += copy.seconds;
    return seconds;
}

/// Times all runs and transfers. A load begins as late as it can without delaying its reader or the
/// next load, but not before its tensor is stored.
void Simulator::transfer()
{
    const Arrangement &plan = *m_arrangement;
    const RunIndex over = m_runs.nextIndex();
    m_starts.resize(m_runs.size() + 1);
    double now = 0;
    for (const RunIndex r : m_runs.indices()) {
        m_starts[r] = now;
        now += secondsOf(r);
    }
    m_starts[over] = now;
    if (m_stores.empty())
        return;
    const Device &device = m_memory.device();
    // Inside a region, a transfer stands for those of all parts.
    const auto secondsOf = [&](LifeIndex life) {
        double parts = 1;
        for (RegionIndex r = plan.scope(m_lives[life].buffer); r.isValid();
             r = plan.regions()[r].parent)
            parts *= plan.fissions()[r].number;
        return parts * (device.transferSeconds + double(m_lives[life].bytes) / device.hostLink);
    };
    double free = now;
    for (auto load = m_loads.rbegin(); load != m_loads.rend(); ++load) {
        const double seconds = secondsOf(load->life);
        load->latest = std::min(free, m_starts[load->need]) - seconds;
        free = load->latest;
    }
    m_storeOrder.resize(m_stores.size());
    std::iota(m_storeOrder.begin(), m_storeOrder.end(), StoreIndex(0));
    std::ranges::stable_sort(m_storeOrder, {}, [&](StoreIndex s) { return m_stores[s].ready; });
    double shift = 0, outFree = 0, inFree = 0;
    auto store = m_storeOrder.begin();
    RunIndex shifted(0); // earlier runs have their final start
    for (Load &load : m_loads) {
        // Times the stores that are ready before this run, with the shift so far.
        for (; store != m_storeOrder.end(); ++store) {
            Store &next = m_stores[*store];
            if (next.ready >= load.need)
                break;
            const double ready = m_starts[next.ready + 1] + (next.ready >= shifted ? shift : 0);
            next.start = std::max(outFree, ready);
            next.end = outFree = next.start + secondsOf(next.life);
        }
        const double stored = m_stores[load.store].end;
        load.start = std::max({load.latest + shift, stored, inFree, 0.0});
        load.end = inFree = load.start + secondsOf(load.life);
        const double late = load.end - (m_starts[load.need] + shift);
        if (late > 1e-12) {
            for (; shifted < load.need; ++shifted)
                m_starts[shifted] += shift;
            shift += late;
        }
    }
    for (; shifted <= over; ++shifted)
        m_starts[shifted] += shift;
    for (; store != m_storeOrder.end(); ++store) {
        Store &next = m_stores[*store];
        next.start = std::max(outFree, m_starts[next.ready + 1]);
        next.end = outFree = next.start + secondsOf(next.life);
    }
    // Memory stays in use while a transfer is under way, in whichever part runs then.
    for (const Store &stored : m_stores) {
        Life &life = m_lives[stored.life];
        const auto until = [&](Part part) {
            return std::max(life.last, runAt(stored.end - 1e-12, plan.scope(life.buffer), part));
        };
        life.lastLater = until(Part::Second);
        life.last = until(Part::First);
    }
    for (const Load &load : m_loads) {
        Life &life = m_lives[load.life];
        const RunIndex first = runAt(load.start, plan.scope(life.buffer), Part::Last);
        life.first = std::min(life.first, first);
        life.firstInFirst = std::min(life.firstInFirst, first);
    }
}

/// Returns the last run begun by a time in a part of the outermost fission inside of a region; if
/// that part has not begun, the run before its first. m_starts has each run once, with the time of
/// all its parts. In fissions further inside, the part is the first or the last.
RunIndex Simulator::runAt(double time, RegionIndex scope, Part part) const
{
    const Arrangement &plan = *m_arrangement;
    RunIndex first(0), end = m_runs.nextIndex(); // the runs in question
    RunIndex run = lastBegun(first, end, time);
    for (;;) {
        const RegionIndex below = plan.outermostBelow(plan.regionAt(m_runs[run].at), scope);
        // Runs that recompute tensors for a fission's first step precede the fission.
        if (!below.isValid() || run < m_begins[below])
            return run;
        const Arrangement::Region &region = plan.regions()[below];
        first = std::max(first, m_begins[below]);
        end = std::min(end, m_ends[below] + 1);
        const double begin = m_starts[first], over = m_starts[end];
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
        run = lastBegun(first, end, time);
        scope = below;
    }
}

/// Returns the last run in [first, end) that has begun by a time; the first one if none has.
RunIndex Simulator::lastBegun(RunIndex first, RunIndex end, double time) const
{
    const auto starts = m_starts.begin();
    const auto later = std::upper_bound(starts + first.number(), starts + end.number(), time);
    return std::max(first, RunIndex(later - starts) - 1);
}

/// Sums up by how many bytes each run changes the live memory.
void Simulator::sumChanges()
{
    const Arrangement &plan = *m_arrangement;
    m_change.assign(m_runs.size() + 1, 0);
    m_later.assign(m_runs.size() + 1, 0); // in addition to m_change
    for (const Life &life : m_lives) {
        m_change[life.firstInFirst] += life.bytes;
        m_change[life.last + 1] -= life.bytes;
        if (life.firstInFirst != life.first) {
            m_later[life.first] += life.bytes;
            m_later[life.firstInFirst] -= life.bytes;
        }
        if (life.lastLater.isValid() && life.lastLater != life.last) {
            m_later[life.lastLater + 1] -= life.bytes;
            m_later[life.last + 1] += life.bytes;
        }
    }
    for (const Arrangement::Extra &extra : plan.extras()) {
        m_change[m_runAt[extra.begin]] += extra.bytes;
        m_change[m_runAt[extra.end] + 1] -= extra.bytes;
    }
    if (!plan.copies().empty())
        for (const RunIndex r : m_runs.indices())
            for (const Arrangement::Copy &copy : copiesOf(r)) {
                m_change[r] += copy.bytes;
                m_change[r + 1] -= copy.bytes;
            }
    for (const Unused &unused : m_unused) {
        m_change[unused.run] += unused.bytes;
        m_change[unused.run + 1] -= unused.bytes;
    }
}

/// Lets outputs overwrite inputs whose lives end there: at most one input per run.
void Simulator::takeOver(Trace *trace)
{
    m_saved.assign(m_runs.size(), 0);
    for (const Takeover &takeover : m_takeovers) {
        const Life &from = m_lives[takeover.from], &to = m_lives[takeover.to];
        if (from.last != takeover.run || to.first != takeover.run || from.bytes < to.bytes ||
            m_saved[takeover.run] > 0)
            continue;
        m_saved[takeover.run] = to.bytes;
        if (trace)
            trace->lives[takeover.to].takesOver = takeover.from;
    }
}

/// Records lifetimes and transfers; runs and takeovers are added later.
void Simulator::record(Trace &trace) const
{
    trace.runs.clear();
    trace.lives.clear();
    trace.transfers.clear();
    trace.runAt = m_runAt;
    for (const Life &life : m_lives)
        trace.lives.push_back({life.buffer,
                               life.first,
                               life.last,
                               life.bytes,
                               {},
                               {},
                               life.firstInFirst,
                               life.lastLater.isValid() ? life.lastLater : life.last});
    for (const Load &load : m_loads)
        trace.lives[load.life].loadedFor = load.need;
    for (const Store &store : m_stores)
        trace.transfers.push_back({m_lives[store.life].buffer, false, store.start, store.end});
    for (const Load &load : m_loads)
        trace.transfers.push_back({m_lives[load.life].buffer, true, load.start, load.end});
}

void Simulator::tally(Outcome &outcome, Trace *trace)
{
    const Arrangement &plan = *m_arrangement;
    sumChanges();
    if (trace)
        record(*trace);
    takeOver(trace);
    std::int64_t alive = m_memory.residentBytes(), more = 0; // more: in parts after the first
    for (const RunIndex r : m_runs.indices()) {
        alive += m_change[r];
        more += m_later[r];
        const std::int64_t workspace = plan.workspace(m_runs[r].position);
        const std::int64_t needed =
            alive + std::max<std::int64_t>(0, more) - m_saved[r] + workspace;
        if (needed > outcome.peak) {
            outcome.peak = needed;
            outcome.peakRun = r;
        }
        if (trace) {
            const double start = m_starts[r];
            const Run &run = m_runs[r];
            trace->runs.push_back({plan.order()[run.position], run.at, run.again, start,
                                   secondsOf(r), needed, workspace});
        }
    }
    outcome.seconds = m_starts[m_runs.nextIndex()];
}

} // namespace graphloom::magis
