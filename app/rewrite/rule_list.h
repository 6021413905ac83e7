// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/rewrite/rule_model.h"
#include "app/widgets/filtered_table.h"

class QCheckBox;

namespace graphloom {

/// Shows the rewrite rules of a pass, with switches for each rule, for all rules of a category, and
/// a way back to the initial state.
class RuleList final : public QWidget {
    Q_OBJECT

public:
    explicit RuleList(std::span<const RuleFacts> rules, QWidget *parent = nullptr);

    RuleModel &model() { return m_model; }
    FilteredTable &list() { return *m_list; }

private:
    struct Category {
        QString name;
        std::vector<int> rows;
        QCheckBox *box;
    };
    void addCategories();
    void countCategories();

    RuleModel m_model;
    std::vector<Category> m_categories;
    FilteredTable *m_list;
};

} // namespace graphloom
