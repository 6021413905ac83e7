// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/view_picture.h"

#include "app/drawing/graph_picture.h"
#include "app/kernels/roofline_view.h"
#include "app/pareto/pareto_view.h"
#include "app/runs/search_view.h"
#include "app/timeline/timeline_painter.h"
#include "app/widgets/histogram_view.h"
#include "tests/support/app/made_memory.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/module_graphs.h"
#include "tests/support/app/window_driver.h"

#include <QImage>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QXmlStreamReader>

namespace graphloom::test::view_picture_test {

namespace {

/// What is written in an SVG file, in its order; empty where it is no XML.
QStringList textsOf(const QByteArray &svg)
{
    QStringList texts;
    QXmlStreamReader reader(svg);
    while (!reader.atEnd())
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == u"text")
            texts << reader.readElementText().trimmed();
    return reader.hasError() ? QStringList() : texts;
}

} // namespace

class ViewPictureTest : public QObject {
    Q_OBJECT

private:
    PictureOptions look(const char *theme = "light") const
    {
        return {.theme = *loadTheme(QLatin1String(theme))};
    }
    ViewPicture graph() const
    {
        ViewPicture picture = graphPicture(m_drawing, NodeColours::OperatorClass);
        picture.subject = QStringLiteral("mobilenet.onnx");
        return picture;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
        m_drawing = draw(m_snapshot, {}, {});
        m_planned = test::withMemory(test::snapshotOfSample("mobilenet_v2_224.onnx"));
        QVERIFY(m_drawing && m_planned);
    }

    void aGraphSaysWhatItIs()
    {
        const QByteArray svg = *svgOf(graph(), look());
        const QStringList texts = textsOf(svg);
        QVERIFY(texts.contains(QStringLiteral("Conv"))); // text, not outlines
        QVERIFY(texts.contains(QStringLiteral("mobilenet.onnx")));
        QVERIFY(texts.filter(QStringLiteral("MACs (modelled)")).size() == 1);
        QVERIFY(texts.contains(QStringLiteral("contraction"))); // the legend
        QVERIFY(svg.contains("<title>") && svg.contains("<desc>"));
        QVERIFY(QSvgRenderer(svg).isValid());
    }

    void controlCharactersAreNoText()
    {
        const SnapshotPointer odd =
            test::snapshotOfGraph(test::named({"a\x01"
                                               "b",
                                               "c\x1b[31m", "\xef\xbf\xbf<d>"}));
        const DrawingPointer drawing = draw(odd, {}, {});
        QVERIFY(drawing);
        ViewPicture picture = graphPicture(drawing, NodeColours::OperatorClass);
        picture.subject = QStringLiteral("\x02.onnx");
        const QByteArray svg = *svgOf(picture, look());
        QVERIFY(!textsOf(svg).isEmpty()); // well-formed
        QVERIFY(!svg.contains('\x01') && !svg.contains('\x1b') && !svg.contains("\xef\xbf\xbf"));
    }

    void bareItIsTheDrawingAlone()
    {
        PictureOptions bare = look();
        bare.title = bare.legend = false;
        QCOMPARE(wholeSize(graph(), bare), m_drawing->bounds.size() + QSizeF(32, 32));
        bare.scale = 1;
        const QImage image = *imageOf(graph(), bare);
        QCOMPARE(image.pixelColor(2, 2), bare.theme.canvas.background);
        const QPointF node =
            m_drawing->nodes[1].topLeft() - m_drawing->bounds.topLeft() + QPointF(16, 16);
        const QColor fill = fillOf(*m_drawing, 1, bare.theme, NodeColours::OperatorClass);
        QCOMPARE(image.pixelColor(node.toPoint() + QPoint(5, 10)), fill);
        bare.transparent = true;
        QCOMPARE(imageOf(graph(), bare)->pixelColor(2, 2).alpha(), 0);
    }

    void theLegendOfAMetricIsInThePicture()
    {
        const MetricPointer macs = metricOf(*nodeFigure(u"macs"), *m_drawing->snapshot);
        const Colouring colours(NodeColours::OperatorClass, macs, {1, 1e6});
        const QByteArray svg = *svgOf(graphPicture(m_drawing, colours), look());
        QVERIFY(svg.contains("MACs (modelled)") && svg.contains("1.00 M"));
        QVERIFY(!textsOf(svg).contains(QStringLiteral("contraction")));
    }

