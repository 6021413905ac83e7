// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/table_content.h"
#include "app/results/pass_run.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"

#include <QChartView>

class QLineSeries;
class QValueAxis;

namespace graphloom {

/// Shows the cost of the best state over the seconds of a search, as a step line for each run. The
/// first line is thick; dashes distinguish the others in addition to colours. Runs whose costs have
/// different meanings do not share the chart.
class SearchView final : public QChartView {
    Q_OBJECT

public:
    explicit SearchView(QWidget *parent = nullptr);

    /// Shows the runs. The first one determines what the costs mean.
    void show(const std::vector<PassRun> &runs);
    void setTheme(const Theme &theme);
    /// Returns the picture of the chart, or nothing if there is no line.
    std::optional<ViewPicture> picture() const;
    /// Returns the points of the lines as a table for other programs.
    TableContent history() const;

    /// Returns the points of the lines as drawn: seconds and costs.
    std::vector<QList<QPointF>> lines() const;

private:
    void paintSeries();

    QValueAxis *m_seconds, *m_cost;
    std::vector<QLineSeries *> m_lines;
    std::vector<PassRun> m_runs; // runs that have a line
    std::optional<Theme> m_theme;
};

} // namespace graphloom
