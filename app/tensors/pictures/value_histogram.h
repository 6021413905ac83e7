// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/style/theme.h"
#include "app/style/view_picture.h"
#include "engine/tensors/statistics.h"

#include <QChartView>

#include <memory>

class QBarCategoryAxis;
class QBarSet;
class QCategoryAxis;

namespace graphloom {

using StatisticsPointer = std::shared_ptr<const TensorStatistics>;

/// Shows how many elements of a tensor have which value.
class ValueHistogram final : public QChartView {
    Q_OBJECT

public:
    explicit ValueHistogram(QWidget *parent = nullptr);

    /// Sets the figures; null: nothing.
    void setStatistics(StatisticsPointer statistics);
    void setTheme(const Theme &theme);
    /// Returns a picture, or nothing without finite numbers.
    std::optional<ViewPicture> picture() const;
    /// Returns the numbers of elements that are drawn, by bin.
    std::vector<double> bars() const;

private:
    bool isEmpty() const { return !m_statistics || m_statistics->histogram.counts().empty(); }
    void setValueLabels();
    void setCountLabels();
    void paintSeries();
    void describe(bool hovered, int bin);

    StatisticsPointer m_statistics;
    QColor m_colour;
    QBarCategoryAxis *m_bins; // not shown: places the bars
    QCategoryAxis *m_values, *m_counts;
    QBarSet *m_set = nullptr;
};

} // namespace graphloom
