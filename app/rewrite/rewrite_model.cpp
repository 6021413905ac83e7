// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rewrite_model.h"

namespace graphloom {

RewriteModel::RewriteModel(QObject *parent) : RowsModel(parent, Provenance::Modelled)
{
    setColumns(
        {{tr("#"), QStringLiteral("step"), of([](int row) { return row + 1; })},
         {tr("Rule"), QStringLiteral("rule"), of(&RewriteStep::rule), {}, "rewrite-rule"},
         {tr("Category"), QStringLiteral("category"), of(&RewriteStep::category)},
         {tr("Where"), QStringLiteral("where"), of(&RewriteStep::where), tr("Replaced nodes")},
         {tr("FLOPs saved"), QStringLiteral("flops_saved"),
          of(&RewriteStep::flopsSaved, formatCount),
          tr("Computed from the shapes; 0 or less if the step only enables another rule")}});
}

void RewriteModel::setLog(std::shared_ptr<const RewriteLog> log)
{
    if (log != m_log)
        replace(m_log, std::move(log));
}

std::span<const RewriteStep> RewriteModel::allRows() const
{
    return m_log ? std::span(m_log->steps) : std::span<const RewriteStep>();
}

RuleTotalsModel::RuleTotalsModel(QObject *parent) : RowsModel(parent, Provenance::Modelled)
{
    setColumns(
        {{tr("Rule"), QStringLiteral("rule"), of(&RuleTotal::rule)},
         {tr("Category"), QStringLiteral("category"), of(&RuleTotal::category)},
         {tr("Applied"), QStringLiteral("applied"), of(&RuleTotal::count)},
         {tr("FLOPs saved"), QStringLiteral("flops_saved"), of(&RuleTotal::saved, formatCount)}});
}

void RuleTotalsModel::setLog(const RewriteLog *log)
{
    std::map<std::string, RuleTotal> rules;
    const std::span<const RewriteStep> steps =
        log ? std::span(log->steps) : std::span<const RewriteStep>();
    for (const RewriteStep &step : steps) {
        RuleTotal &row = rules[step.rule];
        row.rule = fromUtf8(step.rule);
        row.category = fromUtf8(step.category);
        ++row.count;
        row.saved += step.flopsSaved;
    }
    std::vector<RuleTotal> rows;
    for (auto &[name, row] : rules)
        rows.push_back(std::move(row));
    replace(m_rows, std::move(rows));
}

std::map<std::string, std::size_t> timesFired(const RewriteLog &log)
{
    std::map<std::string, std::size_t> times;
    for (const RewriteStep &step : log.steps)
        ++times[step.rule];
    return times;
}

} // namespace graphloom
