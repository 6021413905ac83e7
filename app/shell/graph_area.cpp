// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/graph_area.h"

#include "app/common/format.h"
#include "app/drawing/graph_picture.h"
#include "app/drawing/legend.h"
#include "app/graph/breadcrumbs.h"
#include "app/graph/canvas_page.h"
#include "app/graph/focus_bar.h"
#include "app/help/welcome_page.h"
#include "app/nodes/node_list_panel.h"
#include "app/query/search_bar.h"
#include "app/workbench/workbench.h"

#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QSignalBlocker>
#include <QTimer>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int busyPatience = 200; // milliseconds before a layout is announced
constexpr double zoomStep = 1.25;
constexpr double leastScale = 0.004, mostScale = 4; // limits of a view from a session
constexpr const char *viewKey = "view";             // key of the view in a session
const QString loadKey = QStringLiteral("load");     // entry of the colour box that is not a colour

QJsonArray jsonOf(const GraphPath &path)
{
    QJsonArray steps;
    for (const GraphStep &step : path)
        steps << QJsonArray{qint64(step.node.index), qint64(step.index)};
    return steps;
}

GraphPath graphPathOf(const QJsonArray &steps)
{
    GraphPath path;
    for (const QJsonValue &step : steps)
        path.push_back(
            {NodeId{std::uint32_t(step[0].toInteger())}, std::uint32_t(step[1].toInteger())});
    return path;
}

} // namespace

