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

/// How many subgraphs have which weight, in bins of powers of two as in AGO's Fig. 14, the
/// plan's partition beside the baseline's.
class HistogramView final : public QChartView {
    Q_OBJECT

public:
    explicit HistogramView(QWidget *parent = nullptr);

    void setSnapshot(const SnapshotPointer &snapshot);
    void setTheme(const Theme &theme);
    /// What is shown, without the mark; nothing without a partition.
    std::optional<ViewPicture> picture() const;
    /// Marks the bin of a weight; none for a negative one.
    void markWeight(double weight);

    const std::vector<QBarSet *> &sets() const { return m_sets; }

Q_SIGNALS:
    /// A bar of the plan's partition was clicked: weights from 2^bin to 2^(bin+1).
    void binClicked(int bin);

private:
    void paintSets();

    SnapshotPointer m_snapshot;
    std::vector<QColor> m_colours;
    QColor m_marked;
    std::vector<QBarSet *> m_sets; // the plan's, the baseline's if there is one
    QBarCategoryAxis *m_bins;
    QValueAxis *m_counts;
    int m_markedBin = -1;
};

} // namespace graphloom
