// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/search/search_options.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <functional>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

namespace graphloom {

/// Searches in parallel, best first, from one state to the cheapest one that moves lead to.
/// `Problem` has
///     using State;                             // copies are cheap
///     double cost(const State &) const;        // less is better
///     std::uint64_t hash(const State &) const; // equal for states that are the same
///     std::vector<State> expand(const State &) const; // from several threads at a time; in an
///                                                     // order that depends on the state alone
/// A problem whose expand() is not const, since it remembers what it saw, requires options with one
/// thread and batches of one state.
/// Never returns a state that costs more than the start; if stopped or out of budget, returns the
/// best so far. `improved` is called for every new best state, from the calling thread.
template <class Problem> class BestFirstSearch {
public:
    using State = typename Problem::State;

    BestFirstSearch(Problem &problem, SearchOptions options)
        : m_problem(problem), m_options(std::move(options))
    {
    }

    State run(State start, const std::function<void(const State &)> &improved = {})
    {
        State best = start;
        double bestCost = m_problem.cost(start);
        m_record.history.push_back({m_options.clock(), bestCost});
        m_known.insert(m_problem.hash(start));
        push(std::move(start), bestCost);
        tbb::task_arena arena(m_options.threads ? int(m_options.threads)
                                                : tbb::task_arena::automatic);
        while (!m_frontier.empty() && isWithinBudget(m_options, m_record)) {
            std::vector<State> batch = takeBatch();
            std::vector<std::vector<State>> found(batch.size());
            arena.execute([&] {
                tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
                    if (!m_options.stop.stop_requested())
                        found[i] = m_problem.expand(batch[i]);
                });
            });
            m_record.expanded += batch.size();
            for (std::vector<State> &states : found)
                for (State &state : states) {
                    ++m_record.generated;
                    if (!m_known.insert(m_problem.hash(state)).second) {
                        ++m_record.filtered;
                        continue;
                    }
                    const double cost = m_problem.cost(state);
                    if (cost < bestCost) {
                        bestCost = cost;
                        best = state;
                        m_record.history.push_back({m_options.clock(), cost});
                        if (improved)
                            improved(best);
                    }
                    push(std::move(state), cost);
                }
            forgetCostliest();
            if (m_observing.isDue()) {
                m_record.seconds = m_options.clock();
                noteWords(m_problem, m_record);
                m_options.observe(m_record);
            }
        }
        m_record.exhausted = m_frontier.empty();
        noteWords(m_problem, m_record);
        m_record.seconds = m_options.clock();
        return best;
    }

    const SearchRecord &record() const { return m_record; }

private:
    struct Waiting {
        double cost;
        std::uint64_t number; // ties: first come, first served
        bool operator<(const Waiting &other) const
        {
            return std::pair(cost, number) < std::pair(other.cost, other.number);
        }
    };

    void push(State state, double cost)
    {
        m_frontier.emplace(Waiting{cost, m_numbered++}, std::move(state));
    }
    std::vector<State> takeBatch()
    {
        std::vector<State> batch;
        while (!m_frontier.empty() && batch.size() < m_options.batch) {
            batch.push_back(std::move(m_frontier.begin()->second));
            m_frontier.erase(m_frontier.begin());
        }
        return batch;
    }
    void forgetCostliest()
    {
        while (m_frontier.size() > m_options.frontier)
            m_frontier.erase(std::prev(m_frontier.end()));
    }

    Problem &m_problem;
    SearchOptions m_options;
    SearchRecord m_record;
    Observing m_observing;
    std::map<Waiting, State> m_frontier;
    std::unordered_set<std::uint64_t> m_known;
    std::uint64_t m_numbered = 0;
};

} // namespace graphloom
