// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/simulation/simulation.h"

namespace graphloom::magis {

/// Tells which run computes which lifetime of a buffer, and which lifetimes begin with a load.
class TraceLives {
public:
    TraceLives(const MemoryGraph &memory, const Trace &trace);

    /// Tells whether a run that computes a buffer begins a lifetime of it.
    bool begins(int buffer, int run) const;
    /// Returns the lifetime of the buffer that a run reads, if it begins with a load; else -1.
    int loadedAt(int buffer, int run) const;
    /// Returns the lifetime of the same buffer before the given one; -1 if there is none.
    int before(int life) const { return m_before[std::size_t(life)]; }

private:
    struct Life {
        int number, computedBy; // -1: loaded, or there from the start
        int first, last;
        bool loaded;
    };
    std::vector<std::vector<Life>> m_lives; // by buffer, in time
    std::vector<int> m_before;              // by life
};

} // namespace graphloom::magis
