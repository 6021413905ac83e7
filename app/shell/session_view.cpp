// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/session_view.h"

#include "app/graph/canvas_page.h"
#include "app/sides/sides_view.h"
#include "app/workbench/workbench.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace graphloom {

namespace {

constexpr const char *viewKey = "view"; // key of the view in a session
constexpr double leastSide = 0.05;      // of the width that each of two plans has

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

DrawingView viewOf(const QJsonObject &saved)
{
    return {std::clamp(saved["scale"].toDouble(1), leastViewScale, mostViewScale),
            QPointF(saved["x"].toDouble(), saved["y"].toDouble()), saved["fitted"].toBool()};
}

} // namespace

SessionView::SessionView(Workbench &bench, CanvasPage &page, SidesView &sides,
                         std::map<GraphPath, DrawingView> &views)
    : m_bench(bench), m_page(page), m_sides(sides), m_views(views)
{
    // A comparison that failed has left them.
    connect(&bench.comparison.comparer(), &PlanComparer::started, &sides, &SidesView::forgetFirst);
}

std::map<std::string, std::string> SessionView::state() const
{
    const ViewOptions &options = m_bench.drawings.options();
    const DrawingView view = m_page.canvas().view();
    QJsonObject state{{"grouping", int(options.grouping)},
                      {"columns", options.columns},
                      {"scale", view.scale},
                      {"x", view.centre.x()},
                      {"y", view.centre.y()},
                      {"fitted", view.fitted}};
    if (m_bench.sides.isShown())
        state["sides"] = sidesState();
    if (const SnapshotPointer &shown = m_bench.navigator.shown()) {
        state["path"] = jsonOf(shown->path);
        if (const Item &item = m_bench.selection.item())
            state["selected"] = QJsonArray{int(item.kind), qint64(item.index)};
    }
    return {{viewKey, QJsonDocument(state).toJson(QJsonDocument::Compact).toStdString()}};
}

QJsonObject SessionView::sidesState() const
{
    const ComparisonController::Source &source = m_bench.comparison.source();
    const DrawingView view = m_sides.canvas(Side::Before).view();
    return {{"with", int(source.kind)},
            {"run", source.run},
            {"file", QString::fromStdString(source.file.string())},
            {"linked", m_bench.actions.linkSides->isChecked()},
            {"share", m_sides.share()},
            {"scale", view.scale},
            {"x", view.centre.x()},
            {"y", view.centre.y()},
            {"fitted", view.fitted}};
}

void SessionView::restoreSides(const QJsonObject &saved)
{
    using Kind = ComparisonController::Source::Kind;
    ComparisonController::Source source;
    source.kind = Kind(std::clamp(saved["with"].toInt(), 0, int(Kind::File)));
    source.run = saved["run"].toInt();
    source.file = saved["file"].toString().toStdString();
    m_bench.actions.linkSides->setChecked(saved["linked"].toBool(true));
    if (!m_bench.comparison.showBeside(source)) {
        m_bench.warn(tr("The plan shown side by side is no longer in the session: choose another "
                        "one in the Compare menu"));
        return;
    }
    m_sides.setFirstView(viewOf(saved));
    m_sides.setFirstShare(std::clamp(saved["share"].toDouble(0.5), leastSide, 1 - leastSide));
}

void SessionView::restore(const std::map<std::string, std::string> &saved)
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
    m_views[path] = viewOf(state);
    Item item;
    if (const QJsonArray selected = state["selected"].toArray(); selected.size() == 2)
        item = {Item::Kind(selected[0].toInt()), std::uint32_t(selected[1].toInteger())};
    if (!path.empty())
        m_bench.navigator.go({path, item});
    else if (snapshot->contains(item))
        m_bench.selection.select(item);
    if (state.contains("sides"))
        restoreSides(state["sides"].toObject());
}

} // namespace graphloom
