// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rule_model.h"

#include "app/common/format.h"

#include <QFont>

#include <cassert>

namespace graphloom {

RuleModel::RuleModel(std::span<const RuleFacts> rules, QObject *parent)
    : TableModel(
          {{tr("Rule"), false, {}, QStringLiteral("rule"), "rewrite-rule"},
           {tr("Fired"), true, tr("Number of applications in the current plan"),
            QStringLiteral("fired")},
           {tr("Category"), false, {}, QStringLiteral("category")},
           {tr("Formula"), false, {}, QStringLiteral("formula")},
           {tr("Valid for"), false, {}, QStringLiteral("domain")},
           {tr("FLOPs"), false, tr("Scalar operations before and after, by number of elements"),
            QStringLiteral("flops")}},
          parent),
      m_rules(rules)
{
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
    setOn({}, false); // nothing more: says that they changed
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

int RuleModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rules.size());
}

std::size_t RuleModel::timesFired(int row) const
{
    const auto it = m_fired.find(m_rules[std::size_t(row)].name);
    return it == m_fired.end() ? 0 : it->second;
}

QString RuleModel::text(int row, int column) const
{
    const RuleFacts &rule = m_rules[std::size_t(row)];
    switch (column) {
    case Rule:
        return fromUtf8(rule.name) + (rule.exact ? QString() : QStringLiteral(" ≈"));
    case Fired:
        return m_fired.empty() ? QString() : QString::number(timesFired(row));
    case Category:
        return fromUtf8(rule.category);
    case Formula:
        return fromUtf8(rule.formula);
    case Domain:
        return fromUtf8(rule.domain);
    default:
        return fromUtf8(rule.flops);
    }
}

QString RuleModel::toolTip(int row, int) const
{
    const RuleFacts &rule = m_rules[std::size_t(row)];
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
    if (role == Qt::FontRole && !m_rules[std::size_t(index.row())].exact) {
        QFont font;
        font.setItalic(true);
        return font;
    }
    return TableModel::data(index, role);
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
    const Qt::ItemFlags flags = TableModel::flags(index);
    return index.isValid() && index.column() == Rule ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant RuleModel::value(int row, int column) const
{
    if (column != Fired)
        return TableModel::value(row, column);
    return m_fired.empty() ? QVariant() : qulonglong(timesFired(row));
}

} // namespace graphloom
