// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/canvas_overlay.h"
#include "app/drawing/tile_store.h"
#include "app/graph/drawing_view.h"
#include "app/snapshot/selection.h"
#include "app/widgets/view_keys.h"

#include <QGraphicsView>

#include <set>

class QRubberBand;

namespace graphloom {

/// Shows the plan's graph. It can be zoomed by wheel, keys and pinch, and panned by drag and keys.
/// The selection is shared with all other views; the arrow keys move it along the edges. Ctrl adds
/// to the selection, and dragging with Shift selects what is in a frame. The view has no items in
/// its scene: tiles come from a TileStore, hits from the drawing.
class GraphCanvas final : public QGraphicsView, public KeyedView {
    Q_OBJECT

public:
    GraphCanvas(Selection &selection, QWidget *parent = nullptr);

    /// Shows another drawing at once, tile by tile. If both drawings are of the same graph, see
    /// keptView().
    void setDrawing(DrawingPointer drawing);
    /// Shows another drawing of the same graph as soon as it is painted, and keeps the present one
    /// until then. Of several, the first and the last are shown.
    void setNextDrawing(DrawingPointer drawing, Colouring colours);
    /// Returns the drawing that is shown.
    const DrawingPointer &drawing() const { return m_tiles.drawing(); }
    /// Returns the drawing that is shown next, or null if there is none.
    const DrawingPointer &nextDrawing() const
    {
        return m_waiting ? m_waiting : m_tiles.preparing();
    }
    void setAppearance(std::shared_ptr<const Theme> theme, Colouring colours);
    /// Marks items for one reason, instead of those that were marked for it.
    void setMatches(const std::vector<Item> &matches, MatchMeaning meaning = MatchMeaning::Found);
    /// Marks items for several reasons, besides the matches that were found. Where they are drawn
    /// is found here.
    void setMarks(std::vector<Marks> marks);
    /// Marks the items that caused an edit to be refused, until something else is selected.
    void setCause(const std::vector<Item> &cause);

    void zoomBy(double factor);
    void zoomTo(double scale);
    double scale() const { return transform().m11(); }
    /// Shows the whole drawing, and the whole of drawings that replace it, until the view is moved.
    void fit();
    /// Sets the greatest scale of a fitted view, so that several canvases can have the same one.
    void setMostFitScale(double scale);
    /// Zooms to fit like fit(), but not below a readable scale. The view then begins at the top
    /// left of the drawing.
    void fitReadable();
    /// Scrolls as little as needed to show the item with some of its surroundings.
    void reveal(const Item &item);
    /// Zooms to an item and its surroundings.
    void zoomToItem(const Item &item);

    void centreOn(const QPointF &scene);

    DrawingView view() const { return {scale(), visibleScene().center(), m_fitted}; }
    void setView(const DrawingView &view);
    /// Tells whether the view changes since another drawing is shown or the size has changed, not
    /// because somebody moves it.
    bool isAdapting() const { return m_adapting; }
    /// Returns the global position of an item, or of the middle of the view for an item that is not
    /// in view.
    QPoint globalPlaceOf(const Item &item) const;

    QRectF visibleScene() const;
    const ViewKeys &keys() const override { return m_keys; }
    TileStore &tiles() { return m_tiles; }
    const TileStore &tiles() const { return m_tiles; }

Q_SIGNALS:
    void activated(const graphloom::Item &item); // double click, Enter
    void viewChanged();
    /// Emitted when another drawing is shown.
    void drawingChanged();
    /// Emitted when Escape was pressed while only a part of the graph is shown.
    void allWanted();
    /// Emitted for the right mouse button or the menu key. `item` is empty on empty background.
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

protected:
    bool event(QEvent *event) override;
    void drawBackground(QPainter *painter, const QRectF &rect) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    bool viewportEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void selectionChanged(const Item &item);
    void prepareNext();
    void showNext();
    void drawingReplaced();
    void zoomAround(double factor, const QPoint &place);
    void pan(const QPoint &by);
    void scroll(const QPoint &by);
    QPoint originAt(const DrawingView &view) const;
    DrawingView fitted() const;
    void setHovered(const Item &item);
    void updateItem(const Item &item);
    void updateSceneRect();
    void placeMatches();
    std::set<std::uint32_t> drawnOf(const std::vector<Item> &items) const;
    void describeKeys();
    void panTowards(Qt::Key key);
    bool walk(Qt::Key key, bool adding);
    void click(const Item &item, Qt::KeyboardModifiers modifiers);
    void selectFramed(bool adding);
    QPoint origin() const;
    Item itemAt(const QPointF &place) const;
    QString describe(const Item &item) const;

    Selection &m_selection;
    TileStore m_tiles;
    ViewKeys m_keys{tr("Graph")};
    std::shared_ptr<const Theme> m_theme;
    std::vector<Marks> m_marks;
    std::vector<Item> m_cause;
    std::set<std::uint32_t> m_causeNodes;
    Item m_hovered;
    DrawingPointer m_waiting; // to be prepared
    Colouring m_waitingColours;
    bool m_fitted = false, m_adapting = false;
    double m_mostFitScale = 1;
    QPoint m_pressed, m_lastMouse;
    bool m_isPressed = false, m_panning = false, m_clicking = false;
    QRubberBand *m_band = nullptr; // while Shift and the mouse draw a frame
};

} // namespace graphloom
