// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/html/plan_pictures.h"

#include "app/common/format.h"
#include "app/drawing/graph_picture.h"
#include "app/html/themed_svg.h"
#include "app/kernels/roofline_view.h"
#include "app/pareto/pareto_view.h"
#include "app/runs/search_view.h"
#include "app/timeline/timeline_painter.h"
#include "app/widgets/histogram_view.h"

#include <QCoreApplication>

namespace graphloom {

namespace {

constexpr QSizeF chartSize{960, 400};

struct PlanPictureText {
    Q_DECLARE_TR_FUNCTIONS(HtmlPictures)
};

using SectionPictures = std::vector<SectionPicture>;

void addPicture(SectionPictures &pictures, const char *section, std::optional<ViewPicture> picture)
{
    if (picture)
        pictures.push_back({section, *std::move(picture)});
}

void addGraphs(SectionPictures &pictures, const SnapshotPointer &snapshot, std::stop_token stop)
{
    std::vector<Grouping> groupings;
    if (snapshot->groups(Grouping::Blocks))
        groupings.push_back(Grouping::Blocks);
    if (snapshot->groups(Grouping::Subgraphs))
        groupings.push_back(Grouping::Subgraphs);
    if (groupings.empty())
        groupings.push_back(Grouping::None);
    for (const Grouping grouping : groupings) {
        ViewOptions options;
        options.grouping = grouping;
        for (const Item &group : initiallyCollapsed(*snapshot))
            if (groupingOf(group) == grouping)
                options.collapsed.insert(group);
        if (const DrawingPointer drawing = draw(snapshot, options, stop))
            addPicture(pictures, "graph", graphPicture(drawing, NodeColours::OperatorClass));
    }
}

void addMemory(SectionPictures &pictures, const Snapshot &snapshot, std::stop_token stop)
{
    TimelineScene scene;
    scene.timeline = timelineOf(snapshot, stop);
    if (!scene.timeline || scene.timeline->isEmpty())
        return;
    scene.compared = timelineBefore(*snapshot.plan);
    scene.comparedName = PlanPictureText::tr("before");
    scene.look.inTime = scene.timeline->timed;
    QStringList notes{PlanPictureText::tr("peak %1 (modelled) at step %2 of %3 · %4")
                          .arg(formatBytes(double(scene.timeline->peakBytes)))
                          .arg(scene.timeline->peakStep)
                          .arg(scene.timeline->stepCount())
                          .arg(scene.timeline->origin)};
    notes += scene.timeline->notes;
    addPicture(pictures, "memory", memoryPicture(scene, notes));
}

void addPareto(SectionPictures &pictures, const Plan &plan)
{
    if (!plan.memory)
        return;
    const auto points = std::make_shared<ParetoData>();
    points->device = fromUtf8(plan.memory->device);
    points->series = paretoOf(plan);
    ParetoView view;
    view.setPoints(points, false);
    addPicture(pictures, "pareto", view.picture());
}

void addSearch(SectionPictures &pictures, const Plan &plan)
{
    if (!plan.search)
        return;
    PassRun run;
    run.number = 1;
    run.pass = plan.history.empty() ? "search" : plan.history.back().pass;
    run.search = plan.search;
    SearchView view;
    view.show({run});
    addPicture(pictures, "search", view.picture());
}

void addPartition(SectionPictures &pictures, const SnapshotPointer &snapshot)
{
    HistogramView view;
    view.setSnapshot(snapshot);
    addPicture(pictures, "partition", view.picture());
}

void addRoofline(SectionPictures &pictures, const PictureContent &content,
                 const std::shared_ptr<const Plan> &plan)
{
    if (!content.outcome || !content.outcome->after)
        return;
    PlanRun run;
    run.plan = plan;
    run.outcome = *content.outcome;
    run.device = content.device;
    run.noDevice = content.noDevice;
    RooflineView view;
    view.setRun(planRunOf(std::move(run)));
    addPicture(pictures, "kernels", view.picture());
}

} // namespace

std::vector<SectionPicture> planCharts(const PictureContent &content,
                                       const SnapshotPointer &snapshot)
{
    SectionPictures pictures;
    addPartition(pictures, snapshot);
    addPareto(pictures, *snapshot->plan);
    addSearch(pictures, *snapshot->plan);
    addRoofline(pictures, content, snapshot->plan);
    return pictures;
}

std::vector<SectionPicture> planDrawings(const SnapshotPointer &snapshot,
                                         const std::stop_token &stop)
{
    SectionPictures pictures;
    addGraphs(pictures, snapshot, stop);
    addMemory(pictures, *snapshot, stop);
    return pictures;
}

Result<PagePainter> PagePainter::withThemes()
{
    auto light = loadTheme(QStringLiteral("light")), dark = loadTheme(QStringLiteral("dark"));
    if (!light || !dark)
        return tl::unexpected((light ? dark : light).error());
    return PagePainter(*std::move(light), *std::move(dark));
}

HtmlPicture PagePainter::painted(const SectionPicture &picture, std::size_t number) const
{
    const ViewPicture &view = picture.picture;
    PictureOptions look{.theme = m_light, .title = false, .size = chartSize};
    const auto light = svgOf(view, look);
    look.theme = m_dark;
    const auto dark = svgOf(view, look);
    ThemedSvg themed =
        themedSvg({light->data(), std::size_t(light->size())},
                  {dark->data(), std::size_t(dark->size())}, "p" + std::to_string(number) + "-");
    HtmlPicture made{picture.section,       view.title.toStdString(), {},
                     std::move(themed.svg), std::move(themed.style),  !view.scalable};
    for (const QString &note : view.notes)
        made.notes.push_back(note.toStdString());
    return made;
}

Result<std::vector<HtmlPicture>> drawPlanPictures(const PictureContent &content,
                                                  std::stop_token stop)
{
    GL_TRY_CONST(painter, PagePainter::withThemes());
    std::vector<HtmlPicture> painted;
    const SnapshotPointer snapshot =
        snapshotOf(std::make_shared<const Plan>(content.plan), nullptr, stop);
    if (!snapshot)
        return painted;
    for (const auto &pictures : {planDrawings(snapshot, stop), planCharts(content, snapshot)})
        for (const SectionPicture &picture : pictures)
            painted.push_back(painter->painted(picture, painted.size()));
    return painted;
}

} // namespace graphloom
