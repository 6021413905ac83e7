// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/search_view.h"

#include "app/common/format.h"
#include "app/style/chart_style.h"

#include <QChart>
#include <QLegend>
#include <QLineSeries>
#include <QValueAxis>

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr std::size_t mostLines = 6;
constexpr std::array dashes{Qt::SolidLine,   Qt::DashLine,       Qt::DotLine,
                            Qt::DashDotLine, Qt::DashDotDotLine, Qt::SolidLine};

/// Draws each best state until the next one, and the last one until now.
QList<QPointF> stepsOf(const PassRun &run)
{
    QList<QPointF> steps;
    const SearchRecord &record = *run.search;
    for (const SearchRecord::Best &best : record.history) {
        if (!steps.isEmpty())
            steps << QPointF(best.seconds, steps.back().y());
        steps << QPointF(best.seconds, best.cost);
    }
    if (!steps.isEmpty() && record.seconds > steps.back().x())
        steps << QPointF(record.seconds, steps.back().y());
    return steps;
}

} // namespace

SearchView::SearchView(QWidget *parent)
    : QChartView(parent), m_seconds(new QValueAxis), m_cost(new QValueAxis)
{
    setAccessibleName(tr("Best so far"));
    setObjectName(QStringLiteral("searchView"));
    QChart *plot = chart();
    plot->addAxis(m_seconds, Qt::AlignBottom);
    plot->addAxis(m_cost, Qt::AlignLeft);
    setUpChart(*this);
    m_seconds->setTitleText(tr("seconds of the search"));
    m_seconds->setLabelFormat(QStringLiteral("%.3g"));
    m_cost->setLabelFormat(QStringLiteral("%.4g"));
    for (std::size_t i = 0; i < mostLines; ++i) {
        auto *line = new QLineSeries;
        plot->addSeries(line);
        line->attachAxis(m_seconds);
        line->attachAxis(m_cost);
        line->setVisible(false);
        m_lines.push_back(line);
    }
}

void SearchView::show(const std::vector<PassRun> &runs)
{
    m_runs.clear();
    std::size_t used = 0;
    double last = 0, least = 0, most = 0;
    const PassRun *first = nullptr;
    for (const PassRun &run : runs) {
        if (used == m_lines.size() || !run.search || run.search->history.empty() ||
            (first && run.search->cost != first->search->cost))
            continue;
        const QList<QPointF> steps = stepsOf(run);
        for (const QPointF &point : steps) {
            last = std::max(last, point.x());
            least = first || &point != &steps.front() ? std::min(least, point.y()) : point.y();
            most = first || &point != &steps.front() ? std::max(most, point.y()) : point.y();
        }
        first = first ? first : &run;
        m_lines[used]->replace(steps);
        m_lines[used]->setName(tr("run %1, %2").arg(run.number).arg(run.name()));
        m_lines[used]->setVisible(true);
        m_runs.push_back(run);
        ++used;
    }
    for (std::size_t i = used; i < m_lines.size(); ++i) {
        m_lines[i]->clear();
        m_lines[i]->setVisible(false);
    }
    if (!first)
        return;
    const double room = std::max((most - least) * 0.06, most * 1e-6);
    m_seconds->setRange(0, std::max(last, 1e-3));
    m_seconds->applyNiceNumbers();
    m_cost->setRange(least - room, most + room);
    m_cost->setTitleText(fromUtf8(first->search->cost));
    m_cost->applyNiceNumbers();
    viewport()->update();
}

std::vector<QList<QPointF>> SearchView::lines() const
{
    std::vector<QList<QPointF>> shown;
    for (const QLineSeries *line : m_lines)
        if (line->isVisible())
            shown.push_back(line->points());
    return shown;
}

std::optional<ViewPicture> SearchView::picture() const
{
    if (m_runs.empty())
        return std::nullopt;
    QStringList notes;
    for (const PassRun &run : m_runs)
        notes << tr("run %1, %2: %3 states, best %4 (%5)")
                     .arg(run.number)
                     .arg(run.name(),
                          formatCount(
                              double(std::max(run.search->generated, run.search->simulated))),
                          formatReal(run.search->history.back().cost), fromUtf8(run.search->cost));
    return chartPicture<SearchView>(tr("Best cost over time"), notes,
                                    [runs = m_runs](SearchView &view) { view.show(runs); });
}

TableContent SearchView::history() const
{
    TableContent table{{QStringLiteral("run"), QStringLiteral("pass"), QStringLiteral("seconds"),
                        QStringLiteral("cost"), QStringLiteral("provenance")},
                       {}};
    for (const PassRun &run : m_runs)
        for (const SearchRecord::Best &best : run.search->history)
            table.rows.push_back(
                {run.number, run.name(), best.seconds, best.cost, fromUtf8(run.search->cost)});
    return table;
}

void SearchView::setTheme(const Theme &theme)
{
    m_theme = theme;
    paintChart(*this, theme, QPalette::Base);
    paintSeries();
}

void SearchView::paintSeries()
{
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i]->setPen(
            QPen(m_theme->series[i % m_theme->series.size()], i == 0 ? 2.4 : 1.6, dashes[i]));
}

} // namespace graphloom
