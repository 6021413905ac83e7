// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/code_text.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace graphloom {

namespace {

bool isOfName(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Calls with each name or number and what is in front of it; at the end with an empty name.
void forEachName(std::string_view code,
                 const std::function<void(std::string_view before, std::string_view name)> &visit)
{
    for (auto at = code.begin(); at != code.end();) {
        const auto begin = std::find_if(at, code.end(), isOfName);
        const auto end = std::find_if_not(begin, code.end(), isOfName);
        visit({at, begin}, {begin, end});
        at = end;
    }
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

/// Returns the name that a line such as "const vf v3 = …;" declares; empty if it declares none.
std::string_view declaredIn(std::string_view line)
{
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos)
        return {};
    std::vector<std::string_view> names;
    forEachName(line.substr(0, equals),
                [&](std::string_view, std::string_view name) { names.push_back(name); });
    const bool hasType = names.size() >= 2;
    return hasType && line.substr(0, equals).find_first_of("[(") == std::string_view::npos
               ? names.back()
               : std::string_view();
}

} // namespace

std::string withNames(std::string_view code,
                      const std::function<std::string(std::string_view name)> &of)
{
    std::string text;
    forEachName(code, [&](std::string_view before, std::string_view name) {
        text += before;
        if (!name.empty())
            text += of(name);
    });
    return text;
}

std::string sideBySide(const std::vector<std::string> &pieces)
{
    // What is between more statements needs registers of its own, for each of the pieces.
    constexpr std::size_t mostStatements = 5, mostPieces = 8;
    std::vector<std::vector<std::string_view>> lines;
    std::size_t longest = 0;
    std::string text, oneByOne;
    std::set<std::string_view> declared;
    for (const std::string &piece : pieces) {
        oneByOne += piece;
        lines.push_back(linesOf(piece));
        longest = std::max(longest, lines.back().size());
        for (const std::string_view line : lines.back())
            declared.insert(declaredIn(line));
    }
    declared.erase(std::string_view());
    bool isLegal = true;
    const auto add = [&](std::string_view line) {
        const std::string_view name = declaredIn(line);
        forEachName(line, [&](std::string_view, std::string_view used) {
            isLegal = isLegal && (used == name || !declared.contains(used));
        });
        declared.erase(name); // from here on it may be used
        text += line;
    };
    if (longest > mostStatements)
        return oneByOne;
    for (std::size_t first = 0; first < lines.size(); first += mostPieces)
        for (std::size_t left = longest; left > 0; --left)
            for (std::size_t i = first; i < std::min(first + mostPieces, lines.size()); ++i)
                if (lines[i].size() >= left)
                    add(lines[i][lines[i].size() - left]);
    return isLegal ? text : oneByOne;
}

} // namespace graphloom
