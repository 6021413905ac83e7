// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"

#include <algorithm>

namespace graphloom::magis {

/// Counts the bytes alive, except weights, while steps run one after the other. A copy continues
/// from the current step.
class MemoryWalk {
public:
    explicit MemoryWalk(const StepGraph &memory) : m_memory(&memory)
    {
        m_left.reserve(memory.buffers().size());
        for (const Buffer &buffer : memory.buffers()) {
            m_left.push_back(int(buffer.readers.size()));
            if (!buffer.producer.isValid() && !buffer.resident)
                m_alive += buffer.bytes;
        }
    }

    /// Returns by how many bytes the memory alive grows once the step is done.
    std::int64_t growth(StepIndex step) const
    {
        std::int64_t bytes = 0;
        for (const BufferIndex b : m_memory->steps()[step].writes)
            if (!vanishes(b))
                bytes += added(b);
        for (const BufferIndex b : m_memory->steps()[step].reads)
            if (m_left[b] == 1 && ends(b))
                bytes -= added(b);
        return bytes;
    }
    void run(StepIndex step)
    {
        const Step &run = m_memory->steps()[step];
        std::int64_t written = 0, freed = 0, takenOver = 0;
        for (const BufferIndex b : run.writes) {
            written += added(b);
            freed += vanishes(b) ? added(b) : 0;
        }
        for (const BufferIndex b : run.reads)
            if (--m_left[b] == 0 && ends(b)) {
                freed += added(b);
                if (std::ranges::binary_search(run.overwrites, b))
                    takenOver = added(run.writes.front());
            }
        m_peak = std::max(m_peak, m_alive + written - takenOver);
        m_alive += written - freed;
    }
    std::int64_t alive() const { return m_alive; }
    /// Returns the highest number of bytes alive since the walk began, or since forgetPeak().
    std::int64_t peak() const { return m_peak; }
    void forgetPeak() { m_peak = 0; }

private:
    bool ends(BufferIndex b) const
    {
        const Buffer &buffer = m_memory->buffers()[b];
        return !buffer.kept && !buffer.resident;
    }
    /// Tells whether no step reads the buffer, so that it is freed at once.
    bool vanishes(BufferIndex b) const { return m_memory->buffers()[b].readers.empty() && ends(b); }
    std::int64_t added(BufferIndex b) const
    {
        const Buffer &buffer = m_memory->buffers()[b];
        return buffer.updates.isValid() ? 0 : buffer.bytes;
    }

    const StepGraph *m_memory;
    IndexedVector<BufferIndex, int> m_left; // readers to come
    std::int64_t m_alive = 0, m_peak = 0;
};

} // namespace graphloom::magis
