// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/canvas_overlay.h"
#include "app/drawing/tile_store.h"
#include "app/snapshot/selection.h"
#include "app/widgets/view_keys.h"

#include <QGraphicsView>

#include <set>

class QRubberBand;

namespace graphloom {

/// The picture of the plan's graph: zoom by wheel, keys and pinch, pan by drag and keys, one
/// selection shared with all other views, whose item the arrow keys move along the edges. Ctrl
/// adds to the selection, Shift and the mouse draw a frame around what is selected.
/// The view has no items in its scene: tiles come from a TileStore, hits from the drawing.
class GraphCanvas final : public QGraphicsView, public KeyedView {
    Q_OBJECT

public:
    GraphCanvas(Selection &selection, QWidget *parent = nullptr);

    /// Shows another drawing. An item that both drawings have, if they are of the same graph, keeps
    /// its place on screen: the selected one, else the one nearest to the middle.
    void setDrawing(DrawingPointer drawing);
    const DrawingPointer &drawing() const { return m_tiles.drawing(); }
    void setAppearance(std::shared_ptr<const Theme> theme, Colouring colours);
    void setMatches(const std::vector<Item> &matches, MatchMeaning meaning = MatchMeaning::Found);
    /// Items of several meanings; where they are drawn is found here.
    void setMarks(std::vector<Marks> marks);
    /// Marks why an edit was refused, until something else is selected.
    void setCause(const std::vector<Item> &cause);

    void zoomBy(double factor);
    void zoomTo(double scale);
    double scale() const { return transform().m11(); }
    void fit();
    /// As fit(), but not smaller than can be read: then the picture begins at its top left.
    void fitReadable();
    /// Scrolls as little as needed to see the item with some of its surroundings.
    void reveal(const Item &item);
    /// Fills the view with one item and its surroundings.
    void zoomToItem(const Item &item);

    void centreOn(const QPointF &scene);

    /// What of a drawing is in view.
    struct View {
        double scale = 1;
        QPointF centre;
    };
    View view() const { return {scale(), visibleScene().center()}; }
    void setView(const View &view);
    /// Where on the screen an item is; the middle of the view for what is not in view.
    QPoint globalPlaceOf(const Item &item) const;

    QRectF visibleScene() const;
    const ViewKeys &keys() const override { return m_keys; }
    TileStore &tiles() { return m_tiles; }
    const TileStore &tiles() const { return m_tiles; }

Q_SIGNALS:
    void activated(const graphloom::Item &item); // double click, Enter
    void viewChanged();
    /// Escape, while a part of the graph is shown.
    void allWanted();
    /// By the right mouse button or the menu key; the item is none on empty ground.
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
    void zoomAround(double factor, const QPoint &place);
    void pan(const QPoint &by);
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
    double fitScale() const;
    QString describe(const Item &item) const;

    Selection &m_selection;
    TileStore m_tiles;
    ViewKeys m_keys{tr("Graph")};
    std::shared_ptr<const Theme> m_theme;
    std::vector<Marks> m_marks;
    std::vector<Item> m_cause;
    std::set<std::uint32_t> m_causeNodes;
    Item m_hovered;
    QPoint m_pressed, m_lastMouse;
    bool m_isPressed = false, m_panning = false, m_clicking = false;
    QRubberBand *m_band = nullptr; // while Shift and the mouse draw a frame
};

} // namespace graphloom
