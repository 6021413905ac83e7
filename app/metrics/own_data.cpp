// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/metrics/own_data.h"

#include "app/common/format.h"
#include "app/common/formula_text.h"
#include "engine/system/json_text.h"
#include "engine/system/read_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace graphloom {

namespace {

using OwnJson = nlohmann::ordered_json;

constexpr std::uintmax_t mostOwnBytes = std::uintmax_t{64} << 20;

auto refuseData(const QString &name, const QString &message)
{
    return fail(Error::Kind::Model, message.toStdString(), name.toStdString());
}

/// Returns the cells of each line; quoted cells may contain separators, line ends and doubled
/// quotes.
std::vector<std::vector<QString>> cellsOf(std::string_view text, char delimiter)
{
    std::vector<std::vector<QString>> lines;
    std::vector<QString> line;
    std::string cell;
    bool quoted = false, any = false;
    const auto endCell = [&] {
        if (cell.size() > 1 && cell.front() == '\'' && startsFormula(cell[1]))
            cell.erase(0, 1); // csvOf() escapes cells that a spreadsheet would evaluate
        line.push_back(fromUtf8(cell).trimmed());
        cell.clear();
    };
    const auto endLine = [&] {
        endCell();
        if (any)
            lines.push_back(std::move(line));
        line.clear();
        any = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"')
                cell += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else
                quoted = false;
        } else if (c == '"' && cell.empty()) {
            quoted = any = true;
        } else if (c == delimiter) {
            endCell();
            any = true;
        } else if (c == '\n') {
            endLine();
        } else if (c != '\r') {
            cell += c;
            any = any || c != ' ';
        }
    }
    if (any)
        endLine();
    return lines;
}

void findKinds(OwnData &data)
{
    for (OwnData::Column &column : data.columns)
        column.numbers = std::ranges::all_of(column.cells, [](const QString &cell) {
            bool ok = cell.isEmpty();
            if (!ok)
                cell.toDouble(&ok);
            return ok;
        });
}

Result<OwnData> parseCsv(std::string_view text, const QString &name)
{
    const std::string_view first = text.substr(0, text.find('\n'));
    char delimiter = ',';
    for (const char other : {';', '\t'})
        if (std::ranges::count(first, other) > std::ranges::count(first, delimiter))
            delimiter = other;
    const auto lines = cellsOf(text, delimiter);
    if (lines.empty() || lines.front().size() < 2)
        return refuseData(name,
                          QStringLiteral("the first line must name the column of nodes and at "
                                         "least one other, such as \"name,latency\""));
    const auto &titles = lines.front();
    std::size_t key = 0;
    for (std::size_t c = 0; c < titles.size(); ++c)
        if (const QString lower = titles[c].toLower(); lower == u"name" || lower == u"node") {
            key = c;
            break;
        }
    OwnData data;
    data.name = name;
    for (std::size_t c = 0; c < titles.size(); ++c)
        if (c != key)
            data.columns.push_back({titles[c], true, {}});
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i].size() != titles.size())
            return refuseData(name, QStringLiteral("row %1 has %2 cells, but the first line has %3")
                                        .arg(i)
                                        .arg(lines[i].size())
                                        .arg(titles.size()));
        data.rows.push_back(lines[i][key]);
        std::size_t column = 0;
        for (std::size_t c = 0; c < titles.size(); ++c)
            if (c != key)
                data.columns[column++].cells.push_back(lines[i][c]);
    }
    findKinds(data);
    return data;
}

QString cellOf(const OwnJson &value)
{
    if (value.is_null())
        return {};
    return value.is_string() ? fromUtf8(value.get_ref<const std::string &>())
                             : fromUtf8(jsonText(value));
}

Result<OwnData> parseJson(std::string_view text, const QString &name)
{
    const OwnJson json = orderedJsonOf(text);
    if (json.is_discarded() || !json.is_structured())
        return refuseData(name, QStringLiteral("not a JSON object or list"));
    OwnData data;
    data.name = name;
    std::unordered_map<std::string, std::size_t> columns;
    const auto set = [&](const std::string &column, const OwnJson &value) {
        const auto [it, added] = columns.emplace(column, data.columns.size());
        if (added)
            data.columns.push_back({fromUtf8(column), true, {}});
        auto &cells = data.columns[it->second].cells;
        cells.resize(data.rows.size());
        cells.back() = cellOf(value);
    };
    if (json.is_object()) {
        for (const auto &[node, value] : json.items()) {
            data.rows.push_back(fromUtf8(node));
            if (value.is_object())
                for (const auto &[column, cell] : value.items())
                    set(column, cell);
            else
                set("value", value);
        }
    } else {
        for (std::size_t row = 0; row < json.size(); ++row) {
            const OwnJson &fields = json[row];
            const char *key = !fields.is_object()       ? nullptr
                              : fields.contains("name") ? "name"
                              : fields.contains("node") ? "node"
                                                        : nullptr;
            if (!key || !fields[key].is_string())
                return refuseData(name, QStringLiteral("entry %1 has no node \"name\"").arg(row));
            data.rows.push_back(fromUtf8(fields[key].get_ref<const std::string &>()));
            for (const auto &[column, cell] : fields.items())
                if (column != key)
                    set(column, cell);
        }
    }
    if (data.columns.empty())
        return refuseData(name, QStringLiteral("it contains no data on nodes"));
    for (OwnData::Column &column : data.columns)
        column.cells.resize(data.rows.size());
    findKinds(data);
    return data;
}

} // namespace

Result<OwnData> parseOwnData(std::string_view text, const QString &name)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3); // a byte order mark
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    return json ? parseJson(text, name) : parseCsv(text, name);
}

Result<OwnData> readOwnData(const std::filesystem::path &file)
{
    GL_TRY_CONST(text, readFile(file, mostOwnBytes));
    return parseOwnData(*text, fileNameOf(file));
}

OwnMetrics metricsOf(const OwnData &data, const Snapshot &snapshot)
{
    OwnMetrics result;
    std::unordered_map<std::string_view, std::vector<NodeId>> nodes;
    for (const NodeId id : snapshot.graph().order())
        nodes[snapshot.graph().node(id).name].push_back(id);
    std::vector<const std::vector<NodeId> *> found;
    for (const QString &row : data.rows) {
        const auto it = nodes.find(row.toStdString());
        found.push_back(it == nodes.end() || row.isEmpty() ? nullptr : &it->second);
        if (!found.back())
            result.unknown << row;
    }
    for (const OwnData::Column &column : data.columns) {
        auto metric = std::make_shared<ValueMetric>();
        metric->key = QStringLiteral("data:%1:%2").arg(data.name, column.name);
        metric->name = column.name;
        metric->provenance = data.name;
        metric->facts = snapshot.facts;
        metric->format = [](double value) { return QString::number(value, 'g', 6); };
        metric->values.resize(snapshot.graph().nodeBound());
        if (!column.numbers) {
            const std::set<QString> words(column.cells.begin(), column.cells.end());
            for (const QString &word : words)
                if (!word.isEmpty())
                    metric->categories << word;
        }
        for (std::size_t row = 0; row < found.size(); ++row) {
            const QString &cell = column.cells[row];
            if (!found[row] || cell.isEmpty())
                continue;
            const double value = column.numbers
                                     ? cell.toDouble()
                                     : double(std::ranges::lower_bound(metric->categories, cell) -
                                              metric->categories.begin());
            for (const NodeId id : *found[row])
                metric->values[id.index] = value;
        }
        result.metrics.push_back(std::move(metric));
    }
    return result;
}

} // namespace graphloom
