// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/graph/graph_canvas.h"

class QComboBox;

namespace graphloom {

class Breadcrumbs;
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
    SearchBar &search() { return *m_search; }
    Minimap &minimap() { return *m_minimap; }
    Breadcrumbs &breadcrumbs() { return *m_breadcrumbs; }
    Legend &legend() { return *m_legend; }
    /// Returns the box of metrics that nodes can be coloured by. The window fills it.
    QComboBox &colourBox() { return *m_colourBox; }
    FocusBar &focusBar() { return *m_focus; }

    void setMinimapShown(bool shown);
    void setLegendShown(bool shown);
    /// Shows over the canvas what is in progress, such as a long layout. An empty string hides it.
    void setBusy(const QString &text);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void placeCorners();

    GraphCanvas *m_canvas;
    SearchBar *m_search;
    Breadcrumbs *m_breadcrumbs;
    FocusBar *m_focus;
    Minimap *m_minimap;
    Legend *m_legend;
    QComboBox *m_colourBox;
    QWidget *m_legendRow;
    class BusyLabel;
    BusyLabel *m_busy;
    bool m_minimapShown = true;
};

} // namespace graphloom
