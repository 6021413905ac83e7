// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/layout.h"
#include "tests/support/layout_checks.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::layout::layout_test {

namespace {

/// A chain whose first node is also read by every `step`-th of the others.
Input chainWithFanout(std::uint32_t length, std::uint32_t step)
{
    Input input;
    for (std::uint32_t v = 0; v < length; ++v) {
        input.nodes.push_back({100, 30, none});
        if (v > 0)
            input.edges.push_back({v - 1, v});
        if (v > 1 && v % step == 0)
            input.edges.push_back({0, v});
    }
    return input;
}

std::size_t stubsOf(const Layout &drawing)
{
    return std::size_t(std::count_if(drawing.routes.begin(), drawing.routes.end(),
                                     [](const Route &route) { return route.empty(); }));
}

} // namespace

class LayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void emptyGraph()
    {
        const auto drawing = arrange({});
        QVERIFY(drawing);
        QCOMPARE(drawing->bounds.width(), 0.0);
    }

    void randomGraphs_data()
    {
        QTest::addColumn<quint32>("nodes");
        QTest::addColumn<double>("edges");
        QTest::addColumn<quint32>("groups");
        QTest::addColumn<double>("aspect");
        for (const quint32 nodes : {1u, 2u, 7u, 40u, 200u})
            for (const double edges : {0.0, 1.2, 2.5})
                for (const quint32 groups : {0u, 1u, 9u})
                    for (const double aspect : {0.0, 1.6})
                        if (groups < nodes)
                            QTest::addRow("%u nodes, %g edges, %u groups, aspect %g", nodes, edges,
                                          groups, aspect)
                                << nodes << edges << groups << aspect;
    }

    void randomGraphs()
    {
        QFETCH(quint32, nodes);
        QFETCH(double, edges);
        QFETCH(quint32, groups);
        QFETCH(double, aspect);
        Options options;
        options.aspect = aspect;
        options.stubFanout = 5;
        options.stubSpan = 8;
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const Input input = test::randomLayoutInput(nodes, edges, groups, seed);
            const auto drawing = arrange(input, options);
            QVERIFY(drawing);
            const std::string defect = test::defectOf(input, *drawing, aspect == 0);
            QVERIFY2(defect.empty(),
                     qPrintable(QString("seed %1: %2").arg(seed).arg(defect.c_str())));
        }
    }

    void nestedGroups_data()
    {
        QTest::addColumn<quint32>("nodes");
        QTest::addColumn<quint32>("depth");
        QTest::addColumn<double>("aspect");
        for (const quint32 nodes : {1u, 9u, 60u, 250u})
            for (const quint32 depth : {1u, 2u, 4u})
                for (const double aspect : {0.0, 1.6})
                    QTest::addRow("%u nodes, %u levels, aspect %g", nodes, depth, aspect)
                        << nodes << depth << aspect;
    }

    void nestedGroups()
    {
        QFETCH(quint32, nodes);
        QFETCH(quint32, depth);
        QFETCH(double, aspect);
        Options options;
        options.aspect = aspect;
        options.tallestBox = 300; // so that some are broken into columns
        options.stubFanout = 5;
        options.stubSpan = 8;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            const Input input = test::randomNestedInput(nodes, 1.7, depth, seed);
            const auto drawing = arrange(input, options);
            QVERIFY(drawing);
            const std::string defect = test::defectOf(input, *drawing, aspect == 0);
            QVERIFY2(defect.empty(),
                     qPrintable(QString("seed %1: %2").arg(seed).arg(defect.c_str())));
        }
    }

    void nestedGroupsTheSameEachTime()
    {
        const Input input = test::randomNestedInput(150, 1.8, 3, 42);
        const auto one = arrange(input), two = arrange(input);
        QVERIFY(one && two);
        QVERIFY(one->routes == two->routes);
    }

    void emptyGroupsAreBoxes()
    {
        Input input;
        input.nodes.push_back({50, 20, none});
        input.groups = 2;
        input.parents = {none, 0};
        const auto drawing = arrange(input);
        QVERIFY(drawing);
        QCOMPARE(test::defectOf(input, *drawing, true), std::string());
    }

    void tallBoxesAreBrokenIntoColumns()
    {
        Input input;
        input.groups = 1;
        for (std::uint32_t v = 0; v < 80; ++v) {
            input.nodes.push_back({100, 30, 0});
            if (v > 0)
                input.edges.push_back({v - 1, v});
        }
        Options options;
        options.aspect = 1.6;
        const auto drawing = arrange(input, options);
        QVERIFY(drawing->groups[0].width() > drawing->groups[0].height());
        options.aspect = 0;
        const auto oneColumn = arrange(input, options);
        QVERIFY(oneColumn->groups[0].width() < 200);
    }

    void modulesFillTheCanvas_data()
    {
        QTest::addColumn<double>("aspect");
        for (const double aspect : {0.8, 1.2, 1.6, 2.4})
            QTest::addRow("%g", aspect) << aspect;
    }
    /// A chain of modules of very different lengths, as the stages of a network are.
    void modulesFillTheCanvas()
    {
        QFETCH(double, aspect);
        Input input;
        const std::uint32_t lengths[] = {3, 12, 5, 40, 8, 4, 25, 60, 6, 9, 30, 3, 14, 5, 7, 18};
        for (const std::uint32_t length : lengths) {
            for (std::uint32_t i = 0; i < length; ++i) {
                const auto v = std::uint32_t(input.nodes.size());
                input.nodes.push_back({100.0 + 12 * (v % 7), 42, input.groups});
                if (v > 0)
                    input.edges.push_back({v - 1, v});
            }
            ++input.groups;
        }
        Options options;
        options.aspect = aspect;
        const auto drawing = arrange(input, options);
        QVERIFY(drawing);
        QCOMPARE(test::defectOf(input, *drawing, false), std::string());
        double covered = 0;
        for (const Rect &group : drawing->groups)
            covered += group.width() * group.height();
        const double height = std::max(drawing->bounds.width() / aspect, drawing->bounds.height());
        QVERIFY2(covered > 0.4 * aspect * height * height,
                 qPrintable(QString::number(covered / (aspect * height * height))));
    }

    void modelLikeGraphs_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char *kind : {"resnet", "transformer", "masked", "unet"})
            QTest::newRow(kind) << kind;
    }

    void modelLikeGraphs()
    {
        QFETCH(QString, kind);
        const Graph graph = kind == "resnet"        ? test::resNetLike(300)
                            : kind == "transformer" ? test::transformer(300)
                            : kind == "masked"      ? test::transformer(600, true)
                                                    : test::unet(210);
        const Input input = test::layoutInputOf(graph);
        for (const double aspect : {0.0, 1.6}) {
            Options options;
            options.aspect = aspect;
            const auto drawing = arrange(input, options);
            QVERIFY(drawing);
            const std::string defect = test::defectOf(input, *drawing, aspect == 0);
            QVERIFY2(defect.empty(), defect.c_str());
            if (aspect > 0) {
                const double ratio = drawing->bounds.width() / drawing->bounds.height();
                QVERIFY2(ratio > aspect / 1.6 && ratio < aspect * 1.6,
                         qPrintable(QString::number(ratio)));
            }
        }
    }

    void sameInputSameDrawing()
    {
        const Input input = test::randomLayoutInput(150, 1.8, 5, 42);
        const auto one = arrange(input), two = arrange(input);
        QVERIFY(one && two);
        QVERIFY(one->routes == two->routes);
    }

    void mainPathStaysStraight()
    {
        // Three nodes that a line passes by, again and again: the nodes form one column.
        Input input;
        for (std::uint32_t v = 0; v < 31; ++v) {
            input.nodes.push_back({100, 30, none});
            if (v > 0)
                input.edges.push_back({v - 1, v});
            if (v >= 3 && v % 3 == 0)
                input.edges.push_back({v - 3, v});
        }
        const auto drawing = arrange(input);
        QVERIFY(drawing);
        for (const Rect &rect : drawing->nodes)
            QCOMPARE(rect.left, drawing->nodes[0].left);
    }

    void treesDoNotCross()
    {
        Input input;
        for (std::uint32_t v = 0; v < 63; ++v) {
            input.nodes.push_back({50, 20, none});
            if (v > 0)
                input.edges.push_back({(v - 1) / 2, v});
        }
        const auto drawing = arrange(input);
        QVERIFY(drawing);
        // Between two layers, the order of the children follows the order of the parents.
        for (std::size_t a = 0; a < input.edges.size(); ++a)
            for (std::size_t b = 0; b < input.edges.size(); ++b) {
                const auto [ua, va] = input.edges[a];
                const auto [ub, vb] = input.edges[b];
                if (drawing->ranks[ua] == drawing->ranks[ub] &&
                    drawing->nodes[ua].left < drawing->nodes[ub].left)
                    QVERIFY(drawing->nodes[va].left < drawing->nodes[vb].left);
            }
    }

    void longFanoutBecomesStubs()
    {
        const Input input = chainWithFanout(200, 10);
        const auto drawing = arrange(input);
        QVERIFY(drawing);
        for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
            const auto [u, v] = input.edges[e];
            QCOMPARE(drawing->isStub(e), u == 0 && v > 40);
        }
        QCOMPARE(test::defectOf(input, *drawing, true), std::string());
    }

    void shortOrSmallFanoutStaysLines()
    {
        QCOMPARE(stubsOf(*arrange(chainWithFanout(40, 2))), std::size_t(0));   // short
        QCOMPARE(stubsOf(*arrange(chainWithFanout(200, 40))), std::size_t(0)); // five edges
    }

    void tooManyLongLinesBecomeStubsLongestFirst()
    {
        // Skips over 10, 30, 50… of 400 nodes, all over the one in the middle: 18 are long.
        Input input;
        for (std::uint32_t v = 0; v < 400; ++v) {
            input.nodes.push_back({100, 30, none});
            if (v > 0)
                input.edges.push_back({v - 1, v});
        }
        for (std::uint32_t i = 0; i < 20; ++i)
            input.edges.push_back({195 - 10 * i, 205 + 10 * i});
        Options options;
        options.mostParallel = 18;
        QCOMPARE(stubsOf(*arrange(input, options)), std::size_t(0));
        options.mostParallel = 10;
        const auto drawing = arrange(input, options);
        const std::size_t stubs = 8;
        QCOMPARE(stubsOf(*drawing), stubs);
        for (std::size_t e = 399; e < input.edges.size(); ++e)
            QCOMPARE(drawing->isStub(std::uint32_t(e)), e >= input.edges.size() - stubs);
        QCOMPARE(test::defectOf(input, *drawing, true), std::string());
        options.mostParallel = 0;
        const auto shortest = arrange(input, options);
        for (std::uint32_t e = 0; e < 399; ++e)
            QVERIFY(!shortest->isStub(e)); // short ones stay lines
    }

    void manyLongLinesShareOneChain()
    {
        // Without stubs, a fan-out of 40 costs the width of one line, not of 40.
        Options options;
        options.stubFanout = 1000;
        const Input input = chainWithFanout(400, 10);
        const auto drawing = arrange(input, options);
        QVERIFY(drawing);
        QCOMPARE(stubsOf(*drawing), std::size_t(0));
        QVERIFY2(drawing->bounds.width() < 200,
                 qPrintable(QString::number(drawing->bounds.width())));
    }

    void cyclesAreBroken()
    {
        Input input;
        for (int v = 0; v < 3; ++v)
            input.nodes.push_back({50, 20, none});
        input.edges = {{0, 1}, {1, 2}, {2, 0}};
        const auto drawing = arrange(input);
        QVERIFY(drawing);
        QCOMPARE(drawing->ranks, (std::vector<std::uint32_t>{0, 1, 2}));
        QVERIFY(drawing->routes[2].front().y > drawing->routes[2].back().y);
    }

    void unrelatedPartsLieSideBySide()
    {
        Input input;
        for (int v = 0; v < 6; ++v)
            input.nodes.push_back({50, 20, none});
        input.edges = {{0, 1}, {2, 3}, {4, 5}};
        const auto drawing = arrange(input);
        QVERIFY(drawing);
        QCOMPARE(test::defectOf(input, *drawing, true), std::string());
        QVERIFY(drawing->bounds.width() > 100);
    }

    void stoppingGivesNothing()
    {
        std::stop_source source;
        source.request_stop();
        QVERIFY(!arrange(test::randomLayoutInput(300, 2, 0, 1), {}, source.get_token()));
    }
};

GRAPHLOOM_TESTS(LayoutTest)

} // namespace graphloom::layout::layout_test

#include "layout_test.moc"
