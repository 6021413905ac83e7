// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/chart_style.h"

#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QLegend>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Hides titles of axes that would be cut off, or leave no room for the chart.
void fitTitles(const QChart &chart)
{
    constexpr double leastHeight = 130, mostShare = 0.7; // pixels; of the chart's height
    const double height = chart.size().height();
    for (QAbstractAxis *axis : chart.axes()) {
        const double length = QFontMetricsF(axis->titleFont()).horizontalAdvance(axis->titleText());
        axis->setTitleVisible(height >= leastHeight && (axis->orientation() == Qt::Horizontal ||
                                                        length <= mostShare * height));
    }
}

} // namespace

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
        axis->setTruncateLabels(false); // labels are narrower than Qt assumes
        axis->setTitleFont(small);
        QObject::connect(axis, &QAbstractAxis::titleTextChanged, chart,
                         [chart] { fitTitles(*chart); });
    }
    QObject::connect(chart, &QGraphicsWidget::geometryChanged, chart,
                     [chart] { fitTitles(*chart); });
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

void renderChart(QChartView &view, QPainter &painter, const QRectF &place)
{
    view.setAttribute(Qt::WA_DontShowOnScreen);
    view.setSizeAdjustPolicy(QAbstractScrollArea::AdjustIgnored);
    view.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.resize(place.size().toSize());
    view.show();
    view.chart()->setBackgroundBrush(Qt::NoBrush);
    view.setBackgroundBrush(Qt::NoBrush);
    // Apply pending layouts.
    QCoreApplication::sendPostedEvents(&view);
    view.chart()->layout()->activate();
    view.render(&painter, place, QRect(QPoint(), view.size()));
}

double roundStep(double range, double most)
{
    const double least = std::max(1e-12, range / most);
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (least <= factor * power)
            return factor * power;
    return 10 * power;
}

int decimalsOf(double step)
{
    return std::max(0, int(-std::floor(std::log10(step) + 1e-9)));
}

std::vector<AxisMark> axisMarks(double from, double to, double most, double least)
{
    const double apart = std::max(least, roundStep(to - from, std::max(2.0, std::floor(most))));
    std::vector<AxisMark> marks;
    for (double mark = std::ceil(from / apart); mark * apart <= to; ++mark)
        marks.push_back({mark * apart, QString::number(mark * apart, 'f', decimalsOf(apart))});
    return marks;
}

} // namespace graphloom
