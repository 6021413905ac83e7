// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"
#include "app/compare/plan_difference.h"

#include <map>

namespace graphloom {

/// Lists the differences between two plans: nodes first, then inputs, outputs and constants.
class DifferenceModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Number, Kind, Operator, Node, What, ColumnCount };

    explicit DifferenceModel(QObject *parent = nullptr);
    void setDifference(PlanDifferencePointer difference);

    int rowCount(const QModelIndex &parent = {}) const override;
    /// Returns the row's item in the drawing of both graphs.
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;
    QVariant value(int row, int column) const override;

protected:
    QString text(int row, int column) const override;

private:
    struct Row {
        Difference kind;
        bool renamed = false;
        Item item; // no item for a tensor
        QString op, name, what;
    };
    void addTensors();

    PlanDifferencePointer m_difference;
    std::vector<Row> m_rows;
    std::map<Item, int> m_places;
};

/// Lists the figures of two plans side by side.
class MetricModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Figure, Before, Now, Change, Ratio, ColumnCount };

    explicit MetricModel(QObject *parent = nullptr);
    void setDifference(PlanDifferencePointer difference);

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;
    bool isLess(int row, int other, int column) const override;

protected:
    QString text(int row, int column) const override;

private:
    PlanDifferencePointer m_difference;
};

/// Lists what became of each node of the model as it was opened.
class OriginModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Position, Operator, Node, Fate, Successors, Why, ColumnCount };

    explicit OriginModel(QObject *parent = nullptr);
    void setDifference(PlanDifferencePointer difference);

    int rowCount(const QModelIndex &parent = {}) const override;
    /// Returns the row's node as Item::original().
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;
    QVariant value(int row, int column) const override;

protected:
    QString text(int row, int column) const override;

private:
    const OriginMap::Original &originalAt(int row) const;

    PlanDifferencePointer m_difference;
    std::vector<NodeId> m_nodes;
};

} // namespace graphloom
