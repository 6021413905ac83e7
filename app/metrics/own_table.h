// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/metrics/own_data.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace graphloom {

/// Looks up user data by node name, for queries and properties, in whatever graph a node is.
/// Immutable.
class OwnTable {
public:
    struct Column {
        QString name, file;
        bool numbers = true;
        std::unordered_map<std::string, QString> cells; // by node name; without empty cells
        std::unordered_map<std::string, double> values; // numbers among the cells
    };

    explicit OwnTable(const std::vector<OwnData> &data);

    /// Returns the columns, those of the newest file first.
    const std::vector<Column> &columns() const { return m_columns; }
    /// Returns the column with a name, ignoring case. Of several, returns that of the newest file.
    /// Returns null when there is none.
    const Column *column(const QString &name) const;

private:
    std::vector<Column> m_columns;
};
using OwnTablePointer = std::shared_ptr<const OwnTable>;

} // namespace graphloom
