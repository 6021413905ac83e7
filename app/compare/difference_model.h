// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"
#include "app/compare/plan_difference.h"

#include <map>

namespace graphloom {

/// Describes a difference between two plans.
struct DifferenceRow {
    Difference kind;
    bool renamed = false;
    Item item; // no item for a tensor
    QString op, name, what;
};

/// Lists the differences between two plans: nodes first, then inputs, outputs and constants.
class DifferenceModel final : public RowsModel<DifferenceRow> {
    Q_OBJECT

public:
    enum Column { Number, Kind, Operator, Node, What };

    explicit DifferenceModel(QObject *parent = nullptr);
    void setDifference(PlanDifferencePointer difference);

    /// Returns the row's item in the drawing of both graphs.
    Item itemAt(int row) const override { return at(row).item; }
    int rowOf(const Item &item) const override;

protected:
    std::span<const DifferenceRow> allRows() const override { return m_rows; }

private:
    void addTensors();

    PlanDifferencePointer m_difference;
    std::vector<DifferenceRow> m_rows;
    std::map<Item, int> m_places;
};

/// Lists the figures of two plans side by side.
class MetricModel final : public RowsModel<PlanMetric> {
    Q_OBJECT

public:
    enum Column { Figure, Before, Now, Change, Ratio };

    explicit MetricModel(QObject *parent = nullptr);
    void setDifference(PlanDifferencePointer difference)
    {
        replace(m_difference, std::move(difference));
    }

    QString provenance(int row) const override;

protected:
    std::span<const PlanMetric> allRows() const override;

private:
    /// Returns the cells of the figures of one plan.
    Cells figures(std::optional<PlanMetric::Side> PlanMetric::*side) const;

    PlanDifferencePointer m_difference;
};

/// Lists what became of each node of the model as it was opened.
class OriginModel final : public RowsModel<NodeId> {
    Q_OBJECT

public:
    explicit OriginModel(QObject *parent = nullptr);
    void setDifference(PlanDifferencePointer difference);

    /// Returns the row's node as Item::original().
    Item itemAt(int row) const override { return Item::original(at(row)); }
    int rowOf(const Item &item) const override;

protected:
    std::span<const NodeId> allRows() const override { return m_nodes; }

private:
    const OriginMap::Original &originalOf(NodeId id) const;
    /// Returns the names of at most `most` nodes that replace a node.
    QString successorsOf(NodeId id, std::size_t most) const;

    PlanDifferencePointer m_difference;
    std::vector<NodeId> m_nodes;
};

} // namespace graphloom
