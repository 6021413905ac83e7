// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/canvas_page.h"

#include "app/common/format.h"
#include "app/drawing/legend.h"
#include "app/graph/minimap.h"
#include "app/metrics/node_metric.h"
#include "app/snapshot/node_figures.h"
#include "tests/support/app/painted_texts.h"
#include "tests/support/app/window_driver.h"

#include <QAction>

#include <algorithm>

namespace graphloom::test::canvas_page_test {

class CanvasPageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::snapshotOfSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
        m_drawing = draw(m_snapshot, {}, {});
        auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(m_drawing && theme);
        m_theme = std::make_shared<const Theme>(*theme);
    }

    void init()
    {
        m_page = std::make_unique<CanvasPage>(m_selection, &m_up);
        m_page->resize(800, 600);
        m_page->canvas().setAppearance(m_theme, NodeColours::OperatorClass);
        m_page->show();
        m_page->canvas().setDrawing(m_drawing);
        m_page->canvas().fitReadable();
        QVERIFY(QTest::qWaitFor([this] { return m_page->canvas().tiles().isSettled(); }, 20'000));
    }

    void cleanup() { m_page.reset(); }

    void theMinimapIsThereWhileNotAllIsInView()
    {
        QVERIFY(m_page->minimap().isVisible());
        m_page->canvas().fit();
        QVERIFY(!m_page->minimap().isVisible());
        m_page->canvas().zoomTo(1);
        QVERIFY(m_page->minimap().isVisible());
    }

    void theMinimapCanBeSwitchedOff()
    {
        m_page->setMinimapShown(false);
        QVERIFY(!m_page->minimap().isVisible());
        m_page->setMinimapShown(true);
        QVERIFY(m_page->minimap().isVisible());
    }

    void aClickOnTheMinimapMovesTheView()
    {
        QTest::mouseClick(&m_page->minimap(), Qt::LeftButton, {}, placeOnMap({0.5, 0.9}));
        QVERIFY(seenAround({0.5, 0.9}));
    }

    void draggingOnTheMinimapMovesTheView()
    {
        QTest::mousePress(&m_page->minimap(), Qt::LeftButton, {}, placeOnMap({0.2, 0.2}));
        QMouseEvent move(QEvent::MouseMove, placeOnMap({0.5, 0.6}),
                         m_page->minimap().mapToGlobal(placeOnMap({0.5, 0.6})), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&m_page->minimap(), &move);
        QVERIFY(seenAround({0.5, 0.6}));
    }

    void theFrameOfTheMinimapIsWhatIsSeen()
    {
        m_page->canvas().centreOn(m_drawing->bounds.center());
        const QPointF off =
            m_page->minimap().frame().center() - QRectF(m_page->minimap().rect()).center();
        QVERIFY2(off.manhattanLength() < 4, "the frame is not in the middle");
    }

    void theLegendCountsTheClasses()
    {
        m_page->legend().setSnapshot(m_snapshot);
        for (const auto &[operatorClass, count] : m_snapshot->facts->classes)
            QVERIFY(m_page->legend().accessibleDescription().contains(
                fromUtf8(nameOf(operatorClass)) + QStringLiteral(": ") + formatNodes(count)));
    }

    void theLegendHasAsManyLinesAsItNeeds()
    {
        Legend legend;
        legend.setTheme(m_theme);
        legend.setSnapshot(m_snapshot);
        legend.resize(2000, legend.height());
        legend.show();
        const int oneLine = legend.height();
        legend.resize(200, oneLine);
        QVERIFY(legend.height() > oneLine);
        legend.resize(2000, legend.height());
        QCOMPARE(legend.height(), oneLine);
    }

    void theLegendLeavesRoomForTheGraph()
    {
        Legend legend;
        legend.setTheme(m_theme);
        legend.setSnapshot(m_snapshot);
        legend.show();
        legend.resize(200, legend.height());
        const int most = legend.height() - 1;
        legend.setMostHeight(most);
        QVERIFY(legend.height() <= most);
        const std::vector<PaintedText> texts = paintedTexts(legend);
        QVERIFY(std::ranges::any_of(texts, [](const PaintedText &text) {
            return text.text.endsWith(QLatin1String(" more"));
        }));
    }

    void theLegendOfAMetricKeepsItsOnlyLine()
    {
        const SnapshotPointer blocks = fusedInSubgraphs(m_snapshot);
        QVERIFY(blocks);
        const auto figure =
            std::ranges::find_if(nodeFigures(), [](const NodeFigure &of) { return of.colours; });
        const MetricPointer metric = metricOf(*figure, *blocks);
        Legend legend;
        legend.setTheme(m_theme);
        legend.setSnapshot(blocks);
        legend.setGrouping(Grouping::Blocks);
        legend.resize(2000, legend.height());
        legend.setMetric(metric, {0, 1});
        legend.show();
        QVERIFY(!overlaps(legend) && legend.height() > 1);
        const int twoLines = legend.height();
        legend.setMostHeight(twoLines - 1);
        QVERIFY(legend.height() < twoLines);
        QVERIFY(!overlaps(legend));
    }

    void theLegendCanBeSwitchedOff()
    {
        m_page->setLegendShown(false);
        QVERIFY(!m_page->legend().isVisible());
    }

private:
    static bool overlaps(QWidget &widget)
    {
        return std::ranges::any_of(textFaults(widget), [](const QString &fault) {
            return fault.contains(QLatin1String("lies over"));
        });
    }
    /// A place given by shares of the drawing's width and height.
    QPoint placeOnMap(const QPointF &share) const
    {
        const QSize size = m_page->minimap().size();
        return QPoint(int(size.width() * share.x()), int(size.height() * share.y()));
    }
    bool seenAround(const QPointF &share) const
    {
        const QRectF &bounds = m_drawing->bounds;
        const QPointF wanted =
            bounds.topLeft() + QPointF(bounds.width() * share.x(), bounds.height() * share.y());
        const QPointF off = m_page->canvas().visibleScene().center() - wanted;
        // A pixel of the map is many of the scene, and the map has a margin.
        return std::abs(off.x()) < bounds.width() * 0.08 &&
               std::abs(off.y()) < bounds.height() * 0.08;
    }

    SnapshotPointer m_snapshot;
    DrawingPointer m_drawing;
    std::shared_ptr<const Theme> m_theme;
    Selection m_selection;
    QAction m_up;
    std::unique_ptr<CanvasPage> m_page;
};

GRAPHLOOM_WINDOW_TESTS(CanvasPageTest)

} // namespace graphloom::test::canvas_page_test

#include "canvas_page_test.moc"
