// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// Returns true for well-formed UTF-8: no overlong forms, surrogates or code points beyond
/// U+10FFFF.
bool isUtf8(std::string_view text);

/// Returns the text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string toUtf8(std::string_view text);

/// Returns the beginning of a text for a message: at most `most` bytes, without cutting a
/// character.
std::string_view beginningOf(std::string_view text, std::size_t most);

} // namespace graphloom
