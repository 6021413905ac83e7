// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/graph_picture.h"

#include "app/common/format.h"
#include "app/drawing/legend.h"

#include <QCoreApplication>

#include <algorithm>

namespace graphloom {

namespace {

constexpr double graphMargin = 16, legendLine = 20, sidesGap = 24, sideTitle = 22;

struct GraphPictureText {
    Q_DECLARE_TR_FUNCTIONS(GraphPicture)
};

Grouping groupingOf(const Drawing &drawing)
{
    return drawnGrouping(*drawing.snapshot, drawing.options.grouping);
}

QString graphTitle(const Drawing &drawing)
{
    switch (groupingOf(drawing)) {
    case Grouping::Blocks:
        return GraphPictureText::tr("Graph by fusion block");
    case Grouping::Subgraphs:
        return GraphPictureText::tr("Graph by subgraph");
    case Grouping::Modules:
        return GraphPictureText::tr("Graph by module");
    case Grouping::Fissions:
        return GraphPictureText::tr("Graph by fission region");
    case Grouping::None:
        break;
    }
    return GraphPictureText::tr("Graph");
}

QString graphNote(const Drawing &drawing)
{
    const Snapshot &snapshot = *drawing.snapshot;
    QStringList parts{formatNodes(snapshot.graph().nodeCount())};
    if (snapshot.facts->macs > 0)
        parts << GraphPictureText::tr("%1 MACs (modelled)").arg(formatCount(snapshot.facts->macs));
    if (const Grouping grouping = groupingOf(drawing); grouping != Grouping::None)
        parts << GraphPictureText::tr("%1 groups").arg(snapshot.count(grouping));
    if (!drawing.options.only.empty())
        parts << GraphPictureText::tr("part of the graph");
    return parts.join(QStringLiteral(" · "));
}

/// Paints entries one after another, on as many lines as they need.
double paintEntries(QPainter *painter, const QRectF &place, const Theme &theme,
                    const std::vector<LegendEntry> &entries)
{
    QFont font;
    font.setPixelSize(metrics::titlePixels);
    const QFontMetricsF metrics(font);
    if (painter) {
        painter->setFont(font);
        painter->setRenderHint(QPainter::Antialiasing);
    }
    double x = place.left(), y = place.top();
    bool blocks = false;
    for (const LegendEntry &entry : entries) {
        const double width = paintEntry(nullptr, {}, metrics, theme, entry);
        const bool first = std::holds_alternative<MappingType>(entry.meaning) && !blocks;
        blocks = blocks || first;
        if (x > place.left() && (first || x + width > place.right())) {
            x = place.left();
            y += legendLine;
        }
        paintEntry(painter, QRectF(x, y, width, legendLine), metrics, theme, entry);
        x += width;
    }
    return entries.empty() ? 0 : y + legendLine - place.top();
}

void paintBody(QPainter &painter, const Drawing &drawing, const QPointF &place,
               const PictureLook &look, const Colouring &colours, std::vector<Marks> marks)
{
    const QRectF all =
        drawing.bounds.adjusted(-graphMargin, -graphMargin, graphMargin, graphMargin);
    painter.translate(place - all.topLeft());
    paintDrawing(painter, drawing, look.theme, all, {colours, look.scale, look.stop});
    if (marks.empty())
        return;
    for (Marks &mark : marks)
        for (const Item &item : mark.items)
            if (const std::uint32_t node = drawing.graph.nodeOf(item); node != VisibleGraph::none)
                mark.nodes.insert(node);
    OverlayState state;
    state.marks = marks;
    paintOverlay(painter, drawing, look.theme, all, state);
}

QSizeF bodySize(const DrawingPointer &drawing)
{
    return drawing ? drawing->bounds.size() + QSizeF(2 * graphMargin, 2 * graphMargin) : QSizeF();
}

} // namespace

ViewPicture graphPicture(const DrawingPointer &drawing, const Colouring &colours,
                         std::vector<Marks> marks)
{
    const auto entries = legendOf(*drawing->snapshot, groupingOf(*drawing),
                                  !colours.metric && colours.by == NodeColours::OperatorClass);
    ViewPicture picture;
    picture.title = graphTitle(*drawing);
    picture.notes = {graphNote(*drawing)};
    picture.size = bodySize(drawing);
    picture.canvas = true;
    picture.paint = [drawing, colours, marks = std::move(marks)](
                        QPainter &painter, const QRectF &place, const PictureLook &look) {
        paintBody(painter, *drawing, place.topLeft(), look, colours, marks);
    };
    picture.legend = [entries, colours](QPainter *painter, const QRectF &place,
                                        const Theme &theme) {
        double height = 0;
        if (colours.metric) {
            height = legendLine;
            if (painter) {
                QFont font;
                font.setPixelSize(metrics::titlePixels);
                painter->setFont(font);
                painter->setRenderHint(QPainter::Antialiasing);
                paintMetric(*painter, QRectF(place.topLeft(), QSizeF(place.width(), legendLine)),
                            theme, *colours.metric, colours.range,
                            theme.palette.color(QPalette::WindowText));
            }
        }
        return height + paintEntries(painter, place.adjusted(0, height, 0, 0), theme, entries);
    };
    return picture;
}

ViewPicture sidesPicture(PictureSide left, PictureSide right)
{
    const QSizeF first = bodySize(left.drawing), second = bodySize(right.drawing);
    ViewPicture picture;
    picture.canvas = true;
    picture.size = {first.width() + sidesGap + std::max(second.width(), 260.0),
                    std::max(first.height(), second.height()) + sideTitle};
    picture.paint = [left = std::move(left), right = std::move(right),
                     first](QPainter &painter, const QRectF &place, const PictureLook &look) {
        const auto paint = [&](const PictureSide &side, double x) {
            QFont font;
            font.setPixelSize(metrics::titlePixels);
            painter.setFont(font);
            painter.setPen(look.theme.palette.color(QPalette::PlaceholderText));
            painter.drawText(QPointF(x + graphMargin, place.top() + sideTitle - 7), side.title);
            if (!side.drawing)
                return;
            painter.save();
            paintBody(painter, *side.drawing, QPointF(x, place.top() + sideTitle), look,
                      side.colours, side.marks);
            painter.restore();
        };
        paint(left, place.left());
        paint(right, place.left() + first.width() + sidesGap);
    };
    return picture;
}

ViewPicture rewritePicture(const StepPicture &step, const QString &name)
{
    ViewPicture picture = sidesPicture({step.before,
                                        NodeColours::OperatorClass,
                                        {{MatchMeaning::Removed, step.removed, {}}},
                                        GraphPictureText::tr("Before (removed: red)")},
                                       {step.after,
                                        NodeColours::OperatorClass,
                                        {{MatchMeaning::Added, step.added, {}}},
                                        GraphPictureText::tr("After (added: green)")});
    picture.title = GraphPictureText::tr("Rewrite step");
    picture.notes = {name};
    return picture;
}

} // namespace graphloom
