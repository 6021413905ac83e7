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
class RewriteModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Number, Rule, Category, Where, Saved, ColumnCount };

    explicit RewriteModel(QObject *parent = nullptr);
    void setLog(std::shared_ptr<const RewriteLog> log);
    const std::shared_ptr<const RewriteLog> &log() const { return m_log; }

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;

protected:
    QString text(int row, int column) const override;

private:
    const RewriteStep &stepAt(int row) const { return m_log->steps[std::size_t(row)]; }

    std::shared_ptr<const RewriteLog> m_log;
};

/// Lists the rules of a rewrite log, with the number of times that each was applied.
class RuleTotalsModel final : public TableModel {
    Q_OBJECT

public:
    enum Column { Rule, Category, Count, Saved, ColumnCount };

    explicit RuleTotalsModel(QObject *parent = nullptr);
    void setLog(const RewriteLog *log);
    QString ruleAt(int row) const { return m_rows[std::size_t(row)].rule; }

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;

protected:
    QString text(int row, int column) const override;

private:
    struct Row {
        QString rule, category;
        std::size_t count = 0;
        double saved = 0;
    };
    std::vector<Row> m_rows;
};

/// Returns the number of times that each rule was applied, by the name of the rule.
std::map<std::string, std::size_t> timesFired(const RewriteLog &log);

} // namespace graphloom
