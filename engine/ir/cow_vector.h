// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace graphloom {

/// A vector whose copies share their content in chunks; writing an element copies its chunk
/// only. Copying n elements costs n / ChunkSize reference counts, which lets a search copy
/// graphs of thousands of nodes in microseconds.
template <class T, std::size_t ChunkSize = 64> class CowVector {
public:
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }

    const T &operator[](std::size_t i) const { return (*m_chunks[i / ChunkSize])[i % ChunkSize]; }

    /// A reference to write through; valid until the next copy of this vector is written.
    T &mutate(std::size_t i)
    {
        auto &chunk = m_chunks[i / ChunkSize];
        if (chunk.use_count() > 1)
            chunk = std::make_shared<Chunk>(*chunk);
        return (*chunk)[i % ChunkSize];
    }

    void push_back(T value)
    {
        if (m_size % ChunkSize == 0)
            m_chunks.push_back(std::make_shared<Chunk>());
        ++m_size;
        mutate(m_size - 1) = std::move(value);
    }

private:
    using Chunk = std::array<T, ChunkSize>;

    std::vector<std::shared_ptr<Chunk>> m_chunks;
    std::size_t m_size = 0;
};

} // namespace graphloom
