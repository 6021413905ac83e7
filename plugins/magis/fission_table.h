// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/fission.h"

#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>

#include <mutex>
#include <unordered_map>

namespace graphloom::magis {

/// All fissions that a search has come across, each once, and the parts that their numbers give.
/// Safe to use from several threads; what it gives stays valid as long as it lives.
class FissionTable {
public:
    explicit FissionTable(const MemoryGraph &memory) : m_memory(memory) {}

    const MemoryGraph &memory() const { return m_memory; }
    /// Its number; that of an equal one if there is one.
    int add(Fission fission);
    const Fission &fission(int number) const;
    int count() const;
    const Parts &parts(int fission, int number);

private:
    const MemoryGraph &m_memory;
    mutable std::mutex m_mutex; // of adding; what is there is read without
    tbb::concurrent_vector<Fission> m_fissions;
    std::unordered_map<std::uint64_t, int> m_known; // by hash
    tbb::concurrent_unordered_map<std::uint64_t, std::unique_ptr<const Parts>> m_parts;
};

} // namespace graphloom::magis
