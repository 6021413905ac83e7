// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard input of the chart.
#include "app/pareto/pareto_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace graphloom {

void ParetoView::mouseMoveEvent(QMouseEvent *event)
{
    const auto number = numberAt(event->pos());
    setCursor(number ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (number)
        QToolTip::showText(event->globalPosition().toPoint(), textOf(*number), this);
    else
        QToolTip::hideText();
    QChartView::mouseMoveEvent(event);
}

void ParetoView::mousePressEvent(QMouseEvent *event)
{
    if (const auto number = numberAt(event->pos()); number && event->button() == Qt::LeftButton) {
        mark(number);
        Q_EMIT chosen(int(*number));
    }
    QChartView::mousePressEvent(event);
}

void ParetoView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (const auto number = numberAt(event->pos()))
        Q_EMIT activated(int(*number));
}

/// Chooses the next point of the series with less or more memory, or the first point of all.
void ParetoView::walk(int by)
{
    if (!m_marked) {
        walkSeries(0);
        return;
    }
    const ParetoData::Place place = m_data->placeOf(*m_marked);
    const auto &points = m_data->series[place.series].points;
    std::optional<std::size_t> next;
    const auto distance = [&](std::size_t p) {
        return double(by) * double(points[p].bytes - points[place.point].bytes);
    };
    for (std::size_t p = 0; p < points.size(); ++p)
        if (distance(p) > 0 && (!next || distance(p) < distance(*next)))
            next = p;
    if (!next)
        return;
    mark(*m_marked - place.point + *next);
    Q_EMIT chosen(int(*m_marked));
}

/// Chooses the first point of another visible series; 0: of the first series.
void ParetoView::walkSeries(int by)
{
    const auto count = int(m_data->series.size());
    int series = m_marked ? int(m_data->placeOf(*m_marked).series) : by < 0 ? count : -1;
    for (int i = 0; i < count; ++i) {
        series = (series + (by < 0 ? -1 : 1) + count) % count;
        const ParetoSeries &of = m_data->series[std::size_t(series)];
        if (!isShown(of) || of.points.empty())
            continue;
        std::size_t number = 0;
        for (int s = 0; s < series; ++s)
            number += m_data->series[std::size_t(s)].points.size();
        mark(number);
        Q_EMIT chosen(int(number));
        return;
    }
}

bool ParetoView::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride && !isEmpty() &&
        m_keys.has(static_cast<const QKeyEvent &>(*event))) {
        event->accept();
        return true;
    }
    return QChartView::event(event);
}

void ParetoView::keyPressEvent(QKeyEvent *event)
{
    if (isEmpty() || !m_keys.handle(*event))
        QChartView::keyPressEvent(event);
}

} // namespace graphloom
