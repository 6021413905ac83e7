// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace graphloom {

/// Implements a vector whose copies share their content in chunks; writing an element copies its
/// chunk only. Copying n elements costs n / ChunkSize reference counts, which lets a search copy
/// graphs of thousands of nodes in microseconds. Different copies may be used from several threads,
/// each copy from one thread at a time.
template <class T, std::size_t ChunkSize = 64> class CowVector {
public:
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }

    const T &operator[](std::size_t i) const
    {
        return m_chunks[i / ChunkSize]->items[i % ChunkSize];
    }

    /// Returns a reference for writing; valid until the next copy of this vector is written.
    T &mutate(std::size_t i)
    {
        Pointer &chunk = m_chunks[i / ChunkSize];
        if (chunk.isShared())
            chunk = Pointer(new Chunk(chunk->items));
        return chunk->items[i % ChunkSize];
    }

    void push_back(T value)
    {
        if (m_size % ChunkSize == 0)
            m_chunks.push_back(Pointer(new Chunk));
        ++m_size;
        mutate(m_size - 1) = std::move(value);
    }

    /// Gives access to many elements, some of them for writing, without checking at each access
    /// whether its chunk is shared. While it lives, the vector must not be copied or changed in
    /// another way.
    class Writer {
    public:
        explicit Writer(CowVector &vector)
            : m_vector(vector), m_read(vector.m_chunks.size()), m_write(vector.m_chunks.size())
        {
            for (std::size_t chunk = 0; chunk < m_read.size(); ++chunk)
                m_read[chunk] = vector.m_chunks[chunk]->items.data();
        }
        const T &operator[](std::size_t i) const { return m_read[i / ChunkSize][i % ChunkSize]; }
        T &mutate(std::size_t i)
        {
            const std::size_t chunk = i / ChunkSize;
            if (!m_write[chunk])
                m_read[chunk] = m_write[chunk] = &m_vector.mutate(chunk * ChunkSize);
            return m_write[chunk][i % ChunkSize];
        }

    private:
        CowVector &m_vector;
        std::vector<const T *> m_read;
        std::vector<T *> m_write; // null until the chunk is known to be unshared
    };

private:
    struct Chunk {
        Chunk() = default;
        explicit Chunk(const std::array<T, ChunkSize> &other) : items(other) {}

        std::atomic<std::size_t> owners = 1;
        std::array<T, ChunkSize> items{};
    };

    /// Takes half the size of a std::shared_ptr, whose use_count() moreover does not guarantee that
    /// the other owners have finished reading.
    class Pointer {
    public:
        explicit Pointer(Chunk *chunk) : m_chunk(chunk) {}
        Pointer(const Pointer &other) : m_chunk(other.m_chunk)
        {
            m_chunk->owners.fetch_add(1, std::memory_order_relaxed);
        }
        Pointer(Pointer &&other) noexcept : m_chunk(std::exchange(other.m_chunk, nullptr)) {}
        Pointer &operator=(Pointer other) noexcept
        {
            std::swap(m_chunk, other.m_chunk);
            return *this;
        }
        ~Pointer()
        {
            if (m_chunk && m_chunk->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
                delete m_chunk;
        }
        bool isShared() const { return m_chunk->owners.load(std::memory_order_acquire) > 1; }
        Chunk *operator->() const { return m_chunk; }

    private:
        Chunk *m_chunk;
    };

    std::vector<Pointer> m_chunks;
    std::size_t m_size = 0;
};

} // namespace graphloom
