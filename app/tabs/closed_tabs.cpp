// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/closed_tabs.h"

#include "app/tabs/same_file.h"

namespace graphloom {

void ClosedTabs::add(Tab tab)
{
    forget(tab.file);
    m_tabs.push_back(std::move(tab));
    if (m_tabs.size() > most)
        m_tabs.erase(m_tabs.begin());
}

void ClosedTabs::forget(const std::filesystem::path &file)
{
    std::erase_if(m_tabs, [&](const Tab &tab) { return leadToSameFile(tab.file, file); });
}

std::optional<ClosedTabs::Tab> ClosedTabs::takeLast()
{
    if (m_tabs.empty())
        return std::nullopt;
    Tab last = std::move(m_tabs.back());
    m_tabs.pop_back();
    return last;
}

} // namespace graphloom
