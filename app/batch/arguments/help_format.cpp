// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>

#include "app/batch/arguments/help_format.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::size_t helpColumn = 30, helpWidth = 100;

/// Returns the type of an option without the checks that CLI11 appends.
std::string typeText(const CLI::Option &option)
{
    std::string type = option.get_type_name();
    for (const char *check : {":{", ":INT in [", ":UINT in ["})
        type = type.substr(0, type.find(check));
    return type;
}

/// Wraps a text into lines that begin at the column for descriptions.
std::string filled(const std::string &text)
{
    std::string result;
    std::size_t at = helpColumn;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::size_t length = end - start;
        if (at > helpColumn && at + 1 + length > helpWidth) {
            result += '\n' + std::string(helpColumn, ' ');
            at = helpColumn;
        } else if (at > helpColumn) {
            result += ' ';
            ++at;
        }
        result += text.substr(start, length);
        at += length;
        start = end + 1;
    }
    return result;
}

} // namespace

std::string HelpFormat::make_option(const CLI::Option *option, bool isPositional) const
{
    std::string left = "  " + option->get_name(isPositional, true);
    if (const std::string type = typeText(*option); !type.empty())
        left += ' ' + type;
    left += left.size() + 1 > helpColumn ? '\n' + std::string(helpColumn, ' ')
                                         : std::string(helpColumn - left.size(), ' ');
    return left + filled(option->get_description()) + '\n';
}

} // namespace graphloom
