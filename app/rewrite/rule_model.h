// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "engine/pass/pass.h"

#include <map>
#include <span>

namespace graphloom {

/// Lists the rewrite rules of a pass, each with a switch.
class RuleModel final : public RowsModel<RuleFacts> {
    Q_OBJECT

public:
    enum Column { Rule, Fired, Category, Formula, Domain, Flops };

    /// Creates the model. The rules must outlive it.
    explicit RuleModel(std::span<const RuleFacts> rules, QObject *parent = nullptr);

    std::span<const RuleFacts> rules() const { return m_rules; }
    bool isOn(int row) const { return m_on[std::size_t(row)]; }
    /// Switches the rules of these rows on or off.
    void setOn(std::span<const int> rows, bool on);
    void reset();
    /// Sets the number of times that each rule was applied in the plan that is shown; empty if
    /// rewriting has not run.
    void setFired(std::map<std::string, std::size_t> fired);
    /// Adds the rules that differ from their initial state to `settings`: "rules.NAME", 0 or 1.
    void addTo(Settings &settings) const;

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

Q_SIGNALS:
    void switched();

protected:
    std::span<const RuleFacts> allRows() const override { return m_rules; }
    QString toolTip(int row, int column) const override;

private:
    /// Returns how often a rule was applied, or nothing if rewriting has not run.
    std::optional<std::size_t> timesFired(const RuleFacts &rule) const;

    const std::span<const RuleFacts> m_rules;
    std::vector<bool> m_on; // by row
    std::map<std::string, std::size_t> m_fired;
};

} // namespace graphloom
