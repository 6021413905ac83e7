// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// Returns a text, which may hold names of unknown origin, in a form that is safe for a terminal:
/// control characters other than newlines and tabs, marks that change the direction of writing, and
/// bytes that are no UTF-8 are written as \x1b or \u202e, so that none of them moves the cursor,
/// renames the window or hides what follows.
std::string forTerminal(std::string_view text);

} // namespace graphloom
