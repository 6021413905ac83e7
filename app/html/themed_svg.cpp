// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/html/themed_svg.h"

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
/// Attributes without effect.
constexpr std::array idleAttributes = {std::string_view("vector-effect"),
                                       std::string_view("xml:space"), std::string_view("version"),
                                       std::string_view("baseProfile")};

using PaintDeclarations = std::map<std::string, std::string>; // as in a style sheet

/// Holds the parts of a tag.
struct SvgTag {
    std::string name;      // "/g" for an end tag
    std::string kept;      // attributes other than paint, verbatim
    std::string transform; // "" for none and for the identity
    PaintDeclarations paint;
    bool closed = false; // has no content
};

/// Holds an element that draws something, with the paint of all groups around it, or any other
/// text verbatim.
struct SvgPart {
    std::string before, after, transform; // before and after the class
    PaintDeclarations paint;
    bool draws = false;
    bool sameButForPaint(const SvgPart &other) const
    {
        return before == other.before && after == other.after && transform == other.transform;
    }
};

void takeAttribute(SvgTag &tag, std::string_view name, std::string_view value)
{
    if (std::ranges::count(idleAttributes, name))
        return;
    if (name == "transform")
        tag.transform = value == "matrix(1,0,0,1,0,0)" ? "" : value;
    else if (!std::ranges::count(paintAttributes, name))
        tag.kept += ' ' + std::string(name) + "=\"" + std::string(value) + '"';
    else if (name == "font-family")
        tag.paint[std::string(name)] = "sans-serif";
    else
        tag.paint[std::string(name)] = std::string(value) + (name == "font-size" ? "px" : "");
}

/// Parses a tag, given without "<" and ">".
SvgTag tagOf(std::string_view inside)
{
    constexpr std::string_view space = " \t\r\n";
    SvgTag tag;
    tag.closed = inside.ends_with('/');
    if (tag.closed)
        inside.remove_suffix(1);
    std::size_t at = std::min(inside.find_first_of(space), inside.size());
    tag.name = inside.substr(0, at);
    for (;;) {
        at = inside.find_first_not_of(space, at);
        const std::size_t equals = inside.find("=\"", at);
        if (at == std::string_view::npos || equals == std::string_view::npos)
            break;
        const std::size_t end = inside.find('"', equals + 2);
        if (end == std::string_view::npos)
            break;
        takeAttribute(tag, inside.substr(at, equals - at),
                      inside.substr(equals + 2, end - equals - 2));
        at = end + 1;
    }
    return tag;
}

/// Reads a file of QSvgGenerator, which puts elements of equal paint into one group. Groups are
/// dissolved, as they may differ between the themes.
class SvgReader {
public:
    explicit SvgReader(std::string_view file) : m_file(file), m_at(file.find("<svg")) {}

    std::vector<SvgPart> read()
    {
        m_groups.emplace_back();
        while (m_at < m_file.size())
            if (m_file[m_at] == '<')
                readTag();
            else
                keepText();
        return std::move(m_parts);
    }

private:
    struct Group {
        PaintDeclarations paint;
        std::string transform;
    };
    void readTag()
    {
        const std::size_t end = std::min(m_file.find('>', m_at), m_file.size());
        SvgTag tag = tagOf(m_file.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        if (tag.name == "/g") {
            if (m_groups.size() > 1)
                m_groups.pop_back();
            return;
        }
        Group inside = m_groups.back();
        for (auto &[name, value] : tag.paint)
            inside.paint[name] = std::move(value);
        if (!tag.transform.empty())
            inside.transform += (inside.transform.empty() ? "" : " ") + tag.transform;
        if (tag.name == "g") {
            m_groups.push_back(std::move(inside));
            return;
        }
        SvgPart part{"<" + tag.name + tag.kept, tag.closed ? "/>" : ">", {}, {}, false};
        if (tag.closed || tag.name == "text") {
            part.draws = true;
            part.paint = std::move(inside.paint);
            part.transform = std::move(inside.transform);
        }
        if (tag.name == "text") {
            const std::size_t close = m_file.find("</text>", m_at);
            part.after += m_file.substr(m_at, close - m_at);
            part.after += "</text>";
            m_at = close == std::string_view::npos ? m_file.size() : close + 7;
        }
        m_parts.push_back(std::move(part));
    }
    void keepText()
    {
        const std::size_t end = std::min(m_file.find('<', m_at), m_file.size());
        const std::string_view text = m_file.substr(m_at, end - m_at);
        if (text.find_first_not_of(" \t\r\n") != std::string_view::npos)
            m_parts.push_back({std::string(text), {}, {}, {}, false});
        m_at = end;
    }

    std::string_view m_file;
    std::size_t m_at;
    std::vector<Group> m_groups;
    std::vector<SvgPart> m_parts;
};

std::string ruleText(const PaintDeclarations &paint)
{
    std::string text;
    for (const auto &[name, value] : paint)
        text += name + ':' + value + ';';
    return text;
}

} // namespace

ThemedSvg themedSvg(std::string_view light, std::string_view dark, std::string_view prefix)
{
    const std::vector<SvgPart> parts = SvgReader(light).read();
    std::vector<SvgPart> others = SvgReader(dark).read();
    if (!std::ranges::equal(parts, others, &SvgPart::sameButForPaint))
        others = parts;
    std::map<std::pair<std::string, std::string>, std::string> classes;
    ThemedSvg themed;
    std::string darkStyle, transform;
    const auto endGroup = [&] {
        if (!transform.empty())
            themed.svg += "</g>\n";
        transform.clear();
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const SvgPart &part = parts[i];
        if (part.transform != transform) {
            endGroup();
            transform = part.transform;
            if (!transform.empty())
                themed.svg += "<g transform=\"" + transform + "\">";
        }
        themed.svg += part.before;
        if (part.draws && !(part.paint.empty() && others[i].paint.empty())) {
            const std::pair paint(ruleText(part.paint), ruleText(others[i].paint));
            auto [place, made] =
                classes.try_emplace(paint, std::string(prefix) + std::to_string(classes.size()));
            if (made) {
                themed.style += "." + place->second + "{" + paint.first + "}\n";
                if (paint.first != paint.second)
                    darkStyle += "." + place->second + "{" + paint.second + "}\n";
            }
            themed.svg += " class=\"" + place->second + '"';
        }
        themed.svg += part.after;
    }
    endGroup();
    if (!darkStyle.empty())
        themed.style += "@media screen and (prefers-color-scheme:dark){\n" + darkStyle + "}\n";
    return themed;
}

} // namespace graphloom
