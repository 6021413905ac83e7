// SPDX-License-Identifier: GPL-3.0-or-later
// Slices in colours.
#include "app/tensors/pictures/heat_map.h"

#include "app/style/view_picture.h"
#include "app/tensors/pictures/value_histogram.h"
#include "tests/support/app/window_driver.h"

#include <QPainter>
#include <QSignalSpy>
#include <QToolButton>
#include <QWheelEvent>

#include <cmath>

namespace graphloom::test::heat_map_test {

namespace {

std::shared_ptr<const TensorData> floats(TensorData::Extents extents, std::vector<float> values)
{
    return std::make_shared<const TensorData>(
        TensorData::fromValues<float>(DataType::Float, std::move(extents), values));
}

Theme themeNamed(const char *name)
{
    auto theme = loadTheme(QLatin1String(name));
    if (!theme)
        qFatal("no theme %s", name);
    return *std::move(theme);
}

} // namespace

class HeatMapTest : public QObject {
    Q_OBJECT

private:
    /// Shows a tensor and waits until it is drawn.
    void show(const std::shared_ptr<const TensorData> &data)
    {
        m_map = std::make_unique<HeatMap>();
        m_map->setTheme(m_theme);
        m_map->resize(500, 300);
        m_map->show();
        QSignalSpy shown(m_map.get(), &HeatMap::shown);
        m_map->setSlice(data, TensorSlice(data->extents()));
        QVERIFY(shown.wait(patience));
    }
    QColor colourAt(std::int64_t row, std::int64_t column)
    {
        const QPoint place = m_map->placeOf(row, column).topLeft().toPoint() + QPoint(3, 3);
        return m_map->grab().toImage().pixelColor(place);
    }

private Q_SLOTS:
    void cleanup() { m_map.reset(); }

    void scalesFitTheirNumbers()
    {
        const HeatScale positive = HeatScale::of(2, 6);
        QVERIFY(!positive.isSigned());
        QCOMPARE(positive.part(2), 0.0);
        QCOMPARE(positive.part(5), 0.75);
        const HeatScale both = HeatScale::of(-1, 4);
        QVERIFY(both.isSigned());
        QCOMPARE(both.part(0), 0.5);
        QCOMPARE(both.part(-4), 0.0);
        QCOMPARE(both.part(-1), 1 - both.part(1));
        QVERIFY(HeatScale::of(-3, -1).isSigned());
        QCOMPARE(HeatScale::of(5, 5).part(5), 0.5);
        const double most = std::numeric_limits<double>::max();
        QCOMPARE(HeatScale::of(-most, most).part(0), 0.5);
    }

    void signsDifferAndMagnitudesAgree_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("dark") << QStringLiteral("dark");
        QTest::newRow("light") << QStringLiteral("light");
    }
    void signsDifferAndMagnitudesAgree()
    {
        QFETCH(QString, theme);
        m_theme = themeNamed(theme.toLatin1().constData());
        show(floats({1, 5}, {-4, 4, 0, 1, -1}));
        QCOMPARE(colourAt(0, 0), m_theme.balance.front());
        QCOMPARE(colourAt(0, 1), m_theme.balance.back());
        QCOMPARE(colourAt(0, 2), m_theme.balance[m_theme.balance.size() / 2]);
        QVERIFY(colourAt(0, 3) != colourAt(0, 4));
    }

    void numbersWithoutSignUseTheHeat()
    {
        show(floats({1, 2}, {1, 3}));
        QCOMPARE(colourAt(0, 0), m_theme.heat.front());
        QCOMPARE(colourAt(0, 1), m_theme.heat.back());
    }

    void whatIsNotFiniteStandsOut()
    {
        show(floats({2, 2}, {1, std::nanf(""), HUGE_VALF, 2}));
        QCOMPARE(colourAt(0, 1), m_theme.error);
        QCOMPARE(colourAt(1, 0), m_theme.error);
    }

    void boundsOfTheTensorAreTaken()
    {
        show(floats({1, 2}, {1, 3}));
        m_map->setBounds(std::pair(-3.0, 3.0));
        QCOMPARE(colourAt(0, 1), m_theme.balance.back());
        m_map->setBounds(std::nullopt);
        QCOMPARE(colourAt(0, 1), m_theme.heat.back());
    }