    void chartsHaveAxesUnitsAndLegends_data()
    {
        QTest::addColumn<QString>("chart");
        QTest::addColumn<QStringList>("texts");
        QTest::newRow("memory") << "memory" << QStringList{"ms", "hot spot", "before"};
        QTest::newRow("pareto") << "pareto"
                                << QStringList{"latency \\(ms, modelled\\)",
                                               "peak memory \\(MiB\\)"};
        QTest::newRow("partition")
            << "partition" << QStringList{"log. of weight", "subgraphs", "ago \\(\\d+\\)"};
        QTest::newRow("roofline") << "roofline"
                                  << QStringList{"FLOP/byte", "GFLOP/s", "memory 10 GB/s"};
        QTest::newRow("search") << "search"
                                << QStringList{"seconds of the search", "modelled ms",
                                               "run 3, magis"};
    }
    void chartsHaveAxesUnitsAndLegends()
    {
        QFETCH(QString, chart);
        QFETCH(QStringList, texts);
        const auto picture = chartPicture(chart);
        QVERIFY(picture);
        for (const char *theme : {"light", "dark"}) {
            const QByteArray svg = *svgOf(*picture, look(theme));
            QVERIFY(!svg.contains("<image"));
            const QString all = textsOf(svg).join('\n');
            for (const QString &text : texts)
                QVERIFY2(all.contains(QRegularExpression(text)), qPrintable(text + " in " + all));
            QVERIFY(all.contains(picture->title));
        }
    }

    void aChartHasTheSizeThatIsAskedFor()
    {
        PictureOptions bare = look();
        bare.title = bare.legend = false;
        bare.size = QSizeF(800, 333);
        bare.scale = 2;
        for (const char *chart : {"memory", "pareto"})
            QCOMPARE(imageOf(*chartPicture(QLatin1String(chart)), bare)->size(), QSize(1600, 666));
    }

    void patternsAreInSvgFilesToo()
    {
        // What is computed again is hatched: lines besides areas.
        PictureOptions bare = look();
        bare.title = bare.legend = false;
        const QByteArray svg = *svgOf(*chartPicture(QStringLiteral("memory")), bare);
        const QString ink =
            look().theme.tensors[std::size_t(MemoryTimeline::Class::Activation)].darker(122).name();
        QVERIFY(svg.contains("stroke=\"" + ink.toLatin1() + "\""));
    }

    void whatIsStoppedIsNotMade()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!svgOf(graph(), look(), stop.get_token()));
        QVERIFY(imageOf(graph(), look(), stop.get_token())->isNull());
    }

    void nothingIsNoPicture()
    {
        QVERIFY(!ParetoView().picture());
        QVERIFY(!SearchView().picture());
        QVERIFY(!RooflineView().picture());
        QVERIFY(!HistogramView().picture());
    }

private:
    std::optional<ViewPicture> chartPicture(const QString &chart) const
    {
        if (chart == u"memory") {
            TimelineScene scene;
            scene.timeline = timelineOf(*m_planned, {});
            scene.compared = timelineBefore(*m_planned->plan);
            scene.comparedName = QStringLiteral("before");
            scene.look.inTime = true;
            return memoryPicture(scene, {QStringLiteral("made by hand")});
        }
        if (chart == u"pareto") {
            const auto points = std::make_shared<ParetoData>();
            points->series = paretoOf(*m_planned->plan);
            ParetoView view;
            view.setPoints(points, false);
            return view.picture();
        }
        if (chart == u"partition") {
            HistogramView view;
            view.setSnapshot(m_snapshot);
            return view.picture();
        }
        if (chart == u"roofline") {
            RooflineView view;
            view.setRun(test::madeRun(m_snapshot));
            return view.picture();
        }
        SearchRecord record;
        record.cost = "modelled ms of one run";
        record.generated = 12;
        record.seconds = 2;
        record.history = {{0.1, 5}, {1, 4}};
        PassRun run;
        run.number = 3;
        run.pass = "magis";
        run.search = std::make_shared<const SearchRecord>(record);
        SearchView view;
        view.show({run});
        return view.picture();
    }

    SnapshotPointer m_snapshot, m_planned;
    DrawingPointer m_drawing;
};

GRAPHLOOM_WINDOW_TESTS(ViewPictureTest)

} // namespace graphloom::test::view_picture_test

#include "view_picture_test.moc"
