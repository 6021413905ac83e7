// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/pictures/value_histogram.h"

#include "app/common/format.h"
#include "app/style/chart_style.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QCategoryAxis>
#include <QChart>
#include <QLegend>
#include <QToolTip>

#include <cmath>

namespace graphloom {

namespace {

constexpr int mostValueLabels = 6, mostCountLabels = 4;

QString elementsText(std::int64_t count)
{
    return count == 1 ? ValueHistogram::tr("1 element")
                      : ValueHistogram::tr("%1 elements").arg(count);
}

void clearLabels(QCategoryAxis &axis)
{
    for (const QString &label : axis.categoriesLabels())
        axis.remove(label);
}

/// Returns a multiple of a step, with no more digits than it needs.
QString labelOf(double value, double step)
{
    const bool plain = step >= 1e-4 && std::abs(value) < 1e6;
    return value == 0 ? QStringLiteral("0")
           : plain    ? QString::number(value, 'f', decimalsOf(step))
                      : QString::number(value, 'g', 4);
}

/// Adds a label for each multiple of a round step, at least `leastStep`, between two bounds.
/// format(value, step) gives its text.
template <class Format>
void addLabels(QCategoryAxis &axis, double low, double high, int most, double leastStep,
               Format format)
{
    clearLabels(axis);
    axis.setRange(low, high);
    const double step = std::max(leastStep, roundStep(high - low, most));
    const double first = std::ceil(low / step);
    for (double i = 0; i <= 2 * most && (first + i) * step <= high; ++i)
        axis.append(format((first + i) * step, step), (first + i) * step);
}

} // namespace

ValueHistogram::ValueHistogram(QWidget *parent)
    : QChartView(parent), m_bins(new QBarCategoryAxis), m_values(new QCategoryAxis),
      m_counts(new QCategoryAxis)
{
    setAccessibleName(tr("Histogram of values"));
    setObjectName(QStringLiteral("valueHistogram"));
    setMinimumSize(200, 60);
    QChart *plot = chart();
    plot->addAxis(m_bins, Qt::AlignBottom);
    plot->addAxis(m_values, Qt::AlignBottom);
    plot->addAxis(m_counts, Qt::AlignLeft);
    m_bins->setVisible(false);
    m_values->setGridLineVisible(false);
    for (QCategoryAxis *axis : {m_values, m_counts})
        axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    m_counts->setTitleText(tr("elements"));
    setUpChart(*this);
    plot->legend()->hide();
}

void ValueHistogram::setStatistics(StatisticsPointer statistics)
{
    m_statistics = std::move(statistics);
    m_set = nullptr;
    QChart *plot = chart();
    plot->removeAllSeries();
    m_bins->clear();
    for (QCategoryAxis *axis : {m_values, m_counts})
        axis->setVisible(!isEmpty());
    if (isEmpty())
        return;
    const auto counts = m_statistics->histogram.counts();
    auto *series = new QBarSeries;
    series->setBarWidth(counts.size() > 40 ? 1.0 : 0.9);
    m_set = new QBarSet(QString());
    QStringList bins;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        m_set->append(double(counts[bin]));
        bins << QString::number(bin);
    }
    series->append(m_set);
    plot->addSeries(series);
    m_bins->append(bins);
    setValueLabels();
    setCountLabels();
    series->attachAxis(m_bins);
    series->attachAxis(m_counts);
    connect(series, &QBarSeries::hovered, this,
            [this](bool hovered, int bin, QBarSet *) { describe(hovered, bin); });
    paintSeries();
}

void ValueHistogram::setValueLabels()
{
    const Histogram &histogram = m_statistics->histogram;
    addLabels(*m_values, histogram.low(), histogram.high(), mostValueLabels, 0, labelOf);
}

void ValueHistogram::setCountLabels()
{
    addLabels(*m_counts, 0, double(m_statistics->histogram.highest()) * 1.05, mostCountLabels, 1,
              [](double value, double) { return formatCount(value); });
}

void ValueHistogram::describe(bool hovered, int bin)
{
    if (!hovered || isEmpty()) {
        QToolTip::hideText();
        return;
    }
    const Histogram &histogram = m_statistics->histogram;
    const auto number = std::size_t(bin);
    const std::int64_t count = histogram.counts()[number];
    QToolTip::showText(QCursor::pos(),
                       tr("%1 to %2: %3, %4")
                           .arg(formatReal(histogram.bound(number)),
                                formatReal(histogram.bound(number + 1)), elementsText(count),
                                formatPercent(double(count) / double(m_statistics->elements))),
                       this);
}

void ValueHistogram::setTheme(const Theme &theme)
{
    m_colour = theme.series.front();
    paintChart(*this, theme, QPalette::Base);
    paintSeries();
}

void ValueHistogram::paintSeries()
{
    if (!m_set)
        return;
    m_set->setColor(m_colour);
    m_set->setBorderColor(m_colour);
}

std::vector<double> ValueHistogram::bars() const
{
    std::vector<double> bars;
    for (int bin = 0; m_set && bin < m_set->count(); ++bin)
        bars.push_back(m_set->at(bin));
    return bars;
}

std::optional<ViewPicture> ValueHistogram::picture() const
{
    if (isEmpty())
        return std::nullopt;
    return chartPicture<ValueHistogram>(
        tr("Values of a tensor"), {elementsText(m_statistics->elements)},
        [statistics = m_statistics](ValueHistogram &view) { view.setStatistics(statistics); });
}

} // namespace graphloom
