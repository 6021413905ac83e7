// SPDX-License-Identifier: GPL-3.0-or-later
// Contents and view of the canvas; graph_canvas_input.cpp handles mouse and keys.
#include "app/graph/graph_canvas.h"

#include "app/common/format.h"
#include "app/drawing/canvas_overlay.h"

#include <QAccessible>
#include <QScrollBar>

namespace graphloom {

namespace {

constexpr double leastScale = 0.004, mostScale = 4;
constexpr double readableScale = 0.7, hardlyReadableScale = 0.47;
constexpr int margin = 24;

} // namespace

GraphCanvas::GraphCanvas(Selection &selection, QWidget *parent)
    : QGraphicsView(parent), m_selection(selection), m_tiles(this)
{
    setScene(new QGraphicsScene(this));
    scene()->setItemIndexMethod(QGraphicsScene::NoIndex);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(QGraphicsView::NoAnchor);
    setResizeAnchor(QGraphicsView::NoAnchor);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setViewportUpdateMode(QGraphicsView::MinimalViewportUpdate);
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(false); // the window handles dropped files
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    viewport()->grabGesture(Qt::PinchGesture);
    setAccessibleName(tr("Graph"));
    setObjectName(QStringLiteral("graphCanvas"));
    connect(&m_tiles, &TileStore::tileReady, viewport(), qOverload<>(&QWidget::update));
    connect(&m_selection, &Selection::changed, this, &GraphCanvas::selectionChanged);
    describeKeys();
}

void GraphCanvas::setDrawing(DrawingPointer next)
{
    const DrawingPointer before = drawing();
    // Keep the selected item at its position on the screen.
    Item anchor;
    QPointF place;
    if (before && next && before->snapshot->path == next->snapshot->path) {
        anchor = m_selection.item();
        if (!before->rectOf(anchor) || !visibleScene().intersects(*before->rectOf(anchor)))
            anchor = before->itemAt(visibleScene().center());
        if (const auto rect = before->rectOf(anchor))
            place = QPointF(mapFromScene(rect->center()));
        else
            anchor = {};
    }
    m_hovered = {};
    m_tiles.setDrawing(std::move(next));
    updateSceneRect();
    placeMatches();
    if (drawing() && anchor)
        if (const auto rect = drawing()->rectOf(anchor)) {
            const QPointF now = QPointF(mapFromScene(rect->center()));
            pan((place - now).toPoint());
        }
    viewport()->update();
    Q_EMIT viewChanged();
}

void GraphCanvas::setAppearance(std::shared_ptr<const Theme> theme, Colouring colours)
{
    m_theme = theme;
    setBackgroundBrush(theme->canvas.background);
    m_tiles.setAppearance(std::move(theme), std::move(colours));
    viewport()->update();
}

void GraphCanvas::setMatches(const std::vector<Item> &matches, MatchMeaning meaning)
{
    setMarks({{meaning, matches, {}}});
}

void GraphCanvas::setMarks(std::vector<Marks> marks)
{
    m_marks = std::move(marks);
    placeMatches();
}

void GraphCanvas::setCause(const std::vector<Item> &cause)
{
    m_cause = cause;
    placeMatches();
    if (!cause.empty())
        reveal(cause.front());
}

std::set<std::uint32_t> GraphCanvas::drawnOf(const std::vector<Item> &items) const
{
    std::set<std::uint32_t> drawn;
    if (drawing())
        for (const Item &item : items)
            if (const std::uint32_t node = drawing()->graph.nodeOf(item);
                node != VisibleGraph::none)
                drawn.insert(node);
    return drawn;
}

void GraphCanvas::placeMatches()
{
    for (Marks &marks : m_marks)
        marks.nodes = drawnOf(marks.items);
    m_causeNodes = drawnOf(m_cause);
    viewport()->update();
}

void GraphCanvas::updateSceneRect()
{
    if (!drawing()) {
        setSceneRect({});
        return;
    }
    // The margin allows any point to be centred at any zoom.
    const QRectF &bounds = drawing()->bounds;
    const double x = viewport()->width() / scale(), y = viewport()->height() / scale();
    setSceneRect(bounds.adjusted(-x, -y, x, y));
}

QRectF GraphCanvas::visibleScene() const
{
    return QRectF(-QPointF(origin()) / scale(), QSizeF(viewport()->size()) / scale());
}

QPoint GraphCanvas::origin() const
{
    return viewportTransform().map(QPointF(0, 0)).toPoint();
}

void GraphCanvas::zoomAround(double factor, const QPoint &place)
{
    const double now = std::clamp(scale() * factor, leastScale, mostScale);
    if (!drawing() || now == scale())
        return;
    const QPointF fixed = (QPointF(place) - origin()) / scale();
    setTransform(QTransform::fromScale(now, now));
    updateSceneRect();
    pan(place - (fixed * now + origin()).toPoint());
    Q_EMIT viewChanged();
}

void GraphCanvas::zoomBy(double factor)
{
    zoomAround(factor, viewport()->rect().center());
}

void GraphCanvas::zoomTo(double scale)
{
    zoomBy(scale / this->scale());
}

void GraphCanvas::pan(const QPoint &by)
{
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
}

double GraphCanvas::fitScale() const
{
    const QSizeF room = QSizeF(viewport()->size()) - QSizeF(2 * margin, 2 * margin);
    const QRectF &bounds = drawing()->bounds;
    return std::clamp(std::min(room.width() / std::max(1.0, bounds.width()),
                               room.height() / std::max(1.0, bounds.height())),
                      leastScale, 1.0);
}

void GraphCanvas::fit()
{
    if (!drawing())
        return;
    zoomTo(fitScale());
    centreOn(drawing()->bounds.center());
}

void GraphCanvas::centreOn(const QPointF &scene)
{
    pan(viewport()->rect().center() - (scene * scale() + origin()).toPoint());
}

void GraphCanvas::setView(const View &view)
{
    zoomTo(view.scale);
    centreOn(view.centre);
}

void GraphCanvas::fitReadable()
{
    if (!drawing())
        return;
    if (fitScale() >= hardlyReadableScale) {
        fit();
        return;
    }
    zoomTo(readableScale);
    const QRectF &bounds = drawing()->bounds;
    QPoint target = (bounds.topLeft() * scale() + origin()).toPoint();
    QPoint wanted(margin, margin);
    if (bounds.width() * scale() + 2 * margin < viewport()->width())
        wanted.setX(int(viewport()->width() - bounds.width() * scale()) / 2);
    pan(wanted - target);
    // Long edges may leave the corner empty: then start at the first node.
    if (drawing()->nodes.empty())
        return;
    const QRectF &first = drawing()->nodes.front();
    const QPoint place = (QPointF(first.center().x(), first.top()) * scale() + origin()).toPoint();
    pan({place.x() < viewport()->width() - margin ? 0 : viewport()->width() / 2 - place.x(),
         place.y() < viewport()->height() / 2 ? 0 : 2 * margin - place.y()});
}

void GraphCanvas::reveal(const Item &item)
{
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    if (!rect)
        return;
    const QRectF onScreen(rect->topLeft() * scale() + origin(), rect->size() * scale());
    const QRectF inner = QRectF(viewport()->rect()).adjusted(60, 60, -60, -60);
    if (inner.contains(onScreen))
        return;
    if (!QRectF(viewport()->rect()).intersects(onScreen)) {
        pan((QRectF(viewport()->rect()).center() - onScreen.center()).toPoint());
        return;
    }
    const auto shift = [](double low, double high, double least, double most) {
        return low < least ? least - low : high > most ? most - high : 0.0;
    };
    pan(QPointF(shift(onScreen.left(), onScreen.right(), inner.left(), inner.right()),
                shift(onScreen.top(), onScreen.bottom(), inner.top(), inner.bottom()))
            .toPoint());
}

void GraphCanvas::zoomToItem(const Item &item)
{
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    if (!rect)
        return;
    const double wanted = std::min(viewport()->width() / (rect->width() + 160),
                                   viewport()->height() / (rect->height() + 160));
    zoomTo(std::clamp(wanted, leastScale, 1.0));
    centreOn(rect->center());
}

void GraphCanvas::drawBackground(QPainter *painter, const QRectF &rect)
{
    painter->save();
    const QRect exposed =
        painter->worldTransform().mapRect(rect).toAlignedRect().adjusted(-1, -1, 1, 1);
    painter->resetTransform();
    painter->fillRect(exposed, backgroundBrush());
    m_tiles.setViewport(viewport()->rect());
    m_tiles.paint(*painter, exposed, scale(), origin(), viewport()->devicePixelRatioF());
    painter->restore();
}

void GraphCanvas::drawForeground(QPainter *painter, const QRectF &rect)
{
    if (drawing() && m_theme)
        paintOverlay(
            *painter, *drawing(), *m_theme, rect,
            {m_selection.item(), m_hovered, &m_selection.items(), m_marks, scale(), &m_causeNodes});
}

void GraphCanvas::selectionChanged(const Item &item)
{
    m_cause.clear();
    m_causeNodes.clear();
    viewport()->update();
    if (!m_clicking) // a clicked item is in view and must not move
        reveal(item);
    const std::size_t selected = m_selection.items().size();
    setAccessibleDescription(
        selected > 1 ? tr("%1 items selected, last: %2").arg(selected).arg(describe(item))
                     : describe(item));
}

QString GraphCanvas::describe(const Item &item) const
{
    if (!drawing() || !item)
        return {};
    const Snapshot &snapshot = *drawing()->snapshot;
    const auto value = [&] {
        const MetricPointer &metric = m_tiles.colouring().metric;
        return metric ? metric->describe(snapshot, item) : QString();
    };
    switch (item.kind) {
    case Item::Kind::Node: {
        if (!snapshot.graph().contains(item.node()))
            return {};
        const NodeFacts &facts = snapshot.facts->of(item.node());
        QStringList lines{facts.op, facts.name, facts.shape};
        if (const auto nested = snapshot.facts->nestedIn(item.node()); !nested.empty())
            lines << nestedSummary(nested);
        if (!facts.opaque.isEmpty())
            lines << tr("Opaque: %1").arg(facts.opaque);
        if (const QString text = value(); !text.isEmpty())
            lines << text;
        return lines.join('\n');
    }
    case Item::Kind::Input:
    case Item::Kind::Captured:
    case Item::Kind::Output:
    case Item::Kind::Tensor: {
        if (!snapshot.graph().contains(item.tensor()))
            return {};
        const Tensor &tensor = snapshot.graph().tensor(item.tensor());
        const QString name = fromUtf8(tensor.name);
        return (item.kind == Item::Kind::Input      ? tr("Input %1").arg(name)
                : item.kind == Item::Kind::Captured ? tr("From the parent graph: %1").arg(name)
                : item.kind == Item::Kind::Tensor   ? tr("Tensor %1").arg(name)
                                                    : tr("Output %1").arg(name)) +
               QStringLiteral("\n") + formatType(tensor);
    }
    case Item::Kind::Subgraph:
    case Item::Kind::Block: {
        if (!snapshot.contains(item))
            return {};
        const GroupFacts &facts = snapshot.factsOf(item);
        if (item.kind == Item::Kind::Subgraph)
            return tr("Subgraph %1, %2, weight %3\n%4")
                .arg(item.index)
                .arg(formatNodes(facts.nodes), formatReal(facts.weight), facts.operators);
        const FusionBlock &block = snapshot.block(item);
        QStringList lines{tr("Block %1, %2, %3")
                              .arg(item.index)
                              .arg(fromUtf8(nameOf(block.mapping)), formatOperators(facts.nodes)),
                          fromUtf8(block.pattern), facts.operators,
                          block.locked ? tr("Locked") : QString(), value()};
        lines.removeAll(QString());
        return lines.join('\n');
    }
    case Item::Kind::Module:
    case Item::Kind::Fission: {
        if (!snapshot.contains(item))
            return {};
        const GroupFacts &facts = snapshot.factsOf(item);
        QStringList lines{snapshot.titleOf(item),
                          tr("%1, %2 MACs").arg(formatNodes(facts.nodes), formatDim(facts.macs)),
                          facts.operators, value()};
        lines.removeAll(QString());
        return lines.join('\n');
    }
    case Item::Kind::Original:
    case Item::Kind::None:
        break;
    }
    return {};
}

void GraphCanvas::updateItem(const Item &item)
{
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    if (rect)
        viewport()->update(QRectF(rect->topLeft() * scale() + origin(), rect->size() * scale())
                               .toAlignedRect()
                               .adjusted(-4, -4, 4, 4));
}

void GraphCanvas::setHovered(const Item &item)
{
    if (item == m_hovered)
        return;
    updateItem(m_hovered);
    m_hovered = item;
    updateItem(m_hovered);
}

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    QGraphicsView::resizeEvent(event);
    updateSceneRect();
    Q_EMIT viewChanged();
}

void GraphCanvas::scrollContentsBy(int dx, int dy)
{
    // Repaint instead of scrolling pixels, as overlays (legend, minimap) lie on the viewport.
    Q_UNUSED(dx);
    Q_UNUSED(dy);
    QGraphicsView::scrollContentsBy(0, 0);
    viewport()->update();
    Q_EMIT viewChanged();
}

} // namespace graphloom
