// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/markup.h"

namespace graphloom {

std::string escapedMarkup(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x80) {
            const std::size_t length = c >= 0xf0 && c < 0xf5   ? 4
                                       : c >= 0xe0 && c < 0xf0 ? 3
                                       : c >= 0xc2 && c < 0xe0 ? 2
                                                               : 0;
            bool valid = length > 0 && i + length <= text.size();
            for (std::size_t k = 1; valid && k < length; ++k)
                valid = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
            // Surrogates and the two noncharacters are invalid.
            const std::string_view code = text.substr(i, valid ? length : 0);
            valid = valid && !(code[0] == '\xed' && code[1] >= '\xa0' && code[1] < '\xc0') &&
                    code != "\xef\xbf\xbe" && code != "\xef\xbf\xbf";
            if (valid) {
                result += code;
                i += length - 1;
            } else {
                result += '?';
            }
        } else if (c == '&') {
            result += "&amp;";
        } else if (c == '<') {
            result += "&lt;";
        } else if (c == '>') {
            result += "&gt;";
        } else if (c == '"') {
            result += "&quot;";
        } else if (c == '\n') {
            result += "&#10;";
        } else {
            result += c < 0x20 && c != '\t' ? '?' : char(c);
        }
    }
    return result;
}

} // namespace graphloom
