// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// Text that may hold names of somebody else's making, as a terminal may show it: control
/// characters other than the end of a line and tabs, marks that turn the direction of writing, and
/// bytes that are no UTF-8 are written as \x1b or \u202e, so that none of them moves the cursor,
/// renames the window or hides what follows.
std::string forTerminal(std::string_view text);

} // namespace graphloom
