// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/simulation/simulation.h"

namespace graphloom::magis {

/// Tells which run computes which lifetime of a buffer, and which lifetimes begin with a load.
class TraceLives {
public:
    TraceLives(const MemoryGraph &memory, const Trace &trace);

    /// Tells whether a run that computes a buffer begins a lifetime of it.
    bool begins(BufferIndex buffer, RunIndex run) const;
    /// Returns the lifetime of the buffer that a run reads, if it begins with a load; else an
    /// invalid index.
    LifeIndex loadedAt(BufferIndex buffer, RunIndex run) const;
    /// Returns the lifetime of the same buffer before the given one; invalid if there is none.
    LifeIndex before(LifeIndex life) const { return m_before[life]; }

private:
    struct Life {
        LifeIndex index;
        RunIndex computedBy; // invalid: loaded, or there from the start
        RunIndex first, last;
        bool loaded;
    };
    IndexedVector<BufferIndex, std::vector<Life>> m_lives; // in time
    IndexedVector<LifeIndex, LifeIndex> m_before;
};

} // namespace graphloom::magis
