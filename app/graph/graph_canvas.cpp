// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of the canvas; graph_canvas_view.cpp moves it, graph_canvas_input.cpp handles mouse and
// keys.
#include "app/graph/graph_canvas.h"

#include "app/common/format.h"
#include "app/drawing/canvas_overlay.h"
#include "app/drawing/group_titles.h"

#include <QAccessible>
#include <QScopedValueRollback>

namespace graphloom {

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
    connect(&m_tiles, &TileStore::prepared, this, &GraphCanvas::showNext);
    connect(&m_selection, &Selection::changed, this, &GraphCanvas::selectionChanged);
    describeKeys();
}

void GraphCanvas::setDrawing(DrawingPointer next)
{
    const DrawingPointer before = drawing();
    const DrawingView shown = view();
    m_adapting = true;
    m_waiting = nullptr;
    m_tiles.setDrawing(std::move(next));
    drawingReplaced();
    if (before && drawing() && before->snapshot->path == drawing()->snapshot->path)
        setView(keptView(*before, shown, *drawing(), viewport()->size(), m_selection.item()));
    m_adapting = false;
    Q_EMIT drawingChanged();
}

void GraphCanvas::setNextDrawing(DrawingPointer next, Colouring colours)
{
    m_waiting = std::move(next);
    m_waitingColours = std::move(colours);
    // Drawings that follow each other quickly must not keep each other from being shown.
    if (!m_tiles.preparing())
        prepareNext();
}

void GraphCanvas::prepareNext()
{
    const DrawingPointer next = std::exchange(m_waiting, nullptr);
    const DrawingView view =
        keptView(*drawing(), this->view(), *next, viewport()->size(), m_selection.item());
    m_tiles.setViewport(viewport()->rect());
    m_tiles.prepare(next, std::move(m_waitingColours),
                    {view.scale, originAt(view), viewport()->devicePixelRatioF()});
}

void GraphCanvas::showNext()
{
    // The view or the selection may have changed meanwhile.
    const DrawingView view = keptView(*drawing(), this->view(), *m_tiles.preparing(),
                                      viewport()->size(), m_selection.item());
    {
        const QScopedValueRollback adapting(m_adapting, true);
        m_tiles.showPrepared();
        drawingReplaced();
        setView(view);
    }
    Q_EMIT drawingChanged();
    if (m_waiting)
        prepareNext();
}

void GraphCanvas::drawingReplaced()
{
    m_hovered = {};
    updateSceneRect();
    placeMatches();
    viewport()->update();
    Q_EMIT viewChanged();
}

void GraphCanvas::setAppearance(std::shared_ptr<const Theme> theme, Colouring colours)
{
    m_theme = theme;
    setBackgroundBrush(theme->canvas.background);
    const DrawingPointer next = nextDrawing();
    m_tiles.setAppearance(std::move(theme), colours);
    if (next) {
        m_waiting = next;
        m_waitingColours = std::move(colours);
        prepareNext();
    }
    viewport()->update();
}

void GraphCanvas::setMatches(const std::vector<Item> &matches, MatchMeaning meaning)
{
    std::erase_if(m_marks, [meaning](const Marks &marks) { return marks.meaning == meaning; });
    m_marks.push_back({meaning, matches, drawnOf(matches)});
    viewport()->update();
}

void GraphCanvas::setMarks(std::vector<Marks> marks)
{
    for (Marks &kept : m_marks)
        if (kept.meaning == MatchMeaning::Found)
            marks.push_back(std::move(kept));
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

void GraphCanvas::drawBackground(QPainter *painter, const QRectF &rect)
{
    painter->save();
    const QRect exposed =
        painter->worldTransform().mapRect(rect).toAlignedRect().adjusted(-1, -1, 1, 1);
    painter->resetTransform();
    painter->fillRect(exposed, backgroundBrush());
    m_tiles.setViewport(viewport()->rect());
    m_tiles.paint(*painter, exposed, {scale(), origin(), viewport()->devicePixelRatioF()});
    painter->restore();
}

void GraphCanvas::drawForeground(QPainter *painter, const QRectF &rect)
{
    if (!drawing() || !m_theme)
        return;
    paintOverlay(
        *painter, *drawing(), *m_theme, rect,
        {m_selection.item(), m_hovered, &m_selection.items(), m_marks, scale(), &m_causeNodes});
    // Last: the marks of many small nodes would cover a title.
    paintGroupTitles(*painter, *drawing(), *m_theme, rect, 1 / scale());
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

} // namespace graphloom
