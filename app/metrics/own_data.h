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

/// Data of a user about nodes, by their names: columns of numbers or of words. A plain value.
struct OwnData {
    struct Column {
        QString name;
        bool numbers = true;        // all that is there are numbers
        std::vector<QString> cells; // by row; empty: nothing is there
    };
    QString name;              // of the file
    std::vector<QString> rows; // names of nodes
    std::vector<Column> columns;
};

/// CSV (with commas, semicolons or tabs; the first line names the columns, of which "name", "node"
/// or else the first holds the names of nodes) or JSON: an object of nodes, {"node": {"column": 1}}
/// or
/// {"node": 1}, or a list of rows, [{"name": "node", "column": 1}].
/// Fails (Missing) when the file cannot be read, (Model) with the line when it is neither, has no
/// columns, or is larger than 64 MiB.
Result<OwnData> readOwnData(const std::filesystem::path &file);
Result<OwnData> parseOwnData(std::string_view text, const QString &name);

/// A metric for each column, and which rows are of no node of the graph.
struct OwnMetrics {
    std::vector<MetricPointer> metrics;
    QStringList unknown;
};
OwnMetrics metricsOf(const OwnData &data, const Snapshot &snapshot);

} // namespace graphloom
