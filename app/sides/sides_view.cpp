// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sides/sides_view.h"

#include "app/common/format.h"
#include "app/compare/metric_text.h"
#include "app/drawing/graph_picture.h"
#include "app/graph/canvas_page.h"
#include "app/graph/canvas_pane.h"

#include <QAction>
#include <QEvent>
#include <QSplitter>

#include <algorithm>

namespace graphloom {

namespace {

constexpr double framedScale = 0.6; // at which the frames of differences are told apart
constexpr int leastPane = 160;

/// Returns the latency of a plan, measured if it was.
std::optional<PlanMetric::Side> latencyOf(const Counterparts &counterparts, Side side)
{
    for (const char *key : {"measured_ms", "memory_ms", "block_ms"})
        if (const auto figure = counterparts.figure(side, key))
            return figure;
    return std::nullopt;
}

} // namespace

SidesView::SidesView(Sides &sides, CanvasPage &page, QAction *link, Colours colours)
    : m_sides(sides), m_page(page), m_linkAction(link), m_colours(std::move(colours))
{
    m_page.canvas().installEventFilter(this);
    connect(&sides, &Sides::shownChanged, this, &SidesView::showPane);
    connect(&sides, &Sides::counterpartsChanged, this, [this] {
        mark();
        writeStrips();
    });
    connect(&sides, &Sides::matched, this, &SidesView::writeStrips);
    connect(&m_page.canvas(), &GraphCanvas::drawingChanged, this, &SidesView::mark);
    connect(link, &QAction::toggled, this, [this](bool linked) {
        if (m_link && m_sides.isShown())
            m_link->setLinked(linked);
    });
}

SidesView::~SidesView() = default;

GraphCanvas &SidesView::canvas(Side side)
{
    return pane(side).canvas();
}

CanvasPane &SidesView::pane(Side side)
{
    return side == Side::Before && m_pane ? *m_pane : m_page.pane();
}

Side SidesView::active() const
{
    return m_sides.isShown() ? m_active : Side::Now;
}

void SidesView::switchSide()
{
    if (m_sides.isShown())
        canvas(otherSide(m_active)).setFocus(Qt::OtherFocusReason);
}

bool SidesView::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FocusIn)
        m_active = watched == &m_page.canvas() ? Side::Now : Side::Before;
    return QObject::eventFilter(watched, event);
}

void SidesView::makePane()
{
    m_pane = new CanvasPane(m_sides.selection(Side::Before));
    m_pane->addTool(m_linkAction);
    GraphCanvas &other = m_pane->canvas();
    other.setObjectName(QStringLiteral("otherCanvas"));
    other.setAccessibleName(tr("Graph of the other plan"));
    other.installEventFilter(this);
    m_page.split().insertWidget(0, m_pane);
    for (CanvasPane *pane : {m_pane, &m_page.pane()})
        pane->setMinimumWidth(leastPane);
    if (m_theme)
        other.setAppearance(m_theme, m_colours(nullptr));
    connect(&other, &GraphCanvas::activated, this, &SidesView::activated);
    connect(&other, &GraphCanvas::menuRequested, this, &SidesView::menuRequested);
    connect(&other, &GraphCanvas::allWanted, this,
            [this] { m_sides.drawings(Side::Now).setFocus({}); });
    connect(&other.tiles(), &TileStore::settled, this, &SidesView::settled);
    connect(&other, &GraphCanvas::drawingChanged, this, [this] {
        colour();
        mark();
        m_link->align(Side::Now);
    });
    DrawingController &drawings = m_sides.drawings(Side::Before);
    connect(&drawings, &DrawingController::ready, this, &SidesView::showDrawing);
    m_pane->announce(drawings);
    m_link = std::make_unique<CanvasLink>(m_sides, other, m_page.canvas());
    // After the canvases, which reveal what is selected.
    for (const Side side : bothSides)
        connect(&m_sides.selection(side), &Selection::changed, this, [this, side] {
            if (!m_sides.isFollowing())
                m_link->align(side);
        });
    connect(&m_sides, &Sides::stepped, this, [this](Side side, const Item &item) {
        GraphCanvas &shown = canvas(side);
        if (shown.scale() < framedScale)
            shown.zoomTo(framedScale);
        if (const auto rect = shown.drawing() ? shown.drawing()->rectOf(item) : std::nullopt)
            shown.centreOn(rect->center());
    });
}

void SidesView::showPane()
{
    const bool shown = m_sides.isShown();
    if (!m_pane && !shown)
        return;
    if (!m_pane)
        makePane();
    const bool was = !m_pane->isHidden();
    m_pane->setVisible(shown);
    m_page.pane().setStripShown(shown);
    m_pane->setStripShown(shown);
    m_link->setLinked(shown && m_linkAction->isChecked());
    if (shown && !was)
        setShare(std::exchange(m_firstShare, std::nullopt).value_or(0.5));
    if (!shown) {
        if (m_active == Side::Before)
            m_page.canvas().setFocus();
        m_active = Side::Now;
    }
    mark();
    writeStrips();
    if (shown != was)
        Q_EMIT split();
}

