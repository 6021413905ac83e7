// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pass/pass.h"

#include <QWidget>

#include <functional>
#include <vector>

namespace graphloom {

class RuleList;

/// Edits the parameters of a pass. The form has a field of the right kind for each, with its range,
/// its help as tooltip and What's This text, and a button that resets it to the default. Below them
/// are the switches of the pass's rewrite rules, if it has any.
class PassForm final : public QWidget {
    Q_OBJECT

public:
    explicit PassForm(std::shared_ptr<const Pass> pass, QWidget *parent = nullptr);

    const Pass &pass() const { return *m_pass; }
    /// Returns the settings in the fields.
    Settings settings() const;
    void setValue(std::string_view parameter, double value);
    void reset();
    /// Returns the switches of the pass's rewrite rules, or null if it has none.
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
