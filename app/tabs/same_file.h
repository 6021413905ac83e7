// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace graphloom {

/// Tells whether both paths lead to the same file, also through links. An empty path leads to none.
inline bool leadToSameFile(const std::filesystem::path &a, const std::filesystem::path &b)
{
    std::error_code failed;
    return !a.empty() && (a == b || std::filesystem::equivalent(a, b, failed));
}

} // namespace graphloom
