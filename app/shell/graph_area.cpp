// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/graph_area.h"

#include "app/common/format.h"
#include "app/drawing/graph_picture.h"
#include "app/drawing/legend.h"
#include "app/graph/breadcrumbs.h"
#include "app/graph/canvas_page.h"
#include "app/graph/canvas_pane.h"
#include "app/graph/focus_bar.h"
#include "app/graph/minimap.h"
#include "app/help/welcome_page.h"
#include "app/query/search_bar.h"
#include "app/shell/session_view.h"
#include "app/sides/sides_view.h"
#include "app/workbench/workbench.h"

#include <QComboBox>
#include <QLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>

#include <algorithm>

namespace graphloom {

namespace {

constexpr double zoomStep = 1.25;
const QString loadKey = QStringLiteral("load"); // entry of the colour box that is not a colour

} // namespace

GraphArea::GraphArea(Workbench &bench)
    : m_bench(bench), m_welcome(new WelcomePage(bench.actions.open, bench.actions.recover)),
      m_page(new CanvasPage(bench.selection, bench.actions.goUp)),
      m_sides(new SidesView(bench.sides, *m_page, bench.actions.linkSides,
                            [this](const DrawingPointer &drawing) { return coloursOf(drawing); })),
      m_sessionView(std::make_unique<SessionView>(bench, *m_page, *m_sides, m_views))
{
    m_sides->setParent(this);
    addWidget(m_welcome);
    addWidget(m_page);
    m_page->search().setJobs(&bench.jobs);
    m_page->pane().announce(bench.drawings);
    bench.placeOf = [this](const Item &item) { return m_page->canvas().globalPlaceOf(item); };
    bench.documents.viewState = [this] { return m_sessionView->state(); };
    bench.documents.drawing = [this] { return m_page->canvas().drawing(); };
    connect(&bench.session, &Session::snapshotChanged, this, &GraphArea::showPage);
    connect(&bench.session, &Session::openingFinished, this, [this](bool succeeded) {
        if (succeeded)
            m_sessionView->restore(m_bench.session.savedView());
    });
    connect(&bench, &Workbench::modelChanged, this, [this] {
        m_page->resize(size()); // it may not have been shown yet
        m_page->layout()->activate();
        m_bench.drawings.setAspect(canvasAspect());
        m_views.clear();
    });
    connect(&bench, &Workbench::graphShown, this, &GraphArea::setSnapshot);
    connect(&bench, &Workbench::activated, this, &GraphArea::activate);
    connect(&bench, &Workbench::menuWanted, this, &GraphArea::showMenu);
    connect(&bench, &Workbench::refused, this,
            [this](const QString &, const std::vector<Item> &cause) {
                m_page->canvas().setCause(cause);
            });
    connect(&bench.view, &ViewController::groupingShown, this, &GraphArea::showGrouping);
    connectActions();
    connectCanvas();
    connectColours();
    connectSides();
}

GraphArea::~GraphArea() = default;

void GraphArea::connectActions()
{
    const Actions &a = m_bench.actions;
    const auto on = [this](QAction *action, auto slot) {
        connect(action, &QAction::triggered, this, slot);
    };
    on(a.find, [this] { m_page->search().open(); });
    on(a.findNext, [this] { m_page->search().next(); });
    on(a.findPrevious, [this] { m_page->search().previous(); });
    on(a.zoomIn, [this] { m_sides->activeCanvas().zoomBy(zoomStep); });
    on(a.zoomOut, [this] { m_sides->activeCanvas().zoomBy(1 / zoomStep); });
    on(a.zoomNormal, [this] { m_sides->activeCanvas().zoomTo(1); });
    on(a.fit, [this] { fit(); });
    on(a.zoomSelection, [this] {
        // What is selected on one side may have no counterpart on the one with the focus.
        for (const Side side : {m_sides->active(), otherSide(m_sides->active())})
            if (const Item &item = m_bench.sides.selection(side).item()) {
                m_sides->canvas(side).zoomToItem(item);
                return;
            }
    });
    on(a.switchSide, [this] { m_sides->switchSide(); });
    on(a.openNested, [this] { openNested(); });
    on(a.toggleGroup, [this] {
        const Side side = m_sides->active();
        const DrawingPointer &drawing = m_sides->activeCanvas().drawing();
        const Item &item = m_bench.sides.selection(side).item();
        const Item group = drawing ? drawing->graph.groupAround(item) : Item();
        if (group && side == Side::Before)
            m_bench.sides.toggleCollapsed(group);
        else if (group)
            m_bench.drawings.toggleCollapsed(group);
    });
    connect(a.minimap, &QAction::toggled, m_page, &CanvasPage::setMinimapShown);
    connect(a.legend, &QAction::toggled, m_page, &CanvasPage::setLegendShown);
}

void GraphArea::connectCanvas()
{
    GraphCanvas &canvas = m_page->canvas();
    DrawingController &drawings = m_bench.drawings;
    connect(&canvas.tiles(), &TileStore::settled, this, &GraphArea::settled);
    connect(&canvas, &GraphCanvas::activated, this, [this](const Item &item) {
        if (item.kind == Item::Kind::Tensor)
            m_bench.tensors.inspect(item.tensor()); // of an edge
        else
            activate(item);
    });
    connect(&canvas, &GraphCanvas::menuRequested, this, &GraphArea::showMenu);
    const auto showAll = [&drawings] { drawings.setFocus({}); };
    connect(&canvas, &GraphCanvas::allWanted, this, showAll);
    connect(&m_page->focusBar(), &FocusBar::allWanted, this, showAll);
    connect(&m_page->focusBar(), &FocusBar::focusWanted, &drawings, &DrawingController::setFocus);
    connect(&m_page->breadcrumbs(), &Breadcrumbs::chosen, &m_bench.navigator, &Navigator::go);
    connect(&m_page->search(), &SearchBar::chosenElsewhere, &m_bench.navigator, &Navigator::go);
    connect(&drawings, &DrawingController::ready, this, &GraphArea::showDrawing);
    connect(&canvas, &GraphCanvas::drawingChanged, this, [this, &canvas] {
        m_page->focusBar().show(canvas.drawing());
        colourNodes(); // the drawn items have changed
    });
}

void GraphArea::connectSides()
{
    connect(m_sides, &SidesView::activated, this, &GraphArea::activateOther);
    connect(m_sides, &SidesView::menuRequested, this, &GraphArea::showOtherMenu);
    connect(m_sides, &SidesView::settled, this, &GraphArea::settled);
    connect(m_sides, &SidesView::split, this, [this] {
        if (m_page->canvas().view().fitted)
            m_bench.drawings.reflow(canvasAspect());
    });
    const auto name = [this] { m_sides->setNameNow(m_bench.comparison.nameNow()); };
    connect(&m_bench, &Workbench::graphShown, this, name);
    connect(&m_bench.sides, &Sides::shownChanged, this, name);
}

void GraphArea::connectColours()
{
    connect(&m_page->colourBox(), &QComboBox::activated, this, [this](int index) {
        const QString key = m_page->colourBox().itemData(index).toString();
        if (key == loadKey) {
            listMetrics(); // "load" is not a colour
            Q_EMIT dataWanted();
        } else {
            m_bench.colours.choose(key);
        }
    });
    connect(&m_bench.colours, &ColourController::changed, this, [this] {
        listMetrics();
        colourNodes();
    });
    connect(&m_bench.colours, &ColourController::ownDataChanged, this,
            [this] { m_page->search().setOwnData(m_bench.colours.ownTable()); });
}

void GraphArea::showPage(const SnapshotPointer &snapshot, Session::Change change)
{
    if (change == Session::Change::Live)
        return;
    if (!snapshot) {
        m_page->search().close();
        setCurrentWidget(m_welcome);
    } else if (currentWidget() != m_page) {
        setCurrentWidget(m_page);
        m_page->canvas().setFocus();
    }
}

void GraphArea::setTheme(const std::shared_ptr<const Theme> &theme)
{
    m_theme = theme;
    colourNodes();
    m_sides->setTheme(theme);
    m_page->legend().setTheme(theme);
}

ViewExport GraphArea::exports()
{
    const auto picture = [this]() -> std::optional<ViewPicture> {
        if (auto both = m_sides->picture())
            return both;
        const DrawingPointer &drawing = m_page->canvas().drawing();
        if (!drawing)
            return std::nullopt;
        return graphPicture(drawing, m_bench.colours.colours(drawing));
    };
    return {QStringLiteral("graph"), tr("Graph"), &m_page->split(), picture, {}};
}

QRect GraphArea::toastPlace() const
{
    if (currentWidget() != m_page)
        return rect();
    const GraphCanvas &canvas = m_page->canvas();
    QRect place(canvas.mapTo(this, QPoint()), canvas.size());
    if (const Minimap &minimap = m_page->minimap(); minimap.isVisible())
        place.setBottom(minimap.mapTo(this, QPoint()).y());
    return place;
}

bool GraphArea::isSettled() const
{
    if (m_page->search().isSearching() || !m_sides->isSettled())
        return false;
    const SnapshotPointer &snapshot = m_bench.navigator.shown();
    if (!snapshot)
        return true;
    const GraphCanvas &canvas = m_page->canvas();
    return canvas.drawing() && canvas.drawing()->snapshot == snapshot && canvas.tiles().isSettled();
}

void GraphArea::setSnapshot(const SnapshotPointer &shown)
{
    GraphCanvas &canvas = m_page->canvas();
    if (const DrawingPointer &drawing = canvas.drawing();
        drawing && shown && drawing->snapshot->path != shown->path) {
        // Clear the canvas, or clicks would be applied to the other graph.
        m_views[drawing->snapshot->path] = canvas.view();
        canvas.setDrawing(nullptr);
    }
    m_page->search().setSnapshot(shown);
    m_page->legend().setSnapshot(shown);
    m_page->breadcrumbs().setSnapshot(shown, fileNameOf(m_bench.session.path()));
    canvas.setAccessibleName(m_bench.navigator.isInside() ? tr("Graph %1").arg(titleOf(*shown))
                                                          : tr("Graph"));
}

void GraphArea::showDrawing(const DrawingPointer &drawing, bool fresh)
{
    GraphCanvas &canvas = m_page->canvas();
    if (drawing && !fresh && canvas.drawing())
        canvas.setNextDrawing(drawing, coloursOf(drawing));
    else
        canvas.setDrawing(drawing);
    if (fresh) {
        const auto view = m_views.find(drawing->snapshot->path);
        if (view != m_views.end())
            canvas.setView(viewInside(*drawing, view->second));
        else
            canvas.fitReadable();
        canvas.reveal(m_bench.selection.item());
    }
}

void GraphArea::showGrouping(Grouping grouping)
{
    m_page->legend().setGrouping(grouping);
}

double GraphArea::canvasAspect() const
{
    const QSize room = m_page->canvas().viewport()->size();
    return double(room.width()) / std::max(1, room.height());
}

/// The columns of the drawing follow the shape of the canvas.
void GraphArea::fit()
{
    m_sides->activeCanvas().fit();
    m_bench.drawings.reflow(canvasAspect());
}

void GraphArea::colourNodes()
{
    const Colouring colours = coloursOf(m_page->canvas().drawing());
    m_sides->colour();
    m_page->legend().setMetric(colours.metric, colours.range);
    if (m_theme && (m_theme != m_shownTheme || colours != m_page->canvas().tiles().colouring())) {
        m_shownTheme = m_theme;
        m_page->canvas().setAppearance(m_theme, colours);
    }
}

/// Returns the colours of a drawing. Two drawings side by side have one scale.
Colouring GraphArea::coloursOf(const DrawingPointer &drawing)
{
    Colouring colours = m_bench.colours.colours(drawing);
    if (!drawing || !m_bench.sides.isShown() || !colours.metric || colours.metric->isCategorical())
        return colours;
    const Side side = drawing->snapshot == m_bench.sides.before() ? Side::Before : Side::Now;
    const DrawingPointer &other = m_sides->canvas(otherSide(side)).drawing();
    const Colouring beside = m_bench.colours.colours(other);
    if (!other || !beside.metric || beside.range == MetricRange())
        return colours;
    colours.range = colours.range == MetricRange()
                        ? beside.range
                        : MetricRange{std::min(colours.range.least, beside.range.least),
                                      std::max(colours.range.most, beside.range.most)};
    return colours;
}

void GraphArea::listMetrics()
{
    QComboBox &box = m_page->colourBox();
    const QSignalBlocker blocker(box);
    box.clear();
    for (const auto &[title, key] : m_bench.colours.metrics())
        box.addItem(title, key);
    box.insertSeparator(box.count());
    box.addItem(tr("Load data…"), loadKey);
    box.setCurrentIndex(std::max(0, box.findData(m_bench.colours.chosen())));
}

void GraphArea::activate(const Item &item)
{
    const SnapshotPointer &shown = m_bench.navigator.shown();
    if (m_bench.view.toggle(item))
        return;
    m_bench.selection.select(item);
    if (item.isGroup()) {
        m_page->canvas().reveal(item); // groups are not expanded
        return;
    }
    if (item.kind == Item::Kind::Captured) {
        m_bench.navigator.go({shown->around->path, sourceOf(*shown, item.tensor())});
        return;
    }
    if (item.kind == Item::Kind::Node && !shown->facts->nestedIn(item.node()).empty())
        openNested();
    else if (!m_bench.drawings.openAround(item)) // expand the groups around the node
        m_page->canvas().zoomToItem(item);
}

/// Does on the canvas of the other plan what activate() does on that of the current one.
void GraphArea::activateOther(const Item &item)
{
    Sides &sides = m_bench.sides;
    if (item.isGroup()) {
        sides.toggleCollapsed(item);
        return;
    }
    sides.selection(Side::Before).select(item);
    if (!sides.openAround(item))
        m_sides->canvas(Side::Before).zoomToItem(item);
}

void GraphArea::showOtherMenu(const Item &item, const QPoint &globalPlace)
{
    const Actions &a = m_bench.actions;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("otherMenu"));
    if (const SnapshotPointer &before = m_bench.sides.before(); before && item) {
        const DrawingPointer &drawing = m_sides->canvas(Side::Before).drawing();
        menu->addAction(a.zoomSelection);
        if (const Item group = drawing ? drawing->graph.groupAround(item) : Item())
            menu->addAction(a.toggleGroup->text(), &m_bench.sides,
                            [this, group] { m_bench.sides.toggleCollapsed(group); });
        menu->addSeparator();
    }
    menu->addActions({a.nextDifference, a.previousDifference});
    menu->addSeparator();
    menu->addActions({a.fit, a.linkSides, a.switchSide, a.sideBySide});
    menu->addSeparator();
    menu->addAction(a.exportPicture);
    menu->popup(globalPlace);
}

