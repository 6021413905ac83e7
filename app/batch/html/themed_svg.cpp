// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/themed_svg.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace graphloom {

namespace {

/// Attributes that a style sheet can set as well.
constexpr std::array paintAttributes = {std::string_view("fill"),
                                        std::string_view("fill-opacity"),
                                        std::string_view("fill-rule"),
                                        std::string_view("stroke"),
                                        std::string_view("stroke-opacity"),
                                        std::string_view("stroke-width"),
                                        std::string_view("stroke-linecap"),
                                        std::string_view("stroke-linejoin"),
                                        std::string_view("stroke-miterlimit"),
                                        std::string_view("stroke-dasharray"),
                                        std::string_view("stroke-dashoffset"),
                                        std::string_view("font-family"),
                                        std::string_view("font-size"),
                                        std::string_view("font-weight"),
                                        std::string_view("font-style")};
/// Those that say what is so anyway, or sizes of the file.
constexpr std::array idleAttributes = {std::string_view("vector-effect"),
                                       std::string_view("xml:space"), std::string_view("version"),
                                       std::string_view("baseProfile")};

/// A part of the file: a tag with its attributes taken apart, or text between tags.
struct SvgToken {
    std::string kept;  // the tag without what is painted how; or the text
    std::string paint; // as declarations of a style sheet
    bool tag = false;
};

void takeAttribute(SvgToken &token, std::string_view name, std::string_view value)
{
    if (std::ranges::count(idleAttributes, name))
        return;
    if (!std::ranges::count(paintAttributes, name)) {
        token.kept += ' ' + std::string(name) + "=\"" + std::string(value) + '"';
        return;
    }
    token.paint += std::string(name) + ':';
    if (name == "font-family")
        token.paint += "sans-serif";
    else
        token.paint += std::string(value) + (name == "font-size" ? "px" : "");
    token.paint += ';';
}

/// From "<" to ">" without these.
SvgToken tagToken(std::string_view inside)
{
    constexpr std::string_view space = " \t\r\n";
    SvgToken token;
    token.tag = true;
    const bool closed = inside.ends_with('/');
    if (closed)
        inside.remove_suffix(1);
    std::size_t at = std::min(inside.find_first_of(space), inside.size());
    token.kept = "<" + std::string(inside.substr(0, at));
    for (;;) {
        at = inside.find_first_not_of(space, at);
        const std::size_t equals = inside.find("=\"", at);
        if (at == std::string_view::npos || equals == std::string_view::npos)
            break;
        const std::size_t end = inside.find('"', equals + 2);
        if (end == std::string_view::npos)
            break;
        takeAttribute(token, inside.substr(at, equals - at),
                      inside.substr(equals + 2, end - equals - 2));
        at = end + 1;
    }
    token.kept += closed ? "/" : "";
    return token;
}

std::vector<SvgToken> svgTokens(std::string_view file)
{
    std::vector<SvgToken> tokens;
    for (std::size_t at = file.find("<svg"); at < file.size();) {
        if (file[at] == '<') {
            const std::size_t end = std::min(file.find('>', at), file.size());
            tokens.push_back(tagToken(file.substr(at + 1, end - at - 1)));
            at = end + 1;
            continue;
        }
        const std::size_t end = std::min(file.find('<', at), file.size());
        const std::string_view text = file.substr(at, end - at);
        if (text.find_first_not_of(" \t\r\n") != std::string_view::npos)
            tokens.push_back({std::string(text), {}, false});
        at = end;
    }
    return tokens;
}

bool differInPaintOnly(const std::vector<SvgToken> &a, const std::vector<SvgToken> &b)
{
    return std::ranges::equal(a, b, {}, &SvgToken::kept, &SvgToken::kept);
}

} // namespace

ThemedSvg themedSvg(std::string_view light, std::string_view dark, std::string_view prefix)
{
    const std::vector<SvgToken> tokens = svgTokens(light);
    std::vector<SvgToken> others = svgTokens(dark);
    if (!differInPaintOnly(tokens, others))
        others = tokens;
    std::map<std::pair<std::string, std::string>, std::string> classes;
    ThemedSvg themed;
    std::string darkStyle;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const SvgToken &token = tokens[i];
        themed.svg += token.kept;
        if (!token.tag)
            continue;
        if (!token.paint.empty() || !others[i].paint.empty()) {
            auto [place, made] =
                classes.try_emplace({token.paint, others[i].paint},
                                    std::string(prefix) + std::to_string(classes.size()));
            if (made) {
                themed.style += "." + place->second + "{" + token.paint + "}\n";
                if (token.paint != others[i].paint)
                    darkStyle += "." + place->second + "{" + others[i].paint + "}\n";
            }
            const bool closed = themed.svg.ends_with('/');
            if (closed)
                themed.svg.pop_back();
            themed.svg += " class=\"" + place->second + '"' + (closed ? "/" : "");
        }
        themed.svg += '>';
        if (token.kept == "</g")
            themed.svg += '\n';
    }
    if (!darkStyle.empty())
        themed.style += "@media screen and (prefers-color-scheme:dark){\n" + darkStyle + "}\n";
    return themed;
}

} // namespace graphloom
