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

/// The cost of the best state over the seconds of a search, a line of steps for each run: thick for
/// the first one, dashes tell the others apart as colours do. Runs whose costs mean different
/// things do not share the chart.
class SearchView final : public QChartView {
    Q_OBJECT

public:
    explicit SearchView(QWidget *parent = nullptr);

    /// The first of them says what the costs are.
    void show(const std::vector<PassRun> &runs);
    void setTheme(const Theme &theme);
    /// What is shown; nothing where there is no line.
    std::optional<ViewPicture> picture() const;
    /// The lines' points, for other programs.
    TableContent history() const;

    /// Of the lines, as drawn: seconds and costs.
    std::vector<QList<QPointF>> lines() const;

private:
    void paintSeries();

    QValueAxis *m_seconds, *m_cost;
    std::vector<QLineSeries *> m_lines;
    std::vector<PassRun> m_runs; // those with a line
    std::optional<Theme> m_theme;
};

} // namespace graphloom
