// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/histogram_view.h"

#include "app/common/format.h"
#include "app/style/chart_style.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QToolTip>
#include <QValueAxis>

#include <cmath>

namespace graphloom {

HistogramView::HistogramView(QWidget *parent)
    : QChartView(parent), m_bins(new QBarCategoryAxis), m_counts(new QValueAxis)
{
    setAccessibleName(tr("Weight histogram"));
    setObjectName(QStringLiteral("histogram"));
    QChart *plot = chart();
    plot->addAxis(m_bins, Qt::AlignBottom);
    plot->addAxis(m_counts, Qt::AlignLeft);
    m_bins->setTitleText(tr("log₂ of weight"));
    m_counts->setTitleText(tr("subgraphs"));
    m_counts->setLabelFormat(QStringLiteral("%d"));
    m_bins->setGridLineVisible(false);
    setUpChart(*this);
}

void HistogramView::setSnapshot(const SnapshotPointer &snapshot)
{
    if (m_snapshot && snapshot && m_snapshot->partition == snapshot->partition &&
        m_snapshot->baseline == snapshot->baseline)
        return;
    m_snapshot = snapshot;
    m_sets.clear();
    m_markedBin = -1;
    QChart *plot = chart();
    plot->removeAllSeries();
    if (!snapshot || !snapshot->partition)
        return;

    std::vector<std::pair<QString, const std::vector<std::size_t> *>> histograms;
    const auto title = [](const Partition &partition, const PartitionFacts &facts) {
        return tr("%1 (%2)").arg(fromUtf8(partition.method)).arg(facts.rows.size());
    };
    histograms.emplace_back(title(*snapshot->plan->partition, *snapshot->partition),
                            &snapshot->partition->histogram);
    if (snapshot->baseline)
        histograms.emplace_back(title(*snapshot->plan->baselinePartition, *snapshot->baseline),
                                &snapshot->baseline->histogram);
    std::size_t bins = 0, highest = 1;
    for (const auto &[name, counts] : histograms) {
        bins = std::max(bins, counts->size());
        for (const std::size_t count : *counts)
            highest = std::max(highest, count);
    }

    auto *series = new QBarSeries;
    series->setBarWidth(0.86);
    for (const auto &[name, counts] : histograms) {
        auto *set = new QBarSet(name);
        for (std::size_t bin = 0; bin < bins; ++bin)
            set->append(bin < counts->size() ? double((*counts)[bin]) : 0);
        series->append(set);
        m_sets.push_back(set);
    }
    plot->addSeries(series);
    QStringList labels;
    for (std::size_t bin = 0; bin < bins; ++bin)
        labels << QString::number(bin); // the weights would not fit under the bars
    m_bins->clear();
    m_bins->append(labels);
    m_counts->setRange(0, double(highest));
    m_counts->setTickCount(int(std::min<std::size_t>(highest, 4)) + 1);
    m_counts->applyNiceNumbers();
    series->attachAxis(m_bins);
    series->attachAxis(m_counts);
    connect(series, &QBarSeries::hovered, this, [this](bool on, int bin, QBarSet *set) {
        if (on)
            QToolTip::showText(QCursor::pos(),
                               tr("%1: %2 with weights from %3 to below %4")
                                   .arg(set->label())
                                   .arg(set->at(bin))
                                   .arg(std::exp2(bin))
                                   .arg(std::exp2(bin + 1)),
                               this);
        else
            QToolTip::hideText();
    });
    connect(series, &QBarSeries::clicked, this, [this](int bin, QBarSet *set) {
        if (!m_sets.empty() && set == m_sets.front())
            Q_EMIT binClicked(bin);
    });
    paintSets();
}

void HistogramView::setTheme(const Theme &theme)
{
    m_colours = theme.series;
    m_marked = theme.canvas.match;
    paintChart(*this, theme, QPalette::Window);
    paintSets();
}

std::optional<ViewPicture> HistogramView::picture() const
{
    if (!m_snapshot || !m_snapshot->partition)
        return std::nullopt;
    return chartPicture<HistogramView>(
        tr("Subgraphs by weight"), {tr("weights by AGO, eq. (1), in power-of-two bins")},
        [snapshot = m_snapshot](HistogramView &view) { view.setSnapshot(snapshot); });
}

void HistogramView::paintSets()
{
    for (std::size_t i = 0; i < m_sets.size() && i < m_colours.size(); ++i) {
        m_sets[i]->setColor(m_colours[i]);
        m_sets[i]->setBorderColor(m_colours[i]);
        m_sets[i]->setSelectedColor(m_marked);
    }
}

void HistogramView::markWeight(double weight)
{
    if (m_sets.empty())
        return;
    const int bin = weight < 0 ? -1 : int(weightBin(weight));
    if (bin == m_markedBin)
        return;
    m_sets.front()->deselectAllBars();
    if (bin >= 0 && bin < m_sets.front()->count())
        m_sets.front()->selectBar(bin);
    m_markedBin = bin;
}

} // namespace graphloom
