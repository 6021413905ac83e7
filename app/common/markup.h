// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// Returns the text escaped for an attribute or element of XML or HTML. Names in models may hold
/// any bytes: invalid UTF-8, and characters that XML cannot hold, become "?".
std::string escapedMarkup(std::string_view text);

} // namespace graphloom
