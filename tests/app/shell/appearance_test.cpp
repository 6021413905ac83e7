// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the window in both themes, with CTest tests for each scale of the desktop.
// GRAPHLOOM_APPEARANCE_SIZE (1920x1080) gives the window another size than the least, and a picture
// of all that is inspected is left in the folder that GRAPHLOOM_APPEARANCE_PICTURES names, if it
// does: tests/desktop/panels.
#include "app/docks/in_sight.h"
#include "app/shell/panel_docks.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/painted_texts.h"
#include "tests/support/app/window_driver.h"

#include <QCheckBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>

namespace graphloom::test::appearance_test {

namespace {

/// Returns the least size of the window, or the one that the environment asks for.
QSize windowSize()
{
    const QStringList sides =
        qEnvironmentVariable("GRAPHLOOM_APPEARANCE_SIZE", QStringLiteral("1024x600")).split('x');
    return {sides.value(0).toInt(), sides.value(1).toInt()};
}

/// Paints texts with faults, as the texts of windows must not be.
class Faulty final : public QWidget {
public:
    Faulty()
    {
        setFixedSize(200, 100);
        setAutoFillBackground(true);
        setPalette(QPalette(Qt::white, Qt::white));
    }
    std::function<void(QPainter &)> paint;

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), Qt::white);
        painter.setPen(Qt::black);
        paint(painter);
    }
};

QStringList faultsOf(const std::function<void(QPainter &)> &paint)
{
    Faulty widget;
    widget.paint = paint;
    widget.show();
    return textFaults(widget);
}

} // namespace

class AppearanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void faultsAreFound()
    {
        QCOMPARE(faultsOf([](QPainter &p) { p.drawText(10, 40, "good"); }), QStringList());
        const auto hasOne = [](const QStringList &faults, const char *text) {
            return faults.size() == 1 && faults.front().contains(QLatin1String(text));
        };
        QVERIFY(hasOne(faultsOf([](QPainter &p) { p.drawText(180, 40, "beyond the right"); }),
                       "is cut off"));
        QVERIFY(hasOne(faultsOf([](QPainter &p) {
                           p.setPen(QColor(150, 150, 150));
                           p.drawText(10, 40, "pale");
                       }),
                       "contrast of 2."));
        QVERIFY(hasOne(faultsOf([](QPainter &p) {
                           p.drawText(10, 40, "one");
                           p.drawText(14, 42, "other");
                       }),
                       "lies over \"one\""));
    }

    void panels_data() { addThemes(); }
    void panels()
    {
        QFETCH(ThemeChoice, theme);
        start(theme);
        QVERIFY(m_driver->show(fusedInSubgraphs(mobileNet())));
        window().selection().select(Item::block(1));
        inspectPanels();
    }

    void panelsWithoutModel_data() { addThemes(); }
    void panelsWithoutModel()
    {
        QFETCH(ThemeChoice, theme);
        start(theme);
        inspectPanels();
    }

    void panelsAfterPassesAndRuns_data() { addThemes(); }
    void panelsAfterPassesAndRuns()
    {
        QFETCH(ThemeChoice, theme);
        start(theme, scripted(fakeBuild(m_log, std::chrono::milliseconds(1))));
        QVERIFY(m_driver->open(deepSample()));
        QTest::keyClick(&window(), Qt::Key_F5);
        QVERIFY(m_driver->settle());
        QTest::keyClick(&window(), Qt::Key_F6);
        QVERIFY(m_driver->settle());
        QTest::keyClick(&window(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        window().selection().select(
            Item::of(window().session().snapshot()->graph().order().front()));
        inspectPanels();
    }

    void menus_data() { addThemes(); }
    void menus()
    {
        QFETCH(ThemeChoice, theme);
        start(theme);
        QVERIFY(m_driver->show(fusedInSubgraphs(mobileNet())));
        for (QAction *action : window().menuBar()->actions()) {
            QMenu *menu = action->menu();
            menu->popup(window().mapToGlobal(QPoint(10, 30)));
            const bool scrolls = std::ranges::any_of(menu->actions(), [menu](QAction *entry) {
                return !menu->rect().contains(menu->actionGeometry(entry));
            });
            if (!scrolls && menu->height() + 10 < menu->screen()->size().height())
                inspect(*menu, action->text());
            menu->hide();
        }
    }

    void dialogs_data() { addThemes(); }
    void dialogs()
    {
        QFETCH(ThemeChoice, theme);
        start(theme);
        QVERIFY(m_driver->open(deepSample()));
        const Actions &a = window().actions();
        for (QAction *action : {a.exportPicture, a.exportTable, a.keys, a.commands, a.inputShapes,
                                a.training, a.about}) {
            action->trigger();
            QVERIFY(m_driver->settle());
            for (QWidget *dialog : QApplication::topLevelWidgets())
                if (dialog->isVisible() && dialog != &window()) {
                    if (const auto *shapes =
                            dialog->findChild<QLabel *>(QStringLiteral("shapeResult")))
                        QTRY_VERIFY(!shapes->text().startsWith(QStringLiteral("Reading")));
                    inspect(*dialog, action->text());
                    dialog->close();
                }
            inspect(window(), QStringLiteral("window, ") + action->text()); // with the palette
        }
    }

    void boxesCanBeSeen_data() { addThemes(); }
    void boxesCanBeSeen()
    {
        QFETCH(ThemeChoice, theme);
        start(theme);
        QCheckBox box;
        for (const bool checked : {false, true}) {
            box.setChecked(checked);
            box.resize(box.sizeHint());
            box.show();
            const QImage picture = box.grab().toImage();
            const QColor ground = picture.pixelColor(0, 0);
            double most = 1;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x)
                    most = std::max(most, contrast(ground, picture.pixelColor(x, y)));
            QVERIFY2(most >= 3, qPrintable(QString::number(most))); // WCAG 2.1, 1.4.11
        }
    }

    void aThemeChangeIsComplete()
    {
        start(ThemeChoice::Light);
        QVERIFY(m_driver->show(fusedInSubgraphs(mobileNet())));
        window().selection().select(Item::block(1)); // its links are in several panels
        window().panels().raise(QStringLiteral("help"));
        window().actions().help->trigger();
        QTest::keyClick(&window(), Qt::Key_T, Qt::ControlModifier);
        QVERIFY(window().theme().dark);
        inspectPanels();
    }

    void cleanup() { m_driver.reset(); }

private:
    static void addThemes()
    {
        QTest::addColumn<ThemeChoice>("theme");
        QTest::newRow("dark") << ThemeChoice::Dark;
        QTest::newRow("light") << ThemeChoice::Light;
    }

    void start(ThemeChoice theme, std::vector<TargetPlugin> targets = {})
    {
        m_driver.emplace(builtPlugins(), theme, std::move(targets));
        window().resize(windowSize());
        window().show();
        QVERIFY(m_driver->settle());
        QCOMPARE(window().size(), windowSize()); // nothing needs more
    }

    /// Returns the path of a model in folders whose names are longer than most: paths are among the
    /// texts.
    std::filesystem::path deepSample() const
    {
        const std::filesystem::path folder =
            m_driver->scratch("measurements of the spring/models that were exported by the trainer/"
                              "with weights, before quantization");
        std::filesystem::create_directories(folder);
        std::filesystem::copy(sample("mobilenet_v2_224.onnx"), folder);
        return folder / "mobilenet_v2_224.onnx";
    }

    /// Inspects the window with each panel in front, and maximized.
    void inspectPanels()
    {
        for (const PanelPointer &panel : window().panels().panels()) {
            const QString key = panel->facts().key;
            window().panels().raise(key);
            QVERIFY(m_driver->settle());
            QCOMPARE(window().size(), windowSize());
            inspect(window(), key);
            QTest::keyClick(&window(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
            QVERIFY(m_driver->settle());
            QTRY_VERIFY2(isInSight(window().panels().dock(key)), qPrintable(key));
            inspect(window(), key + QStringLiteral(", maximized"));
            QTest::keyClick(&window(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
            QCoreApplication::processEvents();
        }
    }

    /// Returns whether no scroll bar takes room that the content could use. Bars follow the size of
    /// their area some events later.
    static bool areBarsNeeded(const QWidget &widget)
    {
        return std::ranges::none_of(widget.findChildren<QScrollArea *>(), [](const auto *area) {
            const auto isIdle = [](const QScrollBar *bar) {
                return bar->isVisible() && bar->minimum() == bar->maximum();
            };
            return isIdle(area->horizontalScrollBar()) || isIdle(area->verticalScrollBar());
        });
    }

    void inspect(QWidget &widget, const QString &what)
    {
        QTRY_VERIFY2(areBarsNeeded(widget), qPrintable(what));
        const QString folder = qEnvironmentVariable("GRAPHLOOM_APPEARANCE_PICTURES");
        if (!folder.isEmpty()) {
            QVERIFY(QDir().mkpath(folder));
            const QString name = QStringLiteral("%1 %2 %3.png")
                                     .arg(QTest::currentTestFunction(), QTest::currentDataTag(),
                                          QString(what).remove(QRegularExpression("[^\\w ]")));
            QVERIFY(widget.grab().save(folder + '/' + name));
        }
        const QStringList faults = textFaults(widget);
        if (!faults.isEmpty()) {
            const QString picture =
                QDir::temp().filePath(QStringLiteral("graphloom-%1.png")
                                          .arg(QString(what).remove(QRegularExpression("\\W"))));
            widget.grab().save(picture);
            QFAIL(qPrintable(QStringLiteral("%1:\n    %2\n    picture: %3")
                                 .arg(what, faults.join(QStringLiteral("\n    ")), picture)));
        }
    }
    MainWindow &window() { return m_driver->window(); }

    std::optional<WindowDriver> m_driver;
    std::vector<std::string> m_log;
};

GRAPHLOOM_WINDOW_TESTS(AppearanceTest)

} // namespace graphloom::test::appearance_test

#include "appearance_test.moc"
