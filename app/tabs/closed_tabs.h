// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace graphloom {

/// Lists the tabs of a window that were closed, to open them again. Each file is listed once, and
/// at most `most` tabs are.
class ClosedTabs {
public:
    struct Tab {
        std::filesystem::path file;
        int place = 0; // among the tabs that were open
    };
    static constexpr std::size_t most = 10;

    void add(Tab tab);
    /// Removes the tab of a file, which is open again.
    void forget(const std::filesystem::path &file);
    /// Returns the tab that was closed last; null if there is none.
    const Tab *last() const { return m_tabs.empty() ? nullptr : &m_tabs.back(); }
    /// Removes the tab that was closed last, and returns it.
    std::optional<Tab> takeLast();

private:
    std::vector<Tab> m_tabs; // the one that was closed last at the end
};

} // namespace graphloom
