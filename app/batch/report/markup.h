// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// Text for an attribute or element of XML or HTML. Names in models may hold any bytes; what is no
/// valid UTF-8, or a character that XML cannot hold, becomes "?".
std::string escapedMarkup(std::string_view text);

} // namespace graphloom
