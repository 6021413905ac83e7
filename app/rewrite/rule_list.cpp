// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rule_list.h"

#include "app/common/format.h"

#include <QCheckBox>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int listHeight = 300;

} // namespace

RuleList::RuleList(std::span<const RuleFacts> rules, QWidget *parent)
    : QWidget(parent), m_model(rules)
{
    addCategories();
    m_list = new FilteredTable(m_model, {tr("Rules"), tr("Filter rules"), tr("Filter rules"),
                                         QStringLiteral("ruleTable")});
    m_list->setMinimumHeight(listHeight);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    for (const Category &category : m_categories)
        layout->addWidget(category.box);
    layout->addWidget(m_list);
    connect(&m_model, &RuleModel::switched, this, &RuleList::countCategories);
    countCategories();
}

/// Returns the categories in the order of their first rules.
void RuleList::addCategories()
{
    const auto rules = m_model.rules();
    for (int row = 0; row < int(rules.size()); ++row) {
        const QString name = fromUtf8(rules[std::size_t(row)].category);
        auto it = std::ranges::find(m_categories, name, &Category::name);
        if (it == m_categories.end())
            it = m_categories.insert(it, {name, {}, new QCheckBox});
        it->rows.push_back(row);
    }
    for (std::size_t i = 0; i < m_categories.size(); ++i) {
        QCheckBox *box = m_categories[i].box;
        box->setObjectName(m_categories[i].name);
        box->setToolTip(tr("Turn all %1 rules on or off").arg(m_categories[i].name));
        connect(box, &QCheckBox::clicked, this, [this, i] {
            const auto &rows = m_categories[i].rows;
            const bool all =
                std::ranges::all_of(rows, [this](int row) { return m_model.isOn(row); });
            m_model.setOn(rows, !all);
        });
    }
}

void RuleList::countCategories()
{
    for (const Category &category : m_categories) {
        const auto on =
            std::ranges::count_if(category.rows, [this](int row) { return m_model.isOn(row); });
        const auto all = std::ptrdiff_t(category.rows.size());
        category.box->setText(tr("%1 (%2 of %3)").arg(category.name).arg(on).arg(all));
        category.box->setCheckState(on == 0     ? Qt::Unchecked
                                    : on == all ? Qt::Checked
                                                : Qt::PartiallyChecked);
    }
}

} // namespace graphloom
