// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/format/utf8.h"

#include <cstdint>

namespace graphloom {

namespace {

/// Returns the length in bytes of the well-formed character at the start of the text, or 0.
std::size_t characterAt(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
    if (size == 0 || first >= 0xf8 || text.size() < size)
        return 0;
    std::uint32_t code = first & (0x7fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[size] && code <= 0x10ffff && !surrogate ? size : 0;
}

} // namespace

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t size = characterAt(text);
        if (size == 0)
            return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string toUtf8(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t size = characterAt(text);
        if (size == 0)
            result += "\xef\xbf\xbd";
        else
            result += text.substr(0, size);
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return result;
}

std::string_view beginningOf(std::string_view text, std::size_t most)
{
    if (text.size() <= most)
        return text;
    std::size_t end = most;
    while (end > 0 && most - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end);
}

} // namespace graphloom
