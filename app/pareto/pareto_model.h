// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/pareto/pareto.h"

namespace graphloom {

/// A table of the points of ParetoData, by number.
class ParetoModel final : public RowsModel<ParetoPoint> {
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
        Least,
        Most
    };

    explicit ParetoModel(QObject *parent = nullptr);
    void setData(ParetoPointer data) { replace(m_data, std::move(data)); }
    const ParetoPointer &data() const { return m_data; }
    using RowsModel::data;

    int rowCount(const QModelIndex &parent = {}) const override;
    const ParetoPoint &at(int row) const override { return m_data->point(std::size_t(row)); }

private:
    /// Returns the cells of a cost relative to that of a graph of the series.
    template <class Before, class Of, class To> Cells ratio(Before before, Of of, To to) const;

    ParetoPointer m_data;
};

} // namespace graphloom
