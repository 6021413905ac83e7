// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rule_model.h"

#include <QFont>

#include <cassert>

namespace graphloom {

RuleModel::RuleModel(std::span<const RuleFacts> rules, QObject *parent)
    : RowsModel(parent), m_rules(rules)
{
    const auto name = [](const RuleFacts &rule) {
        return fromUtf8(rule.name) + (rule.exact ? QString() : QStringLiteral(" ≈"));
    };
    const auto fired = [this](const RuleFacts &rule) { return timesFired(rule); };
    setColumns({{tr("Rule"), QStringLiteral("rule"), of(name), {}, "rewrite-rule"},
                {tr("Applied"), QStringLiteral("fired"), of(fired),
                 tr("Number of applications in the current plan")},
                {tr("Category"), QStringLiteral("category"), of(&RuleFacts::category)},
                {tr("Formula"), QStringLiteral("formula"), of(&RuleFacts::formula)},
                {tr("Valid for"), QStringLiteral("domain"), of(&RuleFacts::domain)},
                {tr("FLOPs"), QStringLiteral("flops"), of(&RuleFacts::flops),
                 tr("Scalar operations before and after, by number of elements")}});
    for (const RuleFacts &rule : rules)
        m_on.push_back(rule.initial);
}

void RuleModel::setOn(std::span<const int> rows, bool on)
{
    for (const int row : rows)
        m_on[std::size_t(row)] = on;
    Q_EMIT dataChanged(index(0, Rule), index(rowCount() - 1, Rule), {Qt::CheckStateRole});
    Q_EMIT switched();
}

void RuleModel::reset()
{
    for (std::size_t i = 0; i < m_rules.size(); ++i)
        m_on[i] = m_rules[i].initial;
    setOn({}, false); // only reports the change
}

void RuleModel::setFired(std::map<std::string, std::size_t> fired)
{
    m_fired = std::move(fired);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Fired), index(rowCount() - 1, Fired));
}

void RuleModel::addTo(Settings &settings) const
{
    for (std::size_t i = 0; i < m_rules.size(); ++i)
        if (m_on[i] != m_rules[i].initial) {
            [[maybe_unused]] const auto set =
                settings.set("rules." + m_rules[i].name, m_on[i] ? 1.0 : 0.0);
            assert(set && "a rule of the pass can be switched");
        }
}

std::optional<std::size_t> RuleModel::timesFired(const RuleFacts &rule) const
{
    if (m_fired.empty())
        return std::nullopt;
    const auto it = m_fired.find(rule.name);
    return it == m_fired.end() ? 0 : it->second;
}

QString RuleModel::toolTip(int row, int) const
{
    const RuleFacts &rule = at(row);
    QStringList lines{fromUtf8(rule.name), fromUtf8(rule.formula),
                      tr("Valid for: %1").arg(fromUtf8(rule.domain)),
                      tr("FLOPs: %1").arg(fromUtf8(rule.flops))};
    if (rule.fired)
        lines << tr("Applied %1 times on the models of the DNNFusion paper").arg(*rule.fired);
    if (!rule.exact)
        lines << tr("≈ Approximate: off by default");
    return lines.join('\n');
}

QVariant RuleModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::CheckStateRole && index.column() == Rule)
        return isOn(index.row()) ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::FontRole && !at(index.row()).exact) {
        QFont font;
        font.setItalic(true);
        return font;
    }
    return RowsModel::data(index, role);
}

bool RuleModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::CheckStateRole || !checkIndex(index, CheckIndexOption::IndexIsValid) ||
        index.column() != Rule)
        return false;
    const int row = index.row();
    setOn({&row, 1}, value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags RuleModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = RowsModel::flags(index);
    return index.isValid() && index.column() == Rule ? flags | Qt::ItemIsUserCheckable : flags;
}

} // namespace graphloom
