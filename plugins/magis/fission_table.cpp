// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/fission_table.h"

namespace graphloom::magis {

int FissionTable::add(Fission fission)
{
    const std::lock_guard lock(m_mutex);
    const auto [at, added] = m_known.try_emplace(fission.hash(), int(m_fissions.size()));
    if (added)
        m_fissions.push_back(std::move(fission));
    return at->second;
}

const Fission &FissionTable::fission(int number) const
{
    const std::lock_guard lock(m_mutex);
    return m_fissions[std::size_t(number)];
}

int FissionTable::count() const
{
    const std::lock_guard lock(m_mutex);
    return int(m_fissions.size());
}

const Parts &FissionTable::parts(int fission, int number)
{
    const Fission *wanted = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto at = m_parts.find({fission, number}); at != m_parts.end())
            return *at->second;
        wanted = &m_fissions[std::size_t(fission)];
    }
    auto parts = std::make_unique<const Parts>(wanted->parts(m_memory, number));
    const std::lock_guard lock(m_mutex);
    return *m_parts.try_emplace({fission, number}, std::move(parts)).first->second;
}

} // namespace graphloom::magis
