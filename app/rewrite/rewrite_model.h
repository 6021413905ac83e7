// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "engine/plan/rewrite_log.h"

#include <QString>

#include <map>
#include <memory>

namespace graphloom {

/// Lists the steps of a rewrite log, one a row.
class RewriteModel final : public RowsModel<RewriteStep> {
    Q_OBJECT

public:
    enum Column { Number, Rule, Category, Where, Saved };

    explicit RewriteModel(QObject *parent = nullptr);
    void setLog(std::shared_ptr<const RewriteLog> log);
    const std::shared_ptr<const RewriteLog> &log() const { return m_log; }

protected:
    std::span<const RewriteStep> allRows() const override;

private:
    std::shared_ptr<const RewriteLog> m_log;
};

/// Describes all applications of a rule.
struct RuleTotal {
    QString rule, category;
    std::size_t count = 0;
    double saved = 0;
};

/// Lists the rules of a rewrite log, with the number of times that each was applied.
class RuleTotalsModel final : public RowsModel<RuleTotal> {
    Q_OBJECT

public:
    enum Column { Rule, Category, Count, Saved };

    explicit RuleTotalsModel(QObject *parent = nullptr);
    void setLog(const RewriteLog *log);
    QString ruleAt(int row) const { return at(row).rule; }

protected:
    std::span<const RuleTotal> allRows() const override { return m_rows; }

private:
    std::vector<RuleTotal> m_rows;
};

/// Returns the number of times that each rule was applied, by the name of the rule.
std::map<std::string, std::size_t> timesFired(const RewriteLog &log);

} // namespace graphloom
