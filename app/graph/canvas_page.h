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

/// The canvas with what belongs to it: search bar, breadcrumbs and what part is shown above, legend
/// below, minimap in a corner while not all of the graph is in view.
class CanvasPage final : public QWidget {
    Q_OBJECT

public:
    /// `up` leads to the graph around the one that is shown.
    CanvasPage(Selection &selection, QAction *up, QWidget *parent = nullptr);

    GraphCanvas &canvas() { return *m_canvas; }
    SearchBar &search() { return *m_search; }
    Minimap &minimap() { return *m_minimap; }
    Breadcrumbs &breadcrumbs() { return *m_breadcrumbs; }
    Legend &legend() { return *m_legend; }
    /// What nodes can be coloured by; filled by the window.
    QComboBox &colourBox() { return *m_colourBox; }
    FocusBar &focusBar() { return *m_focus; }

    void setMinimapShown(bool shown);
    void setLegendShown(bool shown);
    /// Says over the canvas what is going on, such as a layout that takes long; empty: nothing.
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
