// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/drawing.h"

#include "tests/support/app/module_graphs.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/layout_checks.h"
#include "tests/support/synthetic_graphs.h"

namespace graphloom::test::drawing_test {

class DrawingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const SnapshotPointer snapshot = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(snapshot);
        m_drawing = draw(snapshot, {}, {});
        QVERIFY(m_drawing);
    }

    void spatialIndexFindsWhatIsThere()
    {
        SpatialIndex index(QRectF(-100, -100, 3000, 2000));
        index.insert(0, QRectF(-100, -100, 10, 10));
        index.insert(1, QRectF(0, 0, 2900, 1900)); // over many cells, reported once
        index.insert(2, QRectF(2890, 1890, 10, 10));
        QCOMPARE(index.in(QRectF(-99, -99, 1, 1)),
                 std::vector<std::uint32_t>({0, 1})); // candidates of the cell
        QCOMPARE(index.in(QRectF(2895, 1895, 1, 1)), std::vector<std::uint32_t>({1, 2}));
        QCOMPARE(index.in(QRectF(-5000, -5000, 20000, 20000)).size(), std::size_t(3));
        QVERIFY(SpatialIndex().in(QRectF(0, 0, 1, 1)).empty());
    }

    void aPlaceHasItsItem()
    {
        for (std::uint32_t v = 0; v < m_drawing->nodes.size(); ++v)
            QCOMPARE(m_drawing->itemAt(m_drawing->nodes[v].center()),
                     m_drawing->graph.nodes[v].item);
    }

    void theGroundOfASubgraphIsTheSubgraph()
    {
        for (std::size_t g = 0; g < m_drawing->groups.size(); ++g)
            QCOMPARE(m_drawing->itemAt(m_drawing->groups[g].topLeft() + QPointF(2, 2)),
                     m_drawing->graph.groups[g].item);
    }

    void edgesAreTensors()
    {
        std::size_t drawn = 0;
        for (std::uint32_t e = 0; e < m_drawing->edges.size(); ++e) {
            if (m_drawing->edges[e].isEmpty())
                continue; // a stub
            ++drawn;
            const QPainterPath &edge = m_drawing->edges[e];
            const QPointF below = edge.pointAtPercent(edge.percentAtLength(2)); // crosses no other
            QCOMPARE(m_drawing->tensorAt(below, 1),
                     std::optional(m_drawing->graph.edges[e].tensor));
            QVERIFY(m_drawing->tensorAt(edge.pointAtPercent(0.5), 1));
        }
        QVERIFY(drawn > 50);
        QVERIFY(!m_drawing->tensorAt(m_drawing->nodes.front().center(), 4));
        QVERIFY(!m_drawing->tensorAt(m_drawing->bounds.bottomRight() + QPointF(50, 50), 4));
    }

    void outsideIsNothing()
    {
        QCOMPARE(m_drawing->itemAt(m_drawing->bounds.bottomRight() + QPointF(5, 5)), Item());
    }

    void groupsHoldTheirNodes()
    {
        for (std::size_t v = 0; v < m_drawing->nodes.size(); ++v)
            if (const auto group = m_drawing->graph.nodes[v].group; group != VisibleGraph::none)
                QVERIFY(m_drawing->groups[group].contains(m_drawing->nodes[v]));
    }

    /// Whatever is collapsed, nothing overlaps and lines run downwards.
    void nestedModules_data()
    {
        QTest::addColumn<QString>("model");
        for (const char *model : {"mobilenet_v2_224.onnx", "shufflenet_v2_x1_0_224.onnx",
                                  "mobilevit_s_256.onnx", "bert_tiny.onnx"})
            QTest::newRow(model) << QString::fromLatin1(model);
    }

    void nestedModules()
    {
        QFETCH(QString, model);
        const SnapshotPointer snapshot = test::snapshotOfSample(model.toStdString());
        for (std::uint32_t levels = 0; levels <= snapshot->modules->depth; ++levels) {
            ViewOptions options;
            options.grouping = Grouping::Modules;
            options.collapsed = groupsBelow(*snapshot, Grouping::Modules, levels);
            const layout::Input input = layoutInputOf(visibleGraphOf(*snapshot, options));
            for (const double aspect : {0.0, 1.6}) {
                layout::Options how;
                how.aspect = aspect;
                const auto drawing = layout::arrange(input, how);
                const std::string defect = test::defectOf(input, *drawing, aspect == 0);
                QVERIFY2(defect.empty(), defect.c_str());
            }
        }
    }

    void randomModules()
    {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto snapshot = test::snapshotOfGraph(test::randomModules(90, seed));
            ViewOptions options;
            options.grouping = Grouping::Modules;
            options.collapsed = groupsBelow(*snapshot, Grouping::Modules, seed % 4);
            const layout::Input input = layoutInputOf(visibleGraphOf(*snapshot, options));
            const auto drawing = layout::arrange(input);
            const std::string defect = test::defectOf(input, *drawing, true);
            QVERIFY2(defect.empty(),
                     qPrintable(QString("seed %1: %2").arg(seed).arg(defect.c_str())));
        }
    }

    void theGroundOfAnInnerBoxIsTheInnerGroup()
    {
        ViewOptions options;
        options.grouping = Grouping::Modules;
        const auto drawing = draw(test::snapshotOfSample("mobilenet_v2_224.onnx"), options, {});
        for (std::size_t g = 0; g < drawing->groups.size(); ++g)
            QCOMPARE(drawing->itemAt(drawing->groups[g].topLeft() + QPointF(2, 2)),
                     drawing->graph.groups[g].item);
    }

    void aFocusLeavesTheRestOut()
    {
        const SnapshotPointer snapshot = m_drawing->snapshot;
        ViewOptions options;
        options.focus = {{Item::of(snapshot->graph().order()[20])}, 1, 1, false};
        const auto drawing = draw(snapshot, options, {});
        QVERIFY(drawing->graph.nodes.size() < 8);
        QCOMPARE(drawing->options.only.size(), drawing->graph.nodes.size());
    }

    void groupTitlesFit()
    {
        for (std::size_t g = 0; g < m_drawing->groups.size(); ++g)
            QVERIFY2(m_drawing->titleWidths[g] <= m_drawing->groups[g].width(),
                     qPrintable(m_drawing->graph.groups[g].subtitle));
    }

    void downAndUpFollowEdges()
    {
        const Item first = m_drawing->graph.nodes.front().item;
        const Item next = m_drawing->neighbour(first, Drawing::Direction::Down);
        QCOMPARE(next.kind, Item::Kind::Node);
        QCOMPARE(m_drawing->neighbour(next, Drawing::Direction::Up), first);
        QCOMPARE(m_drawing->neighbour(first, Drawing::Direction::Up), Item());
    }

    void walkingDownEndsAtAnOutput()
    {
        Item item = m_drawing->graph.nodes.front().item;
        std::size_t steps = 0;
        for (Item next = item; next && steps <= m_drawing->nodes.size(); ++steps) {
            item = next;
            next = m_drawing->neighbour(item, Drawing::Direction::Down);
        }
        QCOMPARE(item.kind, Item::Kind::Output);
    }

    void outOfABoxTheKeysLeadToItsEnds()
    {
        const auto &nodes = m_drawing->snapshot->plan->partition->subgraphs[0].nodes;
        QCOMPARE(m_drawing->neighbour(Item::subgraph(0), Drawing::Direction::Up),
                 Item::of(nodes.front()));
        QCOMPARE(m_drawing->neighbour(Item::subgraph(0), Drawing::Direction::Down),
                 Item::of(nodes.back()));
    }

    void aMaskIsDrawnAsStubs()
    {
        const auto plan = test::planOf(test::modelOf(test::transformer(800, true)));
        const auto drawing = draw(snapshotOf(plan, nullptr, {}), {}, {});
        QVERIFY(drawing);
        const auto stubs = std::count_if(drawing->edges.begin(), drawing->edges.end(),
                                         [](const auto &path) { return path.isEmpty(); });
        QVERIFY(stubs > 0);
        const auto labelled = std::count_if(drawing->inStubText.begin(), drawing->inStubText.end(),
                                            [](const auto &text) { return !text.isEmpty(); });
        QCOMPARE(labelled, stubs);
    }

    void aStubSaysWhereItLeads()
    {
        const auto plan = test::planOf(test::modelOf(test::unet(1400)));
        const auto drawing = draw(snapshotOf(plan, nullptr, {}), {}, {});
        QVERIFY(drawing);
        const auto &texts = drawing->outStubText;
        QVERIFY(std::count(texts.begin(), texts.end(), QStringLiteral("to Concat")) > 10);
    }

    void stoppedIsNull()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!draw(m_drawing->snapshot, {}, stop.get_token()));
    }

private:
    DrawingPointer m_drawing;
};

GRAPHLOOM_WINDOW_TESTS(DrawingTest)

} // namespace graphloom::test::drawing_test

#include "drawing_test.moc"
