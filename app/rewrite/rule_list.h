// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/rewrite/rule_model.h"
#include "app/widgets/filtered_table.h"

class QCheckBox;

namespace graphloom {

/// The rewrite rules of a pass: switched one by one, all of a category, or back to what they are
/// initially.
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
