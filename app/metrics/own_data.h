// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/metrics/node_metric.h"
#include "engine/base/result.h"

#include <QString>

#include <filesystem>
#include <string_view>
#include <vector>

namespace graphloom {

/// User data about nodes, by node name: columns of numbers or of words. A plain value.
struct OwnData {
    struct Column {
        QString name;
        bool numbers = true;        // all cells that are not empty are numbers
        std::vector<QString> cells; // by row; may be empty
    };
    QString name;              // name of the file
    std::vector<QString> rows; // names of nodes
    std::vector<Column> columns;
};

/// Reads user data. The file is CSV with commas, semicolons or tabs, whose first line names the
/// columns; the column "name" or "node", or else the first, holds the names of nodes. Or it is
/// JSON: an object of nodes, {"node": {"column": 1}} or {"node": 1}, or a list of rows, [{"name":
/// "node", "column": 1}]. Fails (Missing) when the file cannot be read, (Model) with the line when
/// it is neither, has no columns, or is larger than 64 MiB.
Result<OwnData> readOwnData(const std::filesystem::path &file);
Result<OwnData> parseOwnData(std::string_view text, const QString &name);

/// A metric for each column of user data, and the rows that match no node of the graph.
struct OwnMetrics {
    std::vector<MetricPointer> metrics;
    QStringList unknown;
};
OwnMetrics metricsOf(const OwnData &data, const Snapshot &snapshot);

} // namespace graphloom