GraphArea::GraphArea(Workbench &bench)
    : m_bench(bench), m_welcome(new WelcomePage(bench.actions.open, bench.actions.recover)),
      m_page(new CanvasPage(bench.selection, bench.actions.goUp)), m_busyPatience(new QTimer(this))
{
    addWidget(m_welcome);
    addWidget(m_page);
    m_page->search().setJobs(&bench.jobs);
    m_busyPatience->setSingleShot(true);
    m_busyPatience->setInterval(busyPatience);
    connect(m_busyPatience, &QTimer::timeout, this,
            [this] { m_page->setBusy(tr("Computing the layout…")); });
    bench.placeOf = [this](const Item &item) { return m_page->canvas().globalPlaceOf(item); };
    bench.documents.viewState = [this] { return viewState(); };
    bench.documents.drawing = [this] { return m_page->canvas().drawing(); };
    connect(&bench.session, &Session::snapshotChanged, this, &GraphArea::showPage);
    connect(&bench.session, &Session::openingFinished, this, [this](bool succeeded) {
        if (succeeded)
            restoreView(m_bench.session.savedView());
    });
    connect(&bench, &Workbench::modelChanged, this, [this] {
        m_bench.drawings.setAspect(double(width()) / std::max(1, height()));
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
}

void GraphArea::connectActions()
{
    const Actions &a = m_bench.actions;
    GraphCanvas &canvas = m_page->canvas();
    const auto on = [this](QAction *action, auto slot) {
        connect(action, &QAction::triggered, this, slot);
    };
    on(a.find, [this] { m_page->search().open(); });
    on(a.findNext, [this] { m_page->search().next(); });
    on(a.findPrevious, [this] { m_page->search().previous(); });
    on(a.zoomIn, [&canvas] { canvas.zoomBy(zoomStep); });
    on(a.zoomOut, [&canvas] { canvas.zoomBy(1 / zoomStep); });
    on(a.zoomNormal, [&canvas] { canvas.zoomTo(1); });
    on(a.fit, [&canvas] { canvas.fit(); });
    on(a.zoomSelection, [this, &canvas] { canvas.zoomToItem(m_bench.selection.item()); });
    on(a.openNested, [this] { openNested(); });
    on(a.toggleGroup, [this] {
        const DrawingPointer &drawing = m_page->canvas().drawing();
        const Item group = drawing ? drawing->graph.groupAround(m_bench.selection.item()) : Item();
        if (group)
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
    connect(&canvas, &GraphCanvas::activated, this, &GraphArea::activate);
    connect(&canvas, &GraphCanvas::menuRequested, this, &GraphArea::showMenu);
    const auto showAll = [&drawings] { drawings.setFocus({}); };
    connect(&canvas, &GraphCanvas::allWanted, this, showAll);
    connect(&m_page->focusBar(), &FocusBar::allWanted, this, showAll);
    connect(&m_page->focusBar(), &FocusBar::focusWanted, &drawings, &DrawingController::setFocus);
    connect(&m_page->breadcrumbs(), &Breadcrumbs::chosen, &m_bench.navigator, &Navigator::go);
    connect(&m_page->search(), &SearchBar::chosenElsewhere, &m_bench.navigator, &Navigator::go);
    connect(&drawings, &DrawingController::ready, this, &GraphArea::showDrawing);
    connect(&drawings, &DrawingController::started, m_busyPatience, qOverload<>(&QTimer::start));
    connect(&drawings, &DrawingController::cancelled, this, [this] {
        m_busyPatience->stop();
        m_page->setBusy({});
    });
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
    m_page->legend().setTheme(theme);
}

ViewExport GraphArea::exports()
{
    const auto picture = [this]() -> std::optional<ViewPicture> {
        const DrawingPointer &drawing = m_page->canvas().drawing();
        if (!drawing)
            return std::nullopt;
        return graphPicture(drawing, m_bench.colours.colours(drawing));
    };
    return {QStringLiteral("graph"), tr("Graph"), &m_page->canvas(), picture, {}};
}

bool GraphArea::isSettled() const
{
    if (m_page->search().isSearching())
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
    m_busyPatience->stop();
    canvas.setDrawing(drawing);
    m_page->focusBar().show(drawing);
    colourNodes(); // the drawn items have changed
    if (fresh) {
        const auto view = m_views.find(drawing->snapshot->path);
        if (view != m_views.end())
            canvas.setView(view->second);
        else
            canvas.fitReadable();
        canvas.reveal(m_bench.selection.item());
    }
    m_page->setBusy({});
}

void GraphArea::showGrouping(Grouping grouping)
{
    m_page->legend().setGrouping(grouping);
}

void GraphArea::colourNodes()
{
    const Colouring colours = m_bench.colours.colours(m_page->canvas().drawing());
    m_page->legend().setMetric(colours.metric, colours.range);
    if (m_theme && (m_theme != m_shownTheme || colours != m_shownColours)) {
        m_shownTheme = m_theme;
        m_shownColours = colours;
        m_page->canvas().setAppearance(m_theme, colours);
    }
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

std::map<std::string, std::string> GraphArea::viewState() const
{
    const ViewOptions &options = m_bench.drawings.options();
    const GraphCanvas::View view = m_page->canvas().view();
    QJsonObject state{{"grouping", int(options.grouping)},
                      {"columns", options.columns},
                      {"scale", view.scale},
                      {"x", view.centre.x()},
                      {"y", view.centre.y()}};
    if (const SnapshotPointer &shown = m_bench.navigator.shown()) {
        state["path"] = jsonOf(shown->path);
        if (const Item &item = m_bench.selection.item())
            state["selected"] = QJsonArray{int(item.kind), qint64(item.index)};
    }
    return {{viewKey, QJsonDocument(state).toJson(QJsonDocument::Compact).toStdString()}};
}

void GraphArea::restoreView(const std::map<std::string, std::string> &saved)
{
    const auto found = saved.find(viewKey);
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (found == saved.end() || !snapshot)
        return;
    const QJsonObject state =
        QJsonDocument::fromJson(QByteArray::fromStdString(found->second)).object();
    const int last = int(Grouping::Fissions);
    m_bench.view.choose(Grouping(std::clamp(state["grouping"].toInt(), 0, last)));
    m_bench.actions.columns->setChecked(state["columns"].toBool(true));
    const GraphPath path = graphPathOf(state["path"].toArray());
    m_views[path] = {std::clamp(state["scale"].toDouble(1), leastScale, mostScale),
                     QPointF(state["x"].toDouble(), state["y"].toDouble())};
    Item item;
    if (const QJsonArray selected = state["selected"].toArray(); selected.size() == 2)
        item = {Item::Kind(selected[0].toInt()), std::uint32_t(selected[1].toInteger())};
    if (!path.empty())
        m_bench.navigator.go({path, item});
    else if (snapshot->contains(item))
        m_bench.selection.select(item);
}

} // namespace graphloom
