// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rewrite_model.h"

#include "app/common/format.h"
#include "engine/cost/figure.h"

#include <span>

namespace graphloom {

RewriteModel::RewriteModel(QObject *parent)
    : TableModel({{tr("#"), true, {}, QStringLiteral("step")},
                  {tr("Rule"), false, {}, QStringLiteral("rule"), "rewrite-rule"},
                  {tr("Category"), false, {}, QStringLiteral("category")},
                  {tr("Where"), false, tr("Replaced nodes"), QStringLiteral("where")},
                  {tr("FLOPs saved"), true,
                   tr("Computed from the shapes; 0 or less if the step only enables another rule"),
                   QStringLiteral("flops_saved")}},
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

QVariant RewriteModel::value(int row, int column) const
{
    switch (column) {
    case Number:
        return row + 1;
    case Saved:
        return stepAt(row).flopsSaved;
    default:
        return TableModel::value(row, column);
    }
}

QString RewriteModel::provenance(int) const
{
    return fromUtf8(nameOf(Provenance::Modelled));
}

RuleTotalsModel::RuleTotalsModel(QObject *parent)
    : TableModel({{tr("Rule"), false, {}, QStringLiteral("rule")},
                  {tr("Category"), false, {}, QStringLiteral("category")},
                  {tr("Applied"), true, {}, QStringLiteral("applied")},
                  {tr("FLOPs saved"), true, {}, QStringLiteral("flops_saved")}},
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

QVariant RuleTotalsModel::value(int row, int column) const
{
    const Row &total = m_rows[std::size_t(row)];
    switch (column) {
    case Count:
        return qulonglong(total.count);
    case Saved:
        return total.saved;
    default:
        return TableModel::value(row, column);
    }
}

QString RuleTotalsModel::provenance(int) const
{
    return fromUtf8(nameOf(Provenance::Modelled));
}

std::map<std::string, std::size_t> timesFired(const RewriteLog &log)
{
    std::map<std::string, std::size_t> times;
    for (const RewriteStep &step : log.steps)
        ++times[step.rule];
    return times;
}

} // namespace graphloom
