// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/simulation/trace_lives.h"

#include <algorithm>

namespace graphloom::magis {

TraceLives::TraceLives(const MemoryGraph &memory, const Trace &trace)
    : m_lives(memory.buffers().size())
{
    std::vector<std::vector<int>> runs(memory.steps().size());
    for (int r = 0; r < int(trace.runs.size()); ++r)
        runs[std::size_t(trace.runs[std::size_t(r)].step)].push_back(r);
    for (int l = 0; l < int(trace.lives.size()); ++l) {
        const Trace::Life &life = trace.lives[std::size_t(l)];
        auto &list = m_lives[std::size_t(life.buffer)];
        const int producer = memory.buffers()[std::size_t(life.buffer)].producer;
        const bool first = list.empty(); // lives are listed as they begin
        m_before.push_back(first ? -1 : list.back().number);
        const bool loaded = life.loadedFor >= 0;
        // While it is on its way, runs may still read the life before.
        Life known{l, -1, loaded ? life.loadedFor : life.first, life.last, loaded};
        if (producer >= 0 && !loaded) {
            const auto &own = runs[std::size_t(producer)];
            // Outputs of a repetition that were there still do not begin anew.
            const auto run = std::ranges::find_if(own, [&](int r) {
                return r >= life.first && r <= life.last &&
                       std::ranges::none_of(list, [r](const Life &other) {
                           return other.computedBy == r || (other.first < r && r <= other.last);
                       });
            });
            known.computedBy = run != own.end() ? *run : -1;
        }
        list.push_back(known);
    }
}

bool TraceLives::begins(int buffer, int run) const
{
    return std::ranges::any_of(m_lives[std::size_t(buffer)],
                               [run](const Life &life) { return life.computedBy == run; });
}

int TraceLives::loadedAt(int buffer, int run) const
{
    const auto &lives = m_lives[std::size_t(buffer)];
    for (auto life = lives.rbegin(); life != lives.rend(); ++life)
        if (life->first <= run && run <= life->last)
            return life->loaded ? life->number : -1;
    return -1;
}

} // namespace graphloom::magis
