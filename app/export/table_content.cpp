// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/table_content.h"

#include "app/common/csv_text.h"
#include "app/common/table_model.h"
#include "app/nodes/hierarchy_model.h"
#include "app/properties/property_model.h"
#include "app/status/message_model.h"
#include "engine/system/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr std::size_t reportEvery = 512; // rows

nlohmann::ordered_json jsonCell(const QVariant &value)
{
    if (!value.isValid())
        return nullptr;
    if (value.typeId() == QMetaType::Bool)
        return value.toBool();
    if (value.typeId() == QMetaType::ULongLong)
        return value.toULongLong();
    if (isInteger(value))
        return value.toLongLong();
    if (value.typeId() == QMetaType::Double)
        return std::isfinite(value.toDouble()) ? nlohmann::ordered_json(value.toDouble())
                                               : nlohmann::ordered_json();
    return value.toString().toStdString();
}

/// Appends each row to the text; returns false if stopped.
bool eachRow(const TableContent &table, const std::stop_token &stop, const TableProgress &progress,
             const std::function<void(const TableRow &)> &add)
{
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        if (i % reportEvery == 0) {
            if (stop.stop_requested())
                return false;
            if (progress)
                progress(double(i) / double(table.rows.size()));
        }
        add(table.rows[i]);
    }
    return !stop.stop_requested();
}

} // namespace

TableContent TableSource::content() const
{
    TableContent table{keys, {}};
    const int rows = rowCount();
    table.rows.reserve(std::size_t(rows));
    for (int i = 0; i < rows; ++i)
        table.rows.push_back(row(i));
    return table;
}

TableSource sourceOf(const TableFilter &filter)
{
    const TableModel &model = filter.model();
    TableSource source;
    std::vector<int> columns;
    for (std::size_t column = 0; column < model.columns().size(); ++column)
        if (const QString &key = model.columns()[column].key; !key.isEmpty()) {
            source.keys << key;
            columns.push_back(int(column));
        }
    const QString provenance = QStringLiteral("provenance");
    bool obtained = false;
    if (!source.keys.contains(provenance))
        for (int row = 0; row < model.rowCount() && !obtained; ++row)
            obtained = !model.provenance(row).isEmpty();
    if (obtained)
        source.keys << provenance;
    source.model = &filter;
    source.rowCount = [&filter] { return filter.rowCount(); };
    source.row = [&filter, &model, columns, obtained](int shown) {
        const int row = filter.mapToSource(filter.index(shown, 0)).row();
        TableRow values;
        values.reserve(columns.size() + 1);
        for (const int column : columns)
            values.push_back(model.value(row, column));
        if (obtained) {
            const QString how = model.provenance(row);
            values.push_back(how.isEmpty() ? QVariant() : how);
        }
        return values;
    };
    return source;
}

TableSource sourceOf(const MessageModel &messages)
{
    TableSource source;
    source.keys = {QStringLiteral("time"), QStringLiteral("severity"), QStringLiteral("message"),
                   QStringLiteral("details")};
    source.model = &messages;
    source.rowCount = [&messages] { return messages.rowCount(); };
    source.row = [&messages](int row) {
        static const char *const severities[] = {"information", "warning", "error"};
        const QModelIndex index = messages.index(row, 0);
        const QString details = index.data(MessageModel::DetailsRole).toString();
        return TableRow{
            index.data(MessageModel::TimeRole).toDateTime().toUTC().toString(Qt::ISODateWithMs),
            QString::fromLatin1(severities[index.data(MessageModel::SeverityRole).toInt()]),
            index.data().toString(), details.isEmpty() ? QVariant() : details};
    };
    return source;
}

TableSource sourceOf(const HierarchyModel &hierarchy)
{
    TableSource source;
    source.keys = HierarchyModel::rowKeys();
    source.model = &hierarchy;
    const auto entries = std::make_shared<std::vector<std::size_t>>();
    for (std::size_t entry = 0; entry < hierarchy.entryCount(); ++entry)
        if (!hierarchy.isSection(entry))
            entries->push_back(entry);
    source.rowCount = [entries] { return int(entries->size()); };
    source.row = [&hierarchy, entries](int row) {
        return hierarchy.rowValues((*entries)[std::size_t(row)]);
    };
    return source;
}

TableSource sourceOf(const PropertyModel &properties)
{
    TableSource source;
    source.keys = {QStringLiteral("section"), QStringLiteral("name"), QStringLiteral("value")};
    source.model = &properties;
    const auto lines = std::make_shared<std::vector<QModelIndex>>();
    for (int section = 0; section < properties.rowCount(); ++section) {
        const QModelIndex title = properties.index(section, 0);
        for (int line = 0; line < properties.rowCount(title); ++line)
            lines->push_back(properties.index(line, 0, title));
    }
    source.rowCount = [lines] { return int(lines->size()); };
    source.row = [lines](int row) {
        const QModelIndex &line = (*lines)[std::size_t(row)];
        return TableRow{line.parent().data().toString(), line.data().toString(),
                        line.siblingAtColumn(PropertyModel::Value).data().toString()};
    };
    return source;
}

TableSource sourceOf(TableContent table)
{
    TableSource source;
    source.keys = table.keys;
    const auto rows = std::make_shared<const std::vector<TableRow>>(std::move(table.rows));
    source.rowCount = [rows] { return int(rows->size()); };
    source.row = [rows](int row) { return (*rows)[std::size_t(row)]; };
    return source;
}

std::optional<QByteArray> csvOf(const TableContent &table, std::stop_token stop,
                                const TableProgress &progress)
{
    QByteArray text;
    const auto add = [&](const auto &cells) {
        bool first = true;
        for (const auto &cell : cells) {
            if (!std::exchange(first, false))
                text += ',';
            text += csvCell(cell).toUtf8();
        }
        text += "\r\n";
    };
    add(table.keys);
    if (!eachRow(table, stop, progress, add))
        return std::nullopt;
    return text;
}

std::optional<QByteArray> jsonOf(const TableContent &table, std::stop_token stop,
                                 const TableProgress &progress)
{
    std::vector<std::string> keys;
    for (const QString &key : table.keys)
        keys.push_back(key.toStdString());
    QByteArray text = "[";
    const auto add = [&](const TableRow &row) {
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        for (std::size_t i = 0; i < keys.size(); ++i)
            object[keys[i]] = jsonCell(row[i]);
        text += text.size() > 1 ? ",\n" : "\n";
        text += QByteArray::fromStdString(jsonText(object));
    };
    if (!eachRow(table, stop, progress, add))
        return std::nullopt;
    return text + "\n]\n";
}

} // namespace graphloom