    void largeSlicesAreReduced()
    {
        std::vector<float> values(3000 * 2000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float(i / 2000);
        show(floats({3000, 2000}, values));
        const HeatMapScene &scene = m_map->scene();
        QVERIFY(scene.grid->isReduced());
        QVERIFY(scene.grid->rows <= 300 && scene.grid->columns <= 500);
        QVERIFY(!reductionText(scene).isEmpty());
        QCOMPARE(double(scene.grid->mean(0, 0)), double(scene.grid->cellRows - 1) / 2);
    }

    void draggingMovesTheMap()
    {
        std::vector<float> values(100 * 100, 1);
        show(floats({100, 100}, values));
        QTest::keyClick(m_map.get(), Qt::Key_Plus);
        QTest::keyClick(m_map.get(), Qt::Key_Plus);
        QTRY_VERIFY(!m_map->isBusy());
        const SliceRange before = m_map->scene().range;
        QVERIFY(before.rows < 100);
        const QPoint from = m_map->placeOf(before.row + 5, before.column + 30).center().toPoint();
        QTest::mousePress(m_map.get(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_map.get(), from + QPoint(40, 0));
        QTest::mouseMove(m_map.get(), from + QPoint(60, 0));
        QTest::mouseRelease(m_map.get(), Qt::LeftButton, {}, from + QPoint(60, 0));
        QVERIFY(m_map->scene().range.column < before.column);
        QCOMPARE(m_map->scene().range.rows, before.rows);
        QVERIFY(!m_map->scene().current); // a drag is no click
    }

    void aWheelThatGoesSidewaysDoesNotZoom()
    {
        show(floats({100, 100}, std::vector<float>(100 * 100, 1)));
        m_map->setFocus();
        QTest::keyClick(m_map.get(), Qt::Key_Plus);
        const SliceRange before = m_map->scene().range;
        QWheelEvent sideways(m_map->rect().center(), m_map->mapToGlobal(m_map->rect().center()), {},
                             {120, 0}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_map.get(), &sideways);
        QCOMPARE(m_map->scene().range, before);
    }

    void aDragDoesNotGoOnInAnotherSlice()
    {
        const auto data = floats({100, 100}, std::vector<float>(100 * 100, 1));
        show(data);
        QTest::keyClick(m_map.get(), Qt::Key_Plus);
        const SliceRange before = m_map->scene().range;
        const QPoint from = m_map->placeOf(before.row + 5, before.column + 30).center().toPoint();
        QTest::mousePress(m_map.get(), Qt::LeftButton, {}, from);
        m_map->setSlice(floats({100, 100}, std::vector<float>(100 * 100, 2)),
                        TensorSlice(data->extents()));
        QTest::mouseMove(m_map.get(), from + QPoint(60, 0));
        QCOMPARE(m_map->scene().range, before);
    }

    void anotherThemeIsTaken()
    {
        m_theme = themeNamed("dark");
        show(floats({1, 2}, {1, 3}));
        const QColor dark = colourAt(0, 0);
        m_theme = themeNamed("light");
        m_map->setTheme(m_theme);
        QVERIFY(dark != m_theme.heat.front());
        QCOMPARE(colourAt(0, 0), m_theme.heat.front());
    }

    void whatWasCancelledCanBeComputed()
    {
        JobList jobs;
        m_map = std::make_unique<HeatMap>();
        m_map->setTheme(m_theme);
        m_map->setJobs(&jobs);
        m_map->resize(500, 300);
        m_map->show();
        auto *again = m_map->findChild<QToolButton *>(QStringLiteral("computeHeatMap"));
        connect(&jobs, &JobList::rowsInserted, &jobs, [&] { jobs.cancel(0); });
        const auto data = std::make_shared<const TensorData>(TensorData::fromBytes(
            DataType::Uint8, {1 << 13, 1 << 12}, std::vector<std::byte>(1 << 25)));
        m_map->setSlice(data, TensorSlice(data->extents()));
        QTRY_VERIFY_WITH_TIMEOUT(again->isVisible(), patience);
        QObject::disconnect(&jobs, nullptr, &jobs, nullptr);
        QSignalSpy shown(m_map.get(), &HeatMap::shown);
        again->click();
        QVERIFY(shown.wait(patience));
        QVERIFY(!again->isVisible());
    }

    void thePictureNeedsNoView()
    {
        show(floats({2, 3}, {1, 2, 3, 4, 5, 6}));
        auto picture = m_map->picture();
        QVERIFY(picture);
        m_map.reset();
        const Theme light = themeNamed("light");
        const auto image = imageOf(*picture, {.theme = light});
        QVERIFY(image && !image->isNull());
        bool hot = false;
        for (int y = 0; y < image->height(); ++y)
            for (int x = 0; x < image->width(); ++x)
                hot = hot || image->pixelColor(x, y) == light.heat.back();
        QVERIFY(hot);
    }

    void theHistogramHasABarForEachBin()
    {
        ValueHistogram histogram;
        histogram.setTheme(m_theme);
        QVERIFY(!histogram.picture());
        const auto data = floats({6}, {1, 1, 2, 2, 2, 9});
        auto statistics = statisticsOf(*data);
        QVERIFY(statistics);
        const auto counts = statistics->histogram.counts();
        const std::vector<double> expected(counts.begin(), counts.end());
        histogram.setStatistics(std::make_shared<const TensorStatistics>(*std::move(statistics)));
        QCOMPARE(histogram.bars(), expected);
        QVERIFY(histogram.picture());
        histogram.setStatistics(nullptr);
        QVERIFY(histogram.bars().empty());
    }

private:
    Theme m_theme = themeNamed("dark");
    std::unique_ptr<HeatMap> m_map;
};

GRAPHLOOM_WINDOW_TESTS(HeatMapTest)

} // namespace graphloom::test::heat_map_test

#include "heat_map_test.moc"
