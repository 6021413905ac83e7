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
            if (buffer.producer < 0 && !buffer.resident)
                m_alive += buffer.bytes;
        }
    }

    /// Returns by how many bytes the memory alive grows once the step is done.
    std::int64_t growth(int step) const
    {
        std::int64_t bytes = 0;
        for (const int b : m_memory->steps()[std::size_t(step)].writes)
            if (!vanishes(b))
                bytes += added(b);
        for (const int b : m_memory->steps()[std::size_t(step)].reads)
            if (m_left[std::size_t(b)] == 1 && ends(b))
                bytes -= added(b);
        return bytes;
    }
    void run(int step)
    {
        const Step &run = m_memory->steps()[std::size_t(step)];
        std::int64_t written = 0, freed = 0, takenOver = 0;
        for (const int b : run.writes) {
            written += added(b);
            freed += vanishes(b) ? added(b) : 0;
        }
        for (const int b : run.reads)
            if (--m_left[std::size_t(b)] == 0 && ends(b)) {
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
    bool ends(int b) const
    {
        const Buffer &buffer = m_memory->buffers()[std::size_t(b)];
        return !buffer.kept && !buffer.resident;
    }
    /// Tells whether no step reads the buffer, so that it is freed at once.
    bool vanishes(int b) const
    {
        return m_memory->buffers()[std::size_t(b)].readers.empty() && ends(b);
    }
    std::int64_t added(int b) const
    {
        const Buffer &buffer = m_memory->buffers()[std::size_t(b)];
        return buffer.updates >= 0 ? 0 : buffer.bytes;
    }

    const StepGraph *m_memory;
    std::vector<int> m_left; // readers to come, by buffer
    std::int64_t m_alive = 0, m_peak = 0;
};

} // namespace graphloom::magis
