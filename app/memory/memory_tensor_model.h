// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/timeline/memory_timeline.h"

namespace graphloom {

/// A table of the tensors of a timeline, with a row for each of their lifetimes.
class MemoryTensorModel final : public RowsModel<MemoryTimeline::Tensor> {
    Q_OBJECT

public:
    enum Column { Name, Bytes, First, Last, Alive, Offset, Kind, MadeBy, Fate };

    explicit MemoryTensorModel(QObject *parent = nullptr);
    void setTimeline(TimelinePointer timeline) { replace(m_timeline, std::move(timeline)); }
    const TimelinePointer &timeline() const { return m_timeline; }

    Item itemAt(int row) const override { return at(row).item; }
    int rowOf(const Item &item) const override;

protected:
    std::span<const MemoryTimeline::Tensor> allRows() const override;

private:
    TimelinePointer m_timeline;
};

/// A table of the steps of a timeline, with what is in memory during each.
class MemoryStepModel final : public RowsModel<MemoryTimeline::Step> {
    Q_OBJECT

public:
    enum Column { Step, Node, Bytes, Share, Start, Time, Again };

    explicit MemoryStepModel(QObject *parent = nullptr);
    void setTimeline(TimelinePointer timeline);
    const TimelinePointer &timeline() const { return m_timeline; }

    Item itemAt(int row) const override { return at(row).item; }
    int rowOf(const Item &item) const override;

protected:
    std::span<const MemoryTimeline::Step> allRows() const override;

private:
    /// Returns the cells of a time, which are empty if steps have no times.
    Cells timesOf(double MemoryTimeline::Step::*time) const;

    TimelinePointer m_timeline;
    std::map<Item, int> m_rows; // first row of each item
};

} // namespace graphloom
