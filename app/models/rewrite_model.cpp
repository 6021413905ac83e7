// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/rewrite_model.h"

#include "app/models/format.h"

#include <span>

namespace graphloom {

RewriteModel::RewriteModel(QObject *parent)
    : TableModel({{tr("#"), true},
                  {tr("Rule"), false, {}, "rewrite-rule"},
                  {tr("Category")},
                  {tr("Where"), false, tr("The nodes that were replaced")},
                  {tr("FLOPs saved"), true,
                   tr("Computed from the shapes; 0 or less where it makes room for another rule")}},
                 parent)
{
}

void RewriteModel::setLog(std::shared_ptr<const RewriteLog> log)
{
    if (log == m_log)
        return;
    beginResetModel();
    m_log = std::move(log);
    endResetModel();
}

int RewriteModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_log ? 0 : int(m_log->steps.size());
}

QString RewriteModel::text(int row, int column) const
{
    const RewriteStep &step = stepAt(row);
    switch (column) {
    case Number:
        return QString::number(row + 1);
    case Rule:
        return fromUtf8(step.rule);
    case Category:
        return fromUtf8(step.category);
    case Where:
        return fromUtf8(step.where);
    default:
        return formatCount(step.flopsSaved);
    }
}

bool RewriteModel::isLess(int row, int other, int column) const
{
    const RewriteStep &a = stepAt(row), &b = stepAt(other);
    switch (column) {
    case Rule:
        return a.rule < b.rule;
    case Category:
        return a.category < b.category;
    case Where:
        return a.where < b.where;
    case Saved:
        return a.flopsSaved < b.flopsSaved;
    default:
        return row < other;
    }
}

RuleTotalsModel::RuleTotalsModel(QObject *parent)
    : TableModel({{tr("Rule")}, {tr("Category")}, {tr("Applied"), true}, {tr("FLOPs saved"), true}},
                 parent)
{
}

void RuleTotalsModel::setLog(const RewriteLog *log)
{
    std::map<std::string, Row> rules;
    const std::span<const RewriteStep> steps =
        log ? std::span(log->steps) : std::span<const RewriteStep>();
    for (const RewriteStep &step : steps) {
        Row &row = rules[step.rule];
        row.rule = fromUtf8(step.rule);
        row.category = fromUtf8(step.category);
        ++row.count;
        row.saved += step.flopsSaved;
    }
    beginResetModel();
    m_rows.clear();
    for (auto &[name, row] : rules)
        m_rows.push_back(std::move(row));
    endResetModel();
}

int RuleTotalsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

QString RuleTotalsModel::text(int row, int column) const
{
    const Row &total = m_rows[std::size_t(row)];
    switch (column) {
    case Rule:
        return total.rule;
    case Category:
        return total.category;
    case Count:
        return QString::number(total.count);
    default:
        return formatCount(total.saved);
    }
}

bool RuleTotalsModel::isLess(int row, int other, int column) const
{
    const Row &a = m_rows[std::size_t(row)], &b = m_rows[std::size_t(other)];
    switch (column) {
    case Category:
        return a.category < b.category;
    case Count:
        return a.count < b.count;
    case Saved:
        return a.saved < b.saved;
    default:
        return a.rule < b.rule;
    }
}

std::map<std::string, std::size_t> timesFired(const RewriteLog &log)
{
    std::map<std::string, std::size_t> times;
    for (const RewriteStep &step : log.steps)
        ++times[step.rule];
    return times;
}

} // namespace graphloom
