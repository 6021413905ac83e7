// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/graphviz_layout.h"

#include "app/common/format.h"
#include "app/layout/dot_file.h"
#include "app/layout/plain_layout.h"

#include <QElapsedTimer>
#include <QProcess>

namespace graphloom {

namespace {

constexpr int mostMilliseconds = 30'000, patience = 30;

layout::DotGraph dotGraphOf(const VisibleGraph &graph, const Snapshot &snapshot, bool withSizes)
{
    layout::DotGraph dot;
    dot.name = snapshot.graph().name();
    const layout::Input input = withSizes ? layoutInputOf(graph) : layout::Input();
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
        const VisibleGraph::Node &node = graph.nodes[v];
        layout::DotGraph::Node written;
        // The layout only needs numbers; exported files keep the names of the model.
        written.name = std::to_string(v);
        if (withSizes) {
            written.width = input.nodes[v].width;
            written.height = input.nodes[v].height;
        } else {
            if (node.item.kind == Item::Kind::Node &&
                !snapshot.graph().node(node.item.node()).name.empty())
                written.name += ' ' + snapshot.graph().node(node.item.node()).name;
            written.label = (node.title + '\n' + node.subtitle).toStdString();
        }
        written.cluster = node.group;
        dot.nodes.push_back(std::move(written));
    }
    for (const VisibleGraph::Edge &edge : graph.edges)
        dot.edges.push_back({edge.source, edge.target, {}});
    for (const VisibleGraph::Group &group : graph.groups)
        dot.clusters.push_back({snapshot.titleOf(group.item).toStdString(), group.parent});
    return dot;
}

} // namespace

Result<std::string> dotOf(const Drawing &drawing)
{
    return layout::writeDot(dotGraphOf(drawing.graph, *drawing.snapshot, false));
}

Result<DrawingPointer> drawByGraphviz(const SnapshotPointer &snapshot, const ViewOptions &options,
                                      std::stop_token stop)
{
    ViewOptions shown = options;
    bool connected = true;
    if (shown.focus)
        shown.only = nodesInFocus(*snapshot, options, &connected);
    VisibleGraph graph = visibleGraphOf(*snapshot, shown);
    if (graph.nodes.size() > mostGraphvizNodes)
        return fail(Error::Kind::Usage,
                    "Graphviz would take too long for " + std::to_string(graph.nodes.size()) +
                        " visible nodes (at most " + std::to_string(mostGraphvizNodes) +
                        "); collapse subgraphs first");
    GL_TRY_CONST(dot, layout::writeDot(dotGraphOf(graph, *snapshot, true)));
    QProcess process;
    process.start(QStringLiteral("dot"),
                  {QStringLiteral("-Tplain"), QStringLiteral("-Grankdir=TB"),
                   QStringLiteral("-Gnodesep=0.35"), QStringLiteral("-Granksep=0.45"),
                   QStringLiteral("-Gmargin=0")});
    if (!process.waitForStarted())
        return fail(Error::Kind::Missing,
                    "the program dot was not found; install the package graphviz");
    process.write(dot->data(), qint64(dot->size()));
    process.closeWriteChannel();
    QElapsedTimer timer;
    timer.start();
    while (!process.waitForFinished(patience) && process.state() != QProcess::NotRunning) {
        if (!stop.stop_requested() && timer.elapsed() < mostMilliseconds)
            continue;
        process.kill();
        process.waitForFinished();
        if (stop.stop_requested())
            return nullptr;
        return fail(Error::Kind::Fault, "Graphviz took more than 30 s and was stopped");
    }
    if (stop.stop_requested())
        return nullptr;
    if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return fail(Error::Kind::Fault,
                    "Graphviz failed: " + process.readAllStandardError().left(300).toStdString());
    const QByteArray answer = process.readAllStandardOutput();
    GL_TRY_CONST(layout, layout::readPlain({answer.data(), std::size_t(answer.size())},
                                           layoutInputOf(graph)));
    return drawingOf(snapshot, std::move(shown), std::move(graph), *layout, connected);
}

} // namespace graphloom
