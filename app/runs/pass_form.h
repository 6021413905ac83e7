// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/parameter_field.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QToolButton;
class QVBoxLayout;

namespace graphloom {

class RuleList;

/// Edits the settings of a run of a pass: first its goal, the parameters for everybody, such as
/// device and time; then, behind "Advanced", groups of special parameters, and last the switches of
/// the pass's rewrite rules. Each parameter has a field of the right kind, its help as tooltip and
/// What's This text, and a button that resets it to the default.
class PassForm final : public QWidget {
    Q_OBJECT

public:
    explicit PassForm(std::shared_ptr<const Pass> pass, QWidget *parent = nullptr);

    /// Takes in the fields that all passes share: those of the goal and, among the advanced ones,
    /// those of the run. They move to the form that takes them in last.
    void adopt(QWidget &goal, QWidget &run);
    /// Shows or hides the advanced parameters.
    void setAdvancedShown(bool shown);
    bool isAdvancedShown() const;

    const Pass &pass() const { return *m_pass; }
    /// Returns the settings in the fields.
    Settings settings() const;
    void setValue(std::string_view parameter, double value);
    void reset();
    /// Returns the switches of the pass's rewrite rules, or null if it has none.
    RuleList *rules() { return m_rules; }

    std::vector<std::pair<std::string, double>> values() const;

    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void changed();
    void advancedToggled(bool shown);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *addAdvanced();
    void addGroup(QVBoxLayout &column, std::string_view group);
    void addField(QGridLayout &grid, const Parameter &parameter);
    void alignLabels();

    std::shared_ptr<const Pass> m_pass;
    std::vector<ParameterField> m_fields;
    QVBoxLayout *m_goal, *m_run; // places of the fields that are shared
    QToolButton *m_more;
    QWidget *m_advanced;
    RuleList *m_rules = nullptr;
    int m_labelWidth = 0; // pixels, of all labels
};

} // namespace graphloom
