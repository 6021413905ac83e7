// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial/program/trial_memory.h"

#include "engine/base/hash.h"
#include "engine/base/integer_division.h"
#include "engine/runtime/aligned_bytes.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace graphloom {

GuardedMemory::GuardedMemory(std::int64_t bytes) : m_bytes(bytes)
{
    if (bytes < 0 || bytes > std::int64_t{1} << 46)
        return;
    // As in a plan, where small buffers share large pages: where a page for each misses the TLB,
    // other schedules are the fastest.
    constexpr std::int64_t large = 64 * 1024;
    const bool isLarge = bytes >= large;
    const auto page = std::int64_t(::sysconf(_SC_PAGESIZE));
    const std::int64_t alignment = isLarge ? largePage : page;
    const std::int64_t rounded = roundUp(bytes, bufferAlignment);
    const std::int64_t inside = roundUp(rounded, alignment);
    m_mapped = std::size_t(inside + (isLarge ? alignment : 0) + page);
    m_pages = ::mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m_pages == MAP_FAILED) {
        m_pages = nullptr;
        return;
    }
    const auto from = std::int64_t(reinterpret_cast<std::uintptr_t>(m_pages));
    char *const begin = static_cast<char *>(m_pages) + (roundUp(from, alignment) - from);
    char *const guard = begin + inside;
    if (isLarge) // a hint
        ::madvise(begin, std::size_t(inside), MADV_HUGEPAGE);
    if (::mprotect(guard, std::size_t(page), PROT_NONE) == 0)
        m_data = guard - rounded;
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : m_pages(std::exchange(other.m_pages, nullptr)), m_mapped(other.m_mapped),
      m_data(std::exchange(other.m_data, nullptr)), m_bytes(other.m_bytes)
{
}

GuardedMemory::~GuardedMemory()
{
    if (m_pages)
        ::munmap(m_pages, m_mapped);
}

namespace {

/// Returns the i-th of uniformly distributed 64-bit numbers.
std::uint64_t random(std::uint64_t seed, std::int64_t i)
{
    return scramble(seed * 0x9e3779b97f4a7c15ULL + std::uint64_t(i));
}

} // namespace

Result<void> fill(const GuardedMemory &memory, const TrialBuffer &buffer, std::uint64_t seed)
{
    switch (buffer.fill) {
    case TrialBuffer::Fill::Zeros:
        std::memset(memory.data(), 0, std::size_t(memory.size()));
        break;
    case TrialBuffer::Fill::Floats:
        for (std::int64_t i = 0; i < memory.size() / 4; ++i) {
            const float value = float(random(seed, i) >> 40) * 0x1p-23F - 1; // 24 bits
            std::memcpy(memory.data() + 4 * i, &value, 4);
        }
        break;
    case TrialBuffer::Fill::Integers:
        if (buffer.below < 1 || (buffer.itemBytes != 1 && buffer.itemBytes != 2 &&
                                 buffer.itemBytes != 4 && buffer.itemBytes != 8))
            return fail(Error::Kind::Usage, "random integers need a range and 1, 2, 4 or 8 bytes");
        for (std::int64_t i = 0; i < memory.size() / buffer.itemBytes; ++i) {
            const std::uint64_t value = random(seed, i) % std::uint64_t(buffer.below);
            std::memcpy(memory.data() + buffer.itemBytes * i, &value, // all hosts are little-endian
                        std::size_t(buffer.itemBytes));
        }
        break;
    case TrialBuffer::Fill::File:
        if (!std::ifstream(buffer.file, std::ios::binary).read(memory.data(), memory.size()))
            return fail(Error::Kind::Missing,
                        "does not provide the " + std::to_string(memory.size()) +
                            " bytes of a buffer",
                        buffer.file.string());
    }
    return {};
}

Result<void> write(const GuardedMemory &memory, const std::filesystem::path &file)
{
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    if (!stream.write(memory.data(), memory.size()).flush())
        return fail(Error::Kind::Missing, "cannot write here", file.string());
    return {};
}

} // namespace graphloom
