// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/step_picture.h"
#include "app/rewrite/rewrite_model.h"
#include "app/snapshot/selection.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

class QTabWidget;

namespace graphloom {

class GraphCanvas;

/// What rewriting did: its steps and how often each rule was applied, beside the surroundings of
/// the chosen step before and after it.
class RewritePanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit RewritePanel(QWidget *parent = nullptr);

    void setLog(std::shared_ptr<const RewriteLog> log);
    void setTheme(std::shared_ptr<const Theme> theme);
    void showPicture(const StepPicture &picture);

    RewriteModel &model() { return m_model; }
    RuleTotalsModel &totals() { return m_totals; }
    FilteredTable &steps() { return *m_steps; }
    FilteredTable &rules() { return *m_rules; }
    GraphCanvas &before() { return *m_before; }
    GraphCanvas &after() { return *m_after; }
    QString statisticsText() const;
    /// Of the chosen step, for files; nothing where there is none.
    std::optional<ViewPicture> picture() const;

Q_SIGNALS:
    /// A step was chosen whose picture is wanted; -1 for none.
    void stepChosen(int step);
    /// A double click, or Enter: what it added is to be shown in the graph.
    void stepActivated(int step);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *picture(GraphCanvas *&canvas, Selection &selection, const QString &title,
                     const QString &name);

    RewriteModel m_model;
    RuleTotalsModel m_totals;
    Selection m_selectedBefore, m_selectedAfter;
    QLabel *m_statistics;
    QTabWidget *m_tabs;
    FilteredTable *m_steps, *m_rules;
    GraphCanvas *m_before, *m_after;
    StepPicture m_picture;
};

} // namespace graphloom
