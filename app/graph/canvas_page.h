// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/graph/graph_canvas.h"

class QComboBox;
class QSplitter;

namespace graphloom {

class Breadcrumbs;
class CanvasPane;
class FocusBar;
class Legend;
class Minimap;
class SearchBar;

/// The canvas and what belongs to it: above it the search bar, the breadcrumbs and the focus bar,
/// below it the legend, and in a corner the minimap while not all of the graph is in view.
class CanvasPage final : public QWidget {
    Q_OBJECT

public:
    /// Makes the page. `up` is the action that leads to the graph around the one that is shown.
    CanvasPage(Selection &selection, QAction *up, QWidget *parent = nullptr);

    GraphCanvas &canvas() { return *m_canvas; }
    /// Returns the canvas with its strip.
    CanvasPane &pane() { return *m_pane; }
    /// Returns what holds the pane, and panes that are shown beside it.
    QSplitter &split() { return *m_split; }
    SearchBar &search() { return *m_search; }
    Minimap &minimap() { return *m_minimap; }
    Breadcrumbs &breadcrumbs() { return *m_breadcrumbs; }
    Legend &legend() { return *m_legend; }
    /// Returns the box of metrics that nodes can be coloured by. The window fills it.
    QComboBox &colourBox() { return *m_colourBox; }
    FocusBar &focusBar() { return *m_focus; }

    void setMinimapShown(bool shown);
    void setLegendShown(bool shown);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void placeCorners();

    QSplitter *m_split;
    CanvasPane *m_pane;
    GraphCanvas *m_canvas; // of the pane
    SearchBar *m_search;
    Breadcrumbs *m_breadcrumbs;
    FocusBar *m_focus;
    Minimap *m_minimap;
    Legend *m_legend;
    QComboBox *m_colourBox;
    QWidget *m_legendRow;
    bool m_minimapShown = true;
};

} // namespace graphloom
