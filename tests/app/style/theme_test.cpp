// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/theme.h"

#include "app/style/icons.h"
#include "tests/support/app/painted_texts.h"
#include "tests/support/app/window_driver.h"

#include <QDirIterator>

namespace graphloom::test::theme_test {

/// The resources of the window: themes, icons, help.
class ThemeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textCanBeRead_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("dark") << QStringLiteral("dark");
        QTest::newRow("light") << QStringLiteral("light");
    }
    void textCanBeRead()
    {
        QFETCH(QString, name);
        const auto theme = loadTheme(name);
        QVERIFY(theme);
        constexpr double readable = 4.5; // WCAG 2.1, AA
        for (std::size_t i = 0; i < theme->classes.size(); ++i) {
            const auto text = "class " + std::string(nameOf(OperatorClass(i)));
            QVERIFY2(contrast(theme->classes[i], theme->canvas.nodeText) >= readable, text.c_str());
            QVERIFY2(contrast(theme->classes[i], theme->canvas.nodeDim) >= readable, text.c_str());
        }
        for (std::size_t i = 0; i < theme->mappings.size(); ++i) {
            const auto mapping = MappingType(i);
            const auto text = "mapping type " + std::string(nameOf(mapping));
            QVERIFY2(contrast(theme->groundOf(mapping), theme->canvas.groupText) >= readable,
                     text.c_str());
            QVERIFY2(contrast(theme->fillOf(mapping), theme->canvas.nodeText) >= readable,
                     text.c_str());
            QVERIFY2(contrast(theme->fillOf(mapping), theme->canvas.nodeDim) >= readable,
                     text.c_str());
        }
        const QPalette &palette = theme->palette;
        QVERIFY(contrast(palette.color(QPalette::Window), palette.color(QPalette::WindowText)) >=
                readable);
        QVERIFY(contrast(palette.color(QPalette::Base), palette.color(QPalette::PlaceholderText)) >=
                readable);
        QVERIFY(contrast(palette.color(QPalette::Highlight),
                         palette.color(QPalette::HighlightedText)) >= readable);
    }

    void classesDiffer_data() { textCanBeRead_data(); }
    void classesDiffer()
    {
        QFETCH(QString, name);
        const auto theme = loadTheme(name);
        QVERIFY(theme);
        for (std::size_t i = 0; i < theme->classes.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(theme->classes[i] != theme->classes[j]);
        for (std::size_t i = 0; i < theme->mappings.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(theme->mappings[i] != theme->mappings[j]);
    }

    void heatIsTakenByLightnessAlone_data() { textCanBeRead_data(); }
    void heatIsTakenByLightnessAlone()
    {
        QFETCH(QString, name);
        const auto theme = loadTheme(name);
        QVERIFY(theme);
        // Whatever colours somebody sees, hotter is lighter on dark ground and darker on light.
        constexpr int steps = 50;
        for (int i = 1; i <= steps; ++i) {
            const double cold = luminance(theme->heatOf(double(i - 1) / steps)),
                         hot = luminance(theme->heatOf(double(i) / steps));
            QVERIFY2(theme->dark ? cold < hot : cold > hot, qPrintable(QString::number(i)));
        }
        QVERIFY(contrast(theme->heatOf(0), theme->heatOf(1)) >= 4.5);
    }

    void balanceIsTakenByLightnessOnBothSides_data() { textCanBeRead_data(); }
    void balanceIsTakenByLightnessOnBothSides()
    {
        QFETCH(QString, name);
        const auto theme = loadTheme(name);
        QVERIFY(theme);
        constexpr int steps = 50;
        for (const double side : {-0.5, 0.5})
            for (int i = 1; i <= steps; ++i) {
                const double weak = luminance(theme->balanceOf(0.5 + side * (i - 1) / steps)),
                             strong = luminance(theme->balanceOf(0.5 + side * i / steps));
                QVERIFY2(theme->dark ? weak < strong : weak > strong,
                         qPrintable(QString::number(i)));
            }
        for (int i = 0; i <= 100; ++i) {
            const QColor ground = theme->balanceOf(i / 100.0);
            QVERIFY2(contrast(ground, textOn(ground)) >= 4.5, qPrintable(ground.name()));
        }
    }

    void textOnHeatCanBeRead_data() { textCanBeRead_data(); }
    void textOnHeatCanBeRead()
    {
        QFETCH(QString, name);
        const auto theme = loadTheme(name);
        QVERIFY(theme);
        for (int i = 0; i <= 100; ++i) {
            const QColor ground = theme->heatOf(i / 100.0);
            QVERIFY2(contrast(ground, textOn(ground)) >= 4.5, qPrintable(ground.name()));
        }
    }

    void anUnknownThemeIsRefused()
    {
        const auto theme = loadTheme(QStringLiteral("sepia"));
        QVERIFY(!theme);
        QVERIFY(theme.error().message.find("sepia") != std::string::npos);
    }

    void everyIconIsPaintedInTheColourOfText()
    {
        for (QDirIterator it(QStringLiteral(":/icons")); it.hasNext();) {
            const QString file = QFileInfo(it.next()).completeBaseName();
            const QIcon icon = themedIcon(file);
            QVERIFY(!icon.isNull());
            const QImage picture = icon.pixmap(24, 24).toImage();
            bool painted = false;
            for (int i = 0; i < 24 * 24; ++i)
                painted = painted || qAlpha(picture.pixel(i % 24, i / 24)) > 100;
            QVERIFY2(painted, qPrintable(file));
        }
    }
};

GRAPHLOOM_WINDOW_TESTS(ThemeTest)

} // namespace graphloom::test::theme_test

#include "theme_test.moc"
