// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/pareto/pareto.h"

namespace graphloom {

/// A table of the points of ParetoData, by number.
class ParetoModel final : public TableModel {
    Q_OBJECT

public:
    enum Column {
        Series,
        Latency,
        Memory,
        Slower,
        SlowerThanRewritten,
        Smaller,
        Obtained,
        Origin,
        ColumnCount
    };

    explicit ParetoModel(QObject *parent = nullptr);
    void setData(ParetoPointer data);
    const ParetoPointer &data() const { return m_data; }
    using TableModel::data;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant value(int row, int column) const override;

protected:
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;

private:
    /// Returns the ratio of a point to the graph before, or nothing without one.
    std::optional<double> ratio(int row, Column column) const;

    ParetoPointer m_data;
};

} // namespace graphloom
