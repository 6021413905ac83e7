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

/// Shows the result of rewriting: its steps and the number of times that each rule was applied,
/// beside the surroundings of the chosen step before and after it.
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
    /// Returns the picture of the chosen step for export, or nothing if no step is chosen.
    std::optional<ViewPicture> picture() const;

Q_SIGNALS:
    /// Emitted when a step was chosen whose picture has to be shown; -1 for none.
    void stepChosen(int step);
    /// Emitted on a double click or Enter, to show what the step added in the graph.
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
