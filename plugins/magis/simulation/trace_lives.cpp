// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/simulation/trace_lives.h"

#include <algorithm>

namespace graphloom::magis {

TraceLives::TraceLives(const MemoryGraph &memory, const Trace &trace)
    : m_lives(memory.buffers().size())
{
    IndexedVector<StepIndex, std::vector<RunIndex>> runs(memory.steps().size());
    for (const RunIndex r : trace.runs.indices())
        runs[trace.runs[r].step].push_back(r);
    for (const LifeIndex l : trace.lives.indices()) {
        const Trace::Life &life = trace.lives[l];
        auto &list = m_lives[life.buffer];
        const StepIndex producer = memory.buffers()[life.buffer].producer;
        const bool first = list.empty(); // lives are in chronological order
        m_before.push_back(first ? LifeIndex() : list.back().index);
        const bool loaded = life.loadedFor.isValid();
        // During the load, runs may still read the previous life.
        Life known{l, {}, loaded ? life.loadedFor : life.first, life.last, loaded};
        if (producer.isValid() && !loaded) {
            const auto &own = runs[producer];
            // A repetition begins no new life of outputs that are still in memory.
            const auto run = std::ranges::find_if(own, [&](RunIndex r) {
                return r >= life.first && r <= life.last &&
                       std::ranges::none_of(list, [r](const Life &other) {
                           return other.computedBy == r || (other.first < r && r <= other.last);
                       });
            });
            known.computedBy = run != own.end() ? *run : RunIndex();
        }
        list.push_back(known);
    }
}

bool TraceLives::begins(BufferIndex buffer, RunIndex run) const
{
    return std::ranges::any_of(m_lives[buffer],
                               [run](const Life &life) { return life.computedBy == run; });
}

LifeIndex TraceLives::loadedAt(BufferIndex buffer, RunIndex run) const
{
    const auto &lives = m_lives[buffer];
    for (auto life = lives.rbegin(); life != lives.rend(); ++life)
        if (life->first <= run && run <= life->last)
            return life->loaded ? life->index : LifeIndex();
    return {};
}

} // namespace graphloom::magis
