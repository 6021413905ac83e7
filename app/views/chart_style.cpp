// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/chart_style.h"

#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QGraphicsLayout>
#include <QLegend>

namespace graphloom {

void setUpChart(QChartView &view)
{
    view.setFrameShape(QFrame::NoFrame);
    view.setRenderHint(QPainter::Antialiasing);
    QChart *chart = view.chart();
    chart->setAnimationOptions(QChart::NoAnimation);
    chart->setBackgroundRoundness(0);
    chart->setMargins(QMargins(4, 0, 10, 2));
    chart->layout()->setContentsMargins(0, 0, 0, 0);
    QFont small = view.font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    for (QAbstractAxis *axis : chart->axes()) {
        axis->setLabelsFont(small);
        axis->setTruncateLabels(false); // they are narrower than Qt reckons
        axis->setTitleFont(small);
    }
    chart->legend()->setAlignment(Qt::AlignTop);
    chart->legend()->setFont(small);
}

void paintChart(QChartView &view, const Theme &theme, QPalette::ColorRole role)
{
    const QColor ground = theme.palette.color(role),
                 dim = theme.palette.color(QPalette::PlaceholderText);
    QChart *chart = view.chart();
    chart->setBackgroundBrush(ground);
    chart->setBackgroundPen(Qt::NoPen);
    view.setBackgroundBrush(ground);
    chart->legend()->setLabelColor(theme.palette.color(QPalette::WindowText));
    for (QAbstractAxis *axis : chart->axes()) {
        axis->setLabelsColor(dim);
        axis->setTitleBrush(dim);
        axis->setLinePenColor(theme.border);
        axis->setGridLineColor(theme.border);
    }
}

} // namespace graphloom
