// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/drawing/drawing_painter.h"
#include "app/metrics/node_metric.h"
#include "app/metrics/own_table.h"

#include <QObject>

#include <filesystem>
#include <utility>
#include <vector>

namespace graphloom {

class Workbench;

/// Decides what nodes are coloured by, and reads data of the user's own about them.
class ColourController final : public QObject {
    Q_OBJECT

public:
    explicit ColourController(Workbench &bench);

    /// Colours nodes by a metric: "time", "live", "subgraph", a key of nodeFigures(),
    /// "data:<file>:<column>"; empty: by the class of the operator.
    void choose(const QString &metric);
    /// What was chosen; empty where the graph that is shown does not have it.
    QString chosen() const;
    /// What there is to choose from now: a title and a key each.
    std::vector<std::pair<QString, QString>> metrics() const;
    /// Null: classes or subgraphs.
    const MetricPointer &metric() const { return m_metric; }
    /// The colours of what is drawn: where groups are closed, the scale is of the groups. Null:
    /// nothing is drawn.
    Colouring colours(const DrawingPointer &drawing) const;

    void readData(const std::filesystem::path &file);
    /// Of another model.
    void forgetData();
    const std::vector<OwnData> &ownData() const { return m_ownData; }
    /// The same, for queries; null: none.
    const OwnTablePointer &ownTable() const { return m_ownTable; }
    /// Another graph is shown, another plan of it, or another run.
    void refresh();
    void updateActions();

Q_SIGNALS:
    void changed();
    void ownDataChanged();

private:
    void removeData();
    void share(OwnTablePointer table);
    MetricPointer metricOfKey(const QString &key) const;

    Workbench &m_bench;
    QString m_key;
    MetricPointer m_metric; // of the graph that is shown
    std::vector<OwnData> m_ownData;
    OwnTablePointer m_ownTable;
    Worker m_reader; // last: see Session
};

} // namespace graphloom
