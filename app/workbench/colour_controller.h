// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/drawing/drawing_painter.h"
#include "app/metrics/node_metric.h"
#include "app/metrics/own_table.h"

#include <QObject>

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace graphloom {

class Workbench;

/// Decides by which figure nodes are coloured, and reads the user's own data about them.
class ColourController final : public QObject {
    Q_OBJECT

public:
    explicit ColourController(Workbench &bench);

    /// Colours nodes by a metric: "time", "error", "live", "subgraph", a key of nodeFigures(),
    /// "data:<file>:<column>"; empty for the class of the operator.
    void choose(const QString &metric);
    /// Returns the chosen metric, or an empty string if the graph that is shown does not have it.
    QString chosen() const;
    /// Returns the metrics that can be chosen now: a title and a key each.
    std::vector<std::pair<QString, QString>> metrics() const;
    /// Returns the metric, or null if nodes are coloured by classes or subgraphs.
    const MetricPointer &metric() const { return m_metric; }
    /// Returns the colours of a drawing of the graph that is shown, or of the plan beside it; the
    /// scale is of the groups if groups are collapsed. `drawing` is null if nothing is drawn.
    Colouring colours(const DrawingPointer &drawing) const;

    /// Reads data about nodes from a file, after those that are still being read.
    void readData(const std::filesystem::path &file);
    /// Does the same with the text of such a file.
    void readText(const QString &text, const QString &name);
    /// Forgets the user's data, because another model is opened.
    void forgetData();
    const std::vector<OwnData> &ownData() const { return m_ownData; }
    /// Returns the user's data as a table for queries, or null if there is none.
    const OwnTablePointer &ownTable() const { return m_ownTable; }
    /// Updates the colours after another graph, another plan of it, or another run is shown.
    void refresh();
    void updateActions();

Q_SIGNALS:
    void changed();
    void ownDataChanged();

private:
    using MakeData = std::function<Result<OwnData>()>;
    void read(const QString &name, MakeData make);
    void startNext();
    void removeData();
    void share(OwnTablePointer table);
    MetricPointer metricOfKey(const QString &key, const Snapshot &shown) const;
    void refreshOther();
    void refreshErrors();

    /// Remembers the scale of the last drawing, as several views ask for its colours.
    class Scale {
    public:
        MetricRange of(const DrawingPointer &drawing, const MetricPointer &metric);

    private:
        std::weak_ptr<const Drawing> m_drawing;
        MetricPointer m_metric;
        MetricRange m_range;
    };

    Workbench &m_bench;
    QString m_key;
    MetricPointer m_metric;      // of the graph that is shown
    MetricPointer m_otherMetric; // of the plan beside it
    mutable Scale m_scale, m_otherScale;
    std::vector<OwnData> m_ownData;
    OwnTablePointer m_ownTable;                         // with the metrics of runs
    MetricPointer m_errors;                             // of the graph that is shown, or null
    VerificationPointer m_verification;                 // that they are from
    std::shared_ptr<const GraphFacts> m_verified;       // of the graph that they are of
    std::deque<std::pair<QString, MakeData>> m_waiting; // names, and what reads them
    Worker m_reader;                                    // last: see Session
};

} // namespace graphloom
