// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/plan_run.h"
#include "app/views/theme.h"

#include <QWidget>

#include <memory>
#include <variant>

namespace graphloom {

/// A line that says what the colours mean: of the nodes, with the number of nodes of each class; of
/// the boxes around fusion blocks, where they are drawn, with the number of blocks of each mapping
/// type.
class Legend final : public QWidget {
    Q_OBJECT

public:
    explicit Legend(QWidget *parent = nullptr);

    void setSnapshot(const SnapshotPointer &snapshot);
    /// What boxes are drawn around.
    void setGrouping(Grouping grouping);
    /// Nodes are coloured by their share of the time; null: by the class of their operator.
    void setHeat(const HeatPointer &heat);
    void setTheme(std::shared_ptr<const Theme> theme);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Entry {
        std::variant<OperatorClass, MappingType> meaning; // the latter are on a line of their own
        QString text, count;
    };
    void refresh();
    void paintHeat(QPainter &painter) const;
    int lineHeight() const;

    SnapshotPointer m_snapshot;
    HeatPointer m_heat;
    Grouping m_grouping = Grouping::None;
    std::shared_ptr<const Theme> m_theme;
    std::vector<Entry> m_entries;
};

} // namespace graphloom
