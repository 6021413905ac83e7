// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/terminal/terminal_text.h"

#include "engine/onnx/format/utf8.h"

#include <cstdio>

namespace graphloom {

namespace {

/// Returns the length of the UTF-8 character at the beginning of the text; 0 if it is invalid.
std::size_t lengthAt(std::string_view text)
{
    const auto c = static_cast<unsigned char>(text[0]);
    const std::size_t length = c < 0x80                ? 1
                               : c >= 0xc2 && c < 0xe0 ? 2
                               : c >= 0xe0 && c < 0xf0 ? 3
                               : c >= 0xf0 && c < 0xf5 ? 4
                                                       : 0;
    return length <= text.size() && isUtf8(text.substr(0, length)) ? length : 0;
}

unsigned codeOf(std::string_view character)
{
    const auto byte = [&](std::size_t i) {
        return unsigned(static_cast<unsigned char>(character[i]));
    };
    switch (character.size()) {
    case 1:
        return byte(0);
    case 2:
        return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    case 3:
        return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    default:
        return 0x10000; // isHarmless() accepts all of these
    }
}

bool isHarmless(unsigned code)
{
    const bool control =
        (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
    const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
                       code == 0x200e || code == 0x200f;
    return !control && !turns;
}

} // namespace

std::string forTerminal(std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        const std::size_t length = lengthAt(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        const unsigned code = length == 0 ? static_cast<unsigned char>(text[0]) : codeOf(character);
        if (length > 0 && isHarmless(code)) {
            shown += character;
        } else {
            char escaped[16];
            std::snprintf(escaped, sizeof escaped, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
            shown += escaped;
        }
        text.remove_prefix(character.size());
    }
    return shown;
}

} // namespace graphloom
