// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// True for well-formed UTF-8: no overlong forms, surrogates or code points beyond U+10FFFF.
bool isUtf8(std::string_view text);

/// The text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string toUtf8(std::string_view text);

/// The beginning of a text for a message: so many bytes at most, and no part of a character.
std::string_view beginningOf(std::string_view text, std::size_t most);

} // namespace graphloom
