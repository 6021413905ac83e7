// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"

#include <QChartView>

class QBarCategoryAxis;
class QBarSet;
class QValueAxis;

namespace graphloom {

/// Shows how many subgraphs have which weight, in bins of powers of two as in AGO's Fig. 14, for
/// the plan's partition next to the baseline's.
class HistogramView final : public QChartView {
    Q_OBJECT

public:
    explicit HistogramView(QWidget *parent = nullptr);

    void setSnapshot(const SnapshotPointer &snapshot);
    void setTheme(const Theme &theme);
    /// Returns a picture of the histogram without the mark, or nothing without a partition.
    std::optional<ViewPicture> picture() const;
    /// Marks the bin of a weight. A negative weight removes the mark.
    void markWeight(double weight);

    const std::vector<QBarSet *> &sets() const { return m_sets; }

Q_SIGNALS:
    /// Emitted when a bar of the plan's partition was clicked: weights from 2^bin to 2^(bin+1).
    void binClicked(int bin);

private:
    void paintSets();

    SnapshotPointer m_snapshot;
    std::vector<QColor> m_colours;
    QColor m_marked;
    std::vector<QBarSet *> m_sets; // the plan's, then the baseline's if there is one
    QBarCategoryAxis *m_bins;
    QValueAxis *m_counts;
    int m_markedBin = -1;
};

} // namespace graphloom
