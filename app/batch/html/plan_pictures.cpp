// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/plan_pictures.h"

#include "app/batch/html/themed_svg.h"
#include "app/common/format.h"
#include "app/drawing/graph_picture.h"
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

/// Collects pictures, each drawn in both themes.
class PagePictures {
public:
    PagePictures(Theme light, Theme dark) : m_light(std::move(light)), m_dark(std::move(dark)) {}

    void add(const char *section, const std::optional<ViewPicture> &picture)
    {
        if (!picture)
            return;
        PictureOptions look{.theme = m_light, .title = false, .size = chartSize};
        const auto light = svgOf(*picture, look);
        look.theme = m_dark;
        const auto dark = svgOf(*picture, look);
        ThemedSvg themed = themedSvg({light->data(), std::size_t(light->size())},
                                     {dark->data(), std::size_t(dark->size())},
                                     "p" + std::to_string(m_made.size()) + "-");
        HtmlPicture made{section,
                         picture->title.toStdString(),
                         {},
                         std::move(themed.svg),
                         std::move(themed.style),
                         !picture->scalable};
        for (const QString &note : picture->notes)
            made.notes.push_back(note.toStdString());
        m_made.push_back(std::move(made));
    }
    std::vector<HtmlPicture> take() { return std::move(m_made); }

private:
    Theme m_light, m_dark;
    std::vector<HtmlPicture> m_made;
};

void addGraphs(PagePictures &pictures, const SnapshotPointer &snapshot, std::stop_token stop)
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
            pictures.add("graph", graphPicture(drawing, NodeColours::OperatorClass));
    }
}

void addMemory(PagePictures &pictures, const Snapshot &snapshot, std::stop_token stop)
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
    pictures.add("memory", memoryPicture(scene, notes));
}

void addPareto(PagePictures &pictures, const Plan &plan)
{
    if (!plan.memory)
        return;
    const auto points = std::make_shared<ParetoData>();
    points->device = fromUtf8(plan.memory->device);
    points->series = paretoOf(*plan.memory);
    ParetoView view;
    view.setPoints(points, false);
    pictures.add("pareto", view.picture());
}

void addSearch(PagePictures &pictures, const Plan &plan)
{
    if (!plan.search)
        return;
    PassRun run;
    run.number = 1;
    run.pass = plan.history.empty() ? "search" : plan.history.back().pass;
    run.search = plan.search;
    SearchView view;
    view.show({run});
    pictures.add("search", view.picture());
}

void addPartition(PagePictures &pictures, const SnapshotPointer &snapshot)
{
    HistogramView view;
    view.setSnapshot(snapshot);
    pictures.add("partition", view.picture());
}

void addRoofline(PagePictures &pictures, const PictureContent &content,
                 const std::shared_ptr<const Plan> &plan)
{
    if (!content.outcome || !content.outcome->after)
        return;
    PlanRun run;
    run.plan = plan;
    run.outcome = *content.outcome;
    run.device = content.device;
    run.noDevice = fromUtf8(content.noDevice);
    RooflineView view;
    view.setRun(planRunOf(std::move(run)));
    pictures.add("kernels", view.picture());
}

} // namespace

Result<std::vector<HtmlPicture>> drawPlanPictures(const PictureContent &content,
                                                  std::stop_token stop)
{
    auto light = loadTheme(QStringLiteral("light")), dark = loadTheme(QStringLiteral("dark"));
    if (!light || !dark)
        return tl::unexpected((light ? dark : light).error());
    PagePictures pictures(*std::move(light), *std::move(dark));
    const auto plan = std::make_shared<const Plan>(content.plan);
    const SnapshotPointer snapshot = snapshotOf(plan, nullptr, stop);
    if (!snapshot)
        return pictures.take();
    addGraphs(pictures, snapshot, stop);
    addPartition(pictures, snapshot);
    addMemory(pictures, *snapshot, stop);
    addPareto(pictures, *plan);
    addSearch(pictures, *plan);
    addRoofline(pictures, content, plan);
    return pictures.take();
}

} // namespace graphloom
