// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

// Format figures as text, and as tables. Tables escape the text of their cells.

/// Returns a size as text: "9.27 MiB", "512 bytes".
std::string byteText(double bytes);
/// Returns a time as text: "0.0371 ms", "1.2 s".
std::string timeText(double milliseconds);
/// Returns a number with four digits: "6.207e+08", "0.56".
std::string numberText(double value);
/// Returns a value of the report in readable form; "" for null.
std::string valueText(const nlohmann::ordered_json &value);
/// Returns the value at a path of keys, such as "memory", "plan", or null if there is none.
const nlohmann::ordered_json &valueAt(const nlohmann::ordered_json &json,
                                      std::initializer_list<const char *> path);
/// Returns the number at a path of keys, or `otherwise` if there is none.
double numberAt(const nlohmann::ordered_json &json, std::initializer_list<const char *> path,
                double otherwise = 0);

/// Builds a table with a caption and headings for rows and columns. A wide table scrolls by itself.
class HtmlTable {
public:
    /// Creates a table. A heading that begins with "#", which is not shown, marks a column of
    /// numbers.
    HtmlTable(std::string caption, std::vector<std::string> headings);

    void addRow(const std::vector<std::string> &cells);
    bool empty() const { return m_rows == 0; }
    std::size_t rows() const { return m_rows; }
    std::string html() const;
    /// Returns the table, collapsed under a summary line if it has more than `most` rows.
    std::string folded(std::size_t most = 12) const;

private:
    std::string m_caption;
    std::vector<std::string> m_headings;
    std::string m_body;
    std::size_t m_rows = 0;
};

/// Returns a table with two columns: a name and its value.
std::string factsTable(const std::string &caption,
                       const std::vector<std::pair<std::string, std::string>> &facts);
std::string paragraph(std::string_view text);

} // namespace graphloom
