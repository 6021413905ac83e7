// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/metrics/own_data.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace graphloom {

/// Data of the user's own by the names of nodes, as queries and properties ask for it, in whatever
/// graph a node is. Immutable.
class OwnTable {
public:
    struct Column {
        QString name, file;
        bool numbers = true;
        std::unordered_map<std::string, QString> cells; // by node; none where nothing is there
        std::unordered_map<std::string, double> values; // the same where they are numbers
    };

    explicit OwnTable(const std::vector<OwnData> &data);

    /// The newest file first.
    const std::vector<Column> &columns() const { return m_columns; }
    /// By its name in whatever case; of several the one of the newest file. Null: there is none.
    const Column *column(const QString &name) const;

private:
    std::vector<Column> m_columns;
};
using OwnTablePointer = std::shared_ptr<const OwnTable>;

} // namespace graphloom
