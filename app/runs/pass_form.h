// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pass/pass.h"

#include <QWidget>

#include <functional>
#include <vector>

namespace graphloom {

class RuleList;

/// A form made from a pass's table of parameters: a field of the right kind for each, with its
/// range, its help as tooltip and What's-This text, and a way back to the default. Below them the
/// switches of its rewrite rules, if it has any.
class PassForm final : public QWidget {
    Q_OBJECT

public:
    explicit PassForm(std::shared_ptr<const Pass> pass, QWidget *parent = nullptr);

    const Pass &pass() const { return *m_pass; }
    /// What the fields say.
    Settings settings() const;
    void setValue(std::string_view parameter, double value);
    void reset();
    /// The switches of the pass's rewrite rules; null when it has none.
    RuleList *rules() { return m_rules; }
    bool isEmpty() const { return m_fields.empty() && !m_rules; }

    std::vector<std::pair<std::string, double>> values() const;

Q_SIGNALS:
    void changed();

private:
    struct Field {
        const Parameter *parameter;
        QWidget *editor;
        std::function<double()> get;
        std::function<void(double)> set;
    };
    Field makeField(const Parameter &parameter);

    std::shared_ptr<const Pass> m_pass;
    std::vector<Field> m_fields;
    RuleList *m_rules = nullptr;
};

} // namespace graphloom
