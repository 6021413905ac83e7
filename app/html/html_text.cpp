// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/html/html_text.h"

#include "app/common/markup.h"
#include "engine/system/json_text.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace graphloom {

std::string numberText(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string byteText(double bytes)
{
    const char *unit = "bytes";
    for (const char *next : {"KiB", "MiB", "GiB", "TiB"}) {
        if (std::abs(bytes) < 1024)
            break;
        bytes /= 1024;
        unit = next;
    }
    return numberText(bytes) + " " + unit;
}

std::string timeText(double milliseconds)
{
    return std::abs(milliseconds) >= 10'000 ? numberText(milliseconds / 1000) + " s"
                                            : numberText(milliseconds) + " ms";
}

std::string valueText(const nlohmann::ordered_json &value)
{
    if (value.is_null())
        return {};
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_boolean())
        return value.get<bool>() ? "yes" : "no";
    if (value.is_number_float())
        return numberText(value.get<double>());
    return jsonText(value);
}

const nlohmann::ordered_json &valueAt(const nlohmann::ordered_json &json,
                                      std::initializer_list<const char *> path)
{
    static const nlohmann::ordered_json none;
    const nlohmann::ordered_json *found = &json;
    for (const char *key : path) {
        if (!found->is_object() || !found->contains(key))
            return none;
        found = &found->at(key);
    }
    return *found;
}

double numberAt(const nlohmann::ordered_json &json, std::initializer_list<const char *> path,
                double otherwise)
{
    const nlohmann::ordered_json &found = valueAt(json, path);
    return found.is_number() ? found.get<double>() : otherwise;
}

HtmlTable::HtmlTable(std::string caption, std::vector<std::string> headings)
    : m_caption(std::move(caption)), m_headings(std::move(headings))
{
}

void HtmlTable::addRow(const std::vector<std::string> &cells)
{
    ++m_rows;
    m_body += "<tr>";
    for (std::size_t c = 0; c < cells.size(); ++c) {
        const bool number = c < m_headings.size() && m_headings[c].starts_with('#');
        const std::string text = escapedMarkup(cells[c]);
        if (c == 0)
            m_body +=
                "<th scope=\"row\"" + std::string(number ? " class=\"n\">" : ">") + text + "</th>";
        else
            m_body += (number ? "<td class=\"n\">" : "<td>") + text + "</td>";
    }
    m_body += "</tr>\n";
}

std::string HtmlTable::html() const
{
    std::string text = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" +
                       escapedMarkup(m_caption) + "\"><table><caption>" + escapedMarkup(m_caption) +
                       "</caption>\n<thead><tr>";
    for (const std::string &heading : m_headings) {
        const bool number = heading.starts_with('#');
        text += "<th scope=\"col\"" + std::string(number ? " class=\"n\">" : ">") +
                escapedMarkup(number ? heading.substr(1) : heading) + "</th>";
    }
    return text + "</tr></thead>\n<tbody>\n" + m_body + "</tbody></table></div>\n";
}

std::string HtmlTable::folded(std::size_t most) const
{
    if (m_rows <= most)
        return html();
    return "<details><summary>" + escapedMarkup(m_caption) + " (" + std::to_string(m_rows) +
           " rows)</summary>\n" + html() + "</details>\n";
}

std::string factsTable(const std::string &caption,
                       const std::vector<std::pair<std::string, std::string>> &facts)
{
    HtmlTable table(caption, {"property", "value"});
    for (const auto &[name, value] : facts)
        if (!value.empty())
            table.addRow({name, value});
    return table.empty() ? std::string() : table.html();
}

std::string paragraph(std::string_view text)
{
    return "<p>" + escapedMarkup(text) + "</p>\n";
}

} // namespace graphloom