/// Shows a menu if the node has several graphs, such as the branches of an If.
void GraphArea::openNested()
{
    const Item item = m_bench.selection.item();
    const SnapshotPointer shown = m_bench.navigator.shown();
    const auto nested = shown->facts->nestedIn(item.node());
    if (nested.size() == 1) {
        m_bench.navigator.go({insideOf(shown, nested.front().step)->path, {}});
        return;
    }
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("branchMenu"));
    addNestedTo(*menu, item);
    menu->setActiveAction(menu->actions().front());
    menu->popup(m_page->canvas().globalPlaceOf(item));
}

void GraphArea::addNestedTo(QMenu &menu, const Item &item)
{
    const SnapshotPointer &shown = m_bench.navigator.shown();
    if (item.kind != Item::Kind::Node)
        return;
    for (const NestedGraph &nested : shown->facts->nestedIn(item.node())) {
        Place inside{shown->path, {}};
        inside.path.push_back(nested.step);
        menu.addAction(m_bench.actions.openNested->icon(),
                       tr("Open %1").arg(nestedSummary({&nested, 1})), &m_bench.navigator,
                       [this, inside] { m_bench.navigator.go(inside); });
    }
}

void GraphArea::showMenu(const Item &item, const QPoint &globalPlace)
{
    if (!m_bench.navigator.shown())
        return;
    const Actions &a = m_bench.actions;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("itemMenu"));
    addNestedTo(*menu, item);
    if (item.kind == Item::Kind::Captured)
        menu->addAction(a.goUp->icon(), tr("Go to its producer"), this,
                        [this, item] { activate(item); });
    menu->addSeparator();
    if (item)
        menu->addActions({a.zoomSelection, a.focus, a.focusWays});
    if (a.inspectTensor->isEnabled())
        menu->addAction(a.inspectTensor);
    if (item.kind == Item::Kind::Node)
        menu->addAction(a.showOriginals);
    if (a.toggleGroup->isEnabled() && item.kind != Item::Kind::None)
        menu->addAction(a.toggleGroup);
    if (item && !m_bench.navigator.isInside()) {
        menu->addSeparator();
        if (item.kind == Item::Kind::Fission)
            m_bench.fissionEdits.addTo(*menu);
        else
            m_bench.edits.addTo(*menu);
        menu->addSeparator();
    }
    menu->addActions({a.fit, a.goUp, a.goBack});
    menu->addSeparator();
    menu->addActions({a.exportPicture, a.exportTable});
    menu->popup(globalPlace);
}

} // namespace graphloom
