// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/search/best_first.h"

#include <algorithm>

namespace graphloom {

/// Holds the Pareto-optimal states, of which none is worse than another in both of two costs,
/// ordered by the first cost.
template <class State> class ParetoArchive {
public:
    struct Entry {
        double first = 0, second = 0; // costs; less is better
        State state;
        std::uint64_t visits = 0; // how often it was expanded
    };

    /// Adds the state unless an entry is at least as good in both costs; removes the entries that
    /// it dominates. Returns its position, if it was added.
    std::optional<std::size_t> add(double first, double second, State state)
    {
        // Entries are ascending in the first cost, descending in the second.
        const auto at = std::ranges::lower_bound(m_entries, first, {}, &Entry::first);
        if (at != m_entries.end() && at->first == first && at->second <= second)
            return std::nullopt;
        if (at != m_entries.begin() && std::prev(at)->second <= second)
            return std::nullopt;
        auto end = at;
        while (end != m_entries.end() && end->second >= second)
            ++end;
        const auto place = m_entries.erase(at, end);
        const auto added = m_entries.insert(place, {first, second, std::move(state), 0});
        return std::size_t(added - m_entries.begin());
    }
    std::vector<Entry> &entries() { return m_entries; }
    const std::vector<Entry> &entries() const { return m_entries; }
    /// Returns the entry with the least second cost whose first cost is within a limit; null if
    /// there is none.
    const Entry *bestWithinFirst(double limit) const
    {
        const auto at = std::ranges::upper_bound(m_entries, limit, {}, &Entry::first);
        return at == m_entries.begin() ? nullptr : &*std::prev(at);
    }
    /// Returns the entry with the least first cost whose second cost is within a limit; null if
    /// there is none.
    const Entry *bestWithinSecond(double limit) const
    {
        const auto at = std::ranges::find_if(
            m_entries, [&](const Entry &entry) { return entry.second <= limit; });
        return at == m_entries.end() ? nullptr : &*at;
    }

private:
    std::vector<Entry> m_entries;
};

/// Searches in parallel for the best compromises between two costs, starting from any number of
/// states. It continues from the states that were expanded least often, nearest to the objective
/// first: a single queue ordered by one cost gets stuck if no single move lowers it. Besides the
/// archive of all states, each niche has its own archive, so that states of another kind may
/// improve before they have to compete. `Problem` has
///     using State;                                     // copies are cheap
///     std::pair<double, double> costs(const State &) const;
///     Hash hash(const State &) const;                  // with operator== and std::hash
///     // Called from several threads; depends on its arguments alone.
///     std::vector<State> expand(const State &, std::uint64_t visit) const;
///     // Called while other states expand, like costs() and hash().
///     std::uint64_t niche(const State &) const;
///     // Tells that the state is now in the archive. Never called while states expand.
///     void accepted(const State &);
///     // Less than 1: expanded more often; 1: normal.
///     double interest(double first, double second) const;
///     // For the history; less is better.
///     double objective(const ParetoArchive<State> &) const;
template <class Problem> class ArchiveSearch {
public:
    using State = typename Problem::State;
    using Archive = ParetoArchive<State>;

    ArchiveSearch(Problem &problem, SearchOptions options)
        : m_problem(problem), m_options(std::move(options))
    {
    }

    /// Sets the limits of a further run(), counted from the beginning of the first one.
    void setBudget(double seconds, std::uint64_t expanded)
    {
        m_options.seconds = seconds;
        m_options.expanded = expanded;
    }
    /// Adds a state to begin with; a state that is already known is left out.
    void seed(State state)
    {
        take(std::move(state));
        tellAccepted();
    }

    /// Runs the search. `improved` is called from the calling thread after each batch that changed
    /// the archive.
    const Archive &run(const std::function<void(const Archive &)> &improved = {})
    {
        note();
        tbb::task_arena arena(m_options.threads ? int(m_options.threads)
                                                : tbb::task_arena::automatic);
        // While states expand, the successors of the previous batch are taken in: a delay of one
        // batch that does not depend on the number of threads keeps all of them busy.
        std::vector<std::vector<State>> found;
        while (true) {
            std::vector<Task> tasks;
            if (!m_archive.entries().empty() && isWithinBudget(m_options, m_record))
                tasks = nextTasks();
            if (tasks.empty() && found.empty())
                break;
            std::vector<std::vector<State>> next(tasks.size());
            bool changed = false;
            arena.execute([&] {
                tbb::task_group expansion;
                expansion.run([&] {
                    tbb::parallel_for(
                        std::size_t{0}, tasks.size(),
                        [&](std::size_t i) {
                            if (!isOver())
                                next[i] = expanded(tasks[i]);
                        },
                        tbb::simple_partitioner());
                });
                for (std::vector<State> &states : found)
                    for (State &state : states)
                        changed = take(std::move(state)) || changed;
                expansion.wait();
            });
            m_record.expanded += tasks.size();
            found = std::move(next);
            tellAccepted();
            if (m_observing.isDue()) {
                m_record.seconds = m_options.clock();
                m_options.observe(m_record);
            }
            if (!changed)
                continue;
            note();
            if (improved)
                improved(m_archive);
        }
        m_record.seconds = m_options.clock();
        return m_archive;
    }

    const Archive &archive() const { return m_archive; }
    const SearchRecord &record() const { return m_record; }
    /// Returns the number of states that were left out because a known one was as good in both
    /// costs.
    std::uint64_t dominated() const { return m_dominated; }

private:
    struct Task {
        State state;
        std::uint64_t visit;
    };
    /// Expands a state; the result does not depend on the thread.
    std::vector<State> expanded(const Task &task) const
    {
        return std::as_const(m_problem).expand(task.state, task.visit);
    }
    /// Tells whether the search was stopped or is out of time: then expansions that have not begun
    /// are left out, so that the end is not late by a batch. Without a limit in seconds whole
    /// batches are done.
    bool isOver() const
    {
        return m_options.stop.stop_requested() ||
               (m_options.seconds > 0 && m_options.clock() >= m_options.seconds);
    }
    /// Chooses the next states to expand: half of them from the archive, the others from the niches
    /// in turn.
    std::vector<Task> nextTasks()
    {
        std::vector<Task> tasks;
        const auto add = [&](Archive &archive, std::size_t count) {
            for (const std::size_t i : choose(archive, count)) {
                auto &entry = archive.entries()[i];
                tasks.push_back({entry.state, entry.visits++});
            }
        };
        add(m_archive, (m_options.batch + 1) / 2);
        while (tasks.size() < m_options.batch && !m_niches.empty()) {
            const std::size_t before = tasks.size();
            add(m_niches[m_turn++ % m_niches.size()].archive, 1);
            if (tasks.size() == before)
                break;
        }
        return tasks;
    }
    bool take(State state)
    {
        ++m_record.generated;
        if (!m_known.insert(m_problem.hash(state)).second) {
            ++m_record.filtered;
            return false;
        }
        const auto [first, second] = m_problem.costs(state);
        nicheOf(state).add(first, second, state);
        const auto place = m_archive.add(first, second, std::move(state));
        if (!place)
            ++m_dominated;
        else
            m_accepted.push_back(m_archive.entries()[*place].state);
        return place.has_value();
    }
    void tellAccepted()
    {
        for (const State &state : m_accepted)
            m_problem.accepted(state);
        m_accepted.clear();
    }
    Archive &nicheOf(const State &state)
    {
        const std::uint64_t name = m_problem.niche(state);
        const auto at = std::ranges::find(m_niches, name, &Niche::name);
        if (at != m_niches.end())
            return at->archive;
        m_niches.push_back({name, {}});
        return m_niches.back().archive;
    }
    void note()
    {
        const double objective = m_problem.objective(m_archive);
        if (m_record.history.empty() || objective < m_record.history.back().cost)
            m_record.history.push_back({m_options.clock(), objective});
    }
    /// Returns the entries with the fewest visits, weighted by interest.
    std::vector<std::size_t> choose(const Archive &archive, std::size_t most) const
    {
        const auto &entries = archive.entries();
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t i = 0; i < entries.size(); ++i)
            order.emplace_back(double(entries[i].visits + 1) *
                                   m_problem.interest(entries[i].first, entries[i].second),
                               i);
        const std::size_t count = std::min(most, order.size());
        std::ranges::partial_sort(order, order.begin() + std::ptrdiff_t(count));
        std::vector<std::size_t> chosen;
        for (std::size_t i = 0; i < count; ++i)
            chosen.push_back(order[i].second);
        return chosen;
    }

    Problem &m_problem;
    SearchOptions m_options;
    SearchRecord m_record;
    Observing m_observing;
    std::uint64_t m_dominated = 0;
    Archive m_archive;
    struct Niche {
        std::uint64_t name;
        Archive archive;
    };
    std::vector<Niche> m_niches; // in the order in which their first states appeared
    std::size_t m_turn = 0;
    std::unordered_set<typename Problem::Hash> m_known;
    std::vector<State> m_accepted; // since the problem was last told
};

} // namespace graphloom
