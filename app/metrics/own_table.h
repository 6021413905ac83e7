// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/metrics/own_data.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace graphloom {

/// Looks up what is known of nodes besides their graph, for queries and properties: user data by
/// node name, in whatever graph a node is, and metrics of runs. Immutable.
class OwnTable {
public:
    struct Column {
        QString name, file;
        bool numbers = true;
        std::unordered_map<std::string, QString> cells; // by node name; without empty cells
        std::unordered_map<std::string, double> values; // numbers among the cells
    };

    explicit OwnTable(const std::vector<OwnData> &data);
    /// Returns a table with the same user data and these metrics of runs.
    std::shared_ptr<const OwnTable> with(std::vector<MetricPointer> metrics) const;

    /// Returns the columns, those of the newest file first.
    const std::vector<Column> &columns() const { return *m_columns; }
    /// Returns the column with a name, ignoring case. Of several, returns that of the newest file.
    /// Returns null when there is none.
    const Column *column(const QString &name) const;
    /// Returns the metrics of runs.
    const std::vector<MetricPointer> &metrics() const { return m_metrics; }
    /// Returns the metric with this key, or null.
    MetricPointer metric(const QString &key) const;

private:
    std::shared_ptr<const std::vector<Column>> m_columns;
    std::vector<MetricPointer> m_metrics;
};
using OwnTablePointer = std::shared_ptr<const OwnTable>;

} // namespace graphloom
