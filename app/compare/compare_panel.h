// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/compare/difference_model.h"
#include "app/drawing/canvas_overlay.h"
#include "app/snapshot/selection.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

class QAction;
class QBoxLayout;
class QLabel;
class QTabWidget;
class QToolButton;

namespace graphloom {

class DifferenceLegend;
class GraphCanvas;

/// Shows two plans side by side: one drawing of both graphs in which added, removed and changed
/// nodes are marked by sign and colour, and tables of the differences, of the figures, and of what
/// became of each node of the model.
class ComparePanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit ComparePanel(QWidget *parent = nullptr);

    /// Sets the buttons of the bar: next and previous difference, end.
    void setActions(const std::vector<QAction *> &actions);
    /// Sets the comparison to show; null if nothing is compared.
    void setDifference(PlanDifferencePointer difference);
    const PlanDifferencePointer &difference() const { return m_difference; }
    void setTheme(std::shared_ptr<const Theme> theme);

    /// Sets whether the plan that is shown is no longer the one that was compared.
    void setStale(bool stale);

    /// Selects the next or the previous difference, in the order of both graphs; wraps around.
    void step(int by);
    /// Selects nodes of the drawing and brings the first one into view.
    void selectItems(const std::vector<Item> &items);
    /// Selects a node of the model as it was opened, and its counterparts in the drawing.
    void showOriginal(NodeId id);
    /// Returns the selected node as an item of the present plan, or no item if it is in the other
    /// plan only.
    Item selectedNow() const;

    enum class Tab { Differences, Figures, Origins };
    void showTab(Tab tab);
    Selection &selection() { return m_selection; }
    GraphCanvas &canvas() { return *m_canvas; }
    DifferenceModel &differences() { return m_differences; }
    MetricModel &metrics() { return m_metrics; }
    OriginModel &origins() { return m_origins; }
    FilteredTable &differenceTable() { return *m_differenceTable; }
    FilteredTable &metricTable() { return *m_metricTable; }
    FilteredTable &originTable() { return *m_originTable; }
    QToolButton &onlyDifferent() { return *m_onlyDifferent; }
    QString summary() const;
    /// Returns the picture of the drawing for export, or nothing while nothing is compared.
    std::optional<ViewPicture> picture() const;

Q_SIGNALS:
    /// Emitted when a node of the drawing was chosen; `now` is its item in the present plan.
    void chosen(const graphloom::Item &now);
    /// Emitted when a node of the model as it was opened was chosen in the table of origins.
    void originalChosen(graphloom::NodeId id);
    void menuRequested(const QPoint &globalPlace);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QBoxLayout *makeBar();
    void setSummary();
    void fitBar();
    QWidget *makeDrawing();
    QWidget *makeTables();
    void showDrawing();
    std::vector<Marks> marksOfDrawing() const;

    PlanDifferencePointer m_difference;
    Selection m_selection;
    DifferenceModel m_differences;
    MetricModel m_metrics;
    OriginModel m_origins;
    QLabel *m_summary;
    QToolButton *m_onlyDifferent;
    GraphCanvas *m_canvas;
    DifferenceLegend *m_legend;
    QTabWidget *m_tabs;
    FilteredTable *m_differenceTable, *m_metricTable, *m_originTable;
    QBoxLayout *m_bar;
    QWidget *m_buttons;
    bool m_stale = false;
};

} // namespace graphloom