void SidesView::showDrawing(const DrawingPointer &drawing, bool fresh)
{
    GraphCanvas &other = m_pane->canvas();
    if (drawing && !fresh && other.drawing()) {
        other.setNextDrawing(drawing, m_colours(drawing));
        return;
    }
    other.setDrawing(drawing);
    if (!drawing)
        return;
    const GraphCanvas &now = m_page.canvas();
    if (const auto first = std::exchange(m_firstView, std::nullopt))
        other.setView(viewInside(*drawing, *first));
    else
        other.setView({now.scale(), drawing->bounds.center(), now.view().fitted});
    m_link->align(Side::Now);
}

void SidesView::setTheme(std::shared_ptr<const Theme> theme)
{
    m_theme = std::move(theme);
    if (m_pane)
        m_pane->canvas().setAppearance(m_theme, m_colours(m_pane->canvas().drawing()));
}

void SidesView::colour()
{
    if (!m_pane || !m_theme || !m_pane->canvas().drawing())
        return;
    GraphCanvas &other = m_pane->canvas();
    if (const Colouring colours = m_colours(other.drawing()); colours != other.tiles().colouring())
        other.setAppearance(m_theme, colours);
}

/// Marks the differences, also on the page's canvas, whose drawing may be of an earlier state than
/// the matching until it is replaced.
void SidesView::mark()
{
    if (!m_pane)
        return;
    const CounterpartsPointer counterparts = m_sides.counterparts();
    for (const Side side : bothSides) {
        const DrawingPointer &drawing = canvas(side).drawing();
        canvas(side).setMarks(counterparts && drawing && drawing->snapshot->path.empty()
                                  ? counterparts->marksOf(side, *drawing)
                                  : std::vector<Marks>());
    }
}

void SidesView::setNameNow(const QString &name)
{
    m_nameNow = name;
    writeStrips();
}

QString SidesView::figuresOf(Side side) const
{
    const SnapshotPointer &snapshot = side == Side::Before ? m_sides.before() : m_sides.now();
    const CounterpartsPointer counterparts = m_sides.counterparts();
    QStringList figures;
    if (snapshot)
        figures << formatNodes(
            (counterparts ? counterparts->snapshot(side) : *snapshot).graph().nodeCount());
    if (!counterparts)
        return figures.join(QString());
    figures << tr("peak %1").arg(metricText(counterparts->figure(side, "peak_bytes")));
    const auto latency = latencyOf(*counterparts, side);
    figures << (latency ? metricText(latency) : tr("latency unknown"));
    return figures.join(QStringLiteral(" · "));
}

void SidesView::writeStrips()
{
    if (!m_pane)
        return;
    for (const Side side : bothSides) {
        const bool lacks = m_sides.lacking() == side;
        pane(side).setCaption(side == Side::Before ? m_sides.name() : m_nameNow, figuresOf(side),
                              lacks ? tr("no counterpart of the selection") : QString());
    }
}

bool SidesView::isSettled() const
{
    if (!m_sides.isShown())
        return true;
    const GraphCanvas &other = m_pane->canvas();
    return !m_sides.isBusy() && other.drawing() && !other.nextDrawing() &&
           other.tiles().isSettled();
}

std::optional<ViewPicture> SidesView::picture()
{
    const auto sideOf = [this](Side side) {
        const DrawingPointer &drawing = canvas(side).drawing();
        const CounterpartsPointer counterparts = m_sides.counterparts();
        PictureSide shown{drawing, m_colours(drawing), {}, {}};
        shown.title = side == Side::Before ? m_sides.name() : m_nameNow;
        if (counterparts && drawing && drawing->snapshot->path.empty())
            shown.marks = counterparts->marksOf(side, *drawing);
        return shown;
    };
    if (!m_sides.isShown() || !canvas(Side::Before).drawing() || !canvas(Side::Now).drawing())
        return std::nullopt;
    ViewPicture picture = sidesPicture(sideOf(Side::Before), sideOf(Side::Now));
    picture.title = tr("Two plans side by side");
    const DrawingPointer &now = canvas(Side::Now).drawing();
    picture.legend = graphPicture(now, m_colours(now)).legend;
    for (const Side side : bothSides)
        picture.notes << QStringLiteral("%1: %2").arg(
            side == Side::Before ? m_sides.name() : m_nameNow, figuresOf(side));
    picture.notes << tr("removed: red, added: green, changed: yellow");
    return picture;
}

double SidesView::share() const
{
    const QList<int> sizes = m_page.split().sizes();
    return sizes.size() < 2 ? 0.5 : double(sizes[0]) / std::max(1, sizes[0] + sizes[1]);
}

void SidesView::setShare(double share)
{
    const int width = std::max(2 * leastPane, m_page.split().width());
    const int left = int(share * width);
    m_page.split().setSizes({left, width - left});
}

} // namespace graphloom
