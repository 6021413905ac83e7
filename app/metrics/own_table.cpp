// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/metrics/own_table.h"

#include <algorithm>

namespace graphloom {

OwnTable::OwnTable(const std::vector<OwnData> &data)
{
    std::vector<Column> columns;
    for (auto file = data.rbegin(); file != data.rend(); ++file)
        for (const OwnData::Column &from : file->columns) {
            Column &column = columns.emplace_back();
            column.name = from.name;
            column.file = file->name;
            column.numbers = from.numbers;
            for (std::size_t row = 0; row < file->rows.size(); ++row) {
                const QString &cell = from.cells[row];
                const std::string node = file->rows[row].toStdString();
                if (cell.isEmpty() || node.empty())
                    continue;
                column.cells[node] = cell;
                if (column.numbers)
                    column.values[node] = cell.toDouble();
            }
        }
    m_columns = std::make_shared<const std::vector<Column>>(std::move(columns));
}

OwnTablePointer OwnTable::with(std::vector<MetricPointer> metrics) const
{
    auto table = std::make_shared<OwnTable>(*this);
    table->m_metrics = std::move(metrics);
    return table;
}

MetricPointer OwnTable::metric(const QString &key) const
{
    const auto found = std::ranges::find(m_metrics, key, [](const auto &of) { return of->key; });
    return found == m_metrics.end() ? nullptr : *found;
}

const OwnTable::Column *OwnTable::column(const QString &name) const
{
    const auto found = std::ranges::find_if(*m_columns, [&](const Column &column) {
        return column.name.compare(name, Qt::CaseInsensitive) == 0;
    });
    return found == m_columns->end() ? nullptr : &*found;
}

} // namespace graphloom
