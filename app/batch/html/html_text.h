// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

// Texts of figures, and tables of them. What goes into a table is escaped there.

/// "9.27 MiB", "512 bytes".
std::string byteText(double bytes);
/// "0.0371 ms", "1.2 s".
std::string timeText(double milliseconds);
/// Four digits: "6.207e+08", "0.56".
std::string numberText(double value);
/// A value of the report as a person reads it; "" for null.
std::string valueText(const nlohmann::ordered_json &value);
/// The value at a path of keys, such as "memory", "plan"; null where there is none.
const nlohmann::ordered_json &valueAt(const nlohmann::ordered_json &json,
                                      std::initializer_list<const char *> path);
/// The number there; `otherwise` where there is none.
double numberAt(const nlohmann::ordered_json &json, std::initializer_list<const char *> path,
                double otherwise = 0);

/// A table with a caption and headings for rows and columns, that scrolls by itself where it is
/// wide.
class HtmlTable {
public:
    /// A heading that begins with "#" is of a column of numbers; it is shown without.
    HtmlTable(std::string caption, std::vector<std::string> headings);

    void addRow(const std::vector<std::string> &cells);
    bool empty() const { return m_rows == 0; }
    std::size_t rows() const { return m_rows; }
    std::string html() const;
    /// The same behind a line to open it with, where it is long.
    std::string folded(std::size_t most = 12) const;

private:
    std::string m_caption;
    std::vector<std::string> m_headings;
    std::string m_body;
    std::size_t m_rows = 0;
};

/// A name and what there is to say, in two columns.
std::string factsTable(const std::string &caption,
                       const std::vector<std::pair<std::string, std::string>> &facts);
std::string paragraph(std::string_view text);

} // namespace graphloom
