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
    return m_fissions[std::size_t(number)];
}

int FissionTable::count() const
{
    const std::lock_guard lock(m_mutex);
    return int(m_fissions.size());
}

const Parts &FissionTable::parts(int fission, int number)
{
    const auto key = std::uint64_t(std::uint32_t(fission)) << 32 | std::uint32_t(number);
    if (const auto at = m_parts.find(key); at != m_parts.end())
        return *at->second;
    auto parts =
        std::make_unique<const Parts>(m_fissions[std::size_t(fission)].parts(m_memory, number));
    return *m_parts.emplace(key, std::move(parts)).first->second;
}

} // namespace graphloom::magis
