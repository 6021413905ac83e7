// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/timeline/memory_timeline.h"

namespace graphloom {

/// A table of the tensors of a timeline, with a row for each of their lifetimes.
class MemoryTensorModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Name, Bytes, First, Last, Alive, Offset, Kind, MadeBy, Fate, ColumnCount };

    explicit MemoryTensorModel(QObject *parent = nullptr);
    void setTimeline(TimelinePointer timeline);
    const TimelinePointer &timeline() const { return m_timeline; }

    int rowCount(const QModelIndex &parent = {}) const override;
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;
    bool isLess(int row, int other, int column) const override;

protected:
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;

private:
    const MemoryTimeline::Tensor &at(int row) const
    {
        return m_timeline->tensors[std::size_t(row)];
    }

    TimelinePointer m_timeline;
};

/// A table of the steps of a timeline, with what is in memory during each.
class MemoryStepModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Step, Node, Bytes, Share, Start, Time, Again, ColumnCount };

    explicit MemoryStepModel(QObject *parent = nullptr);
    void setTimeline(TimelinePointer timeline);
    const TimelinePointer &timeline() const { return m_timeline; }

    int rowCount(const QModelIndex &parent = {}) const override;
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;

protected:
    QString text(int row, int column) const override;

private:
    const MemoryTimeline::Step &at(int row) const { return m_timeline->steps[std::size_t(row)]; }

    TimelinePointer m_timeline;
    std::map<Item, int> m_rows; // first row of each item
};

} // namespace graphloom
