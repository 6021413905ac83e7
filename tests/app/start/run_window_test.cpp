// SPDX-License-Identifier: GPL-3.0-or-later
// The program as it is started with a window, or asked for a picture of it.
#include "app/preferences/defaults.h"
#include "app/style/view_picture.h"
#include "app/tabs/last_tabs.h"
#include "engine/codegen/build/c_compiler.h"
#include "tests/support/app/program.h"
#include "tests/support/app/window_driver.h"

#include <QImage>
#include <QProcess>
#include <QSettings>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace graphloom::test::run_window_test {

using test::Outcome;
using test::runProgram;
using test::sampleFile;

namespace {

/// Of a colour, or nearly so: the edges of lines are blended with what is behind them.
int pixelsOf(const QImage &image, const QColor &colour, int tolerance = 0)
{
    const auto isNear = [tolerance](int value, int wanted) {
        return std::abs(value - wanted) <= tolerance;
    };
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QRgb pixel = image.pixel(x, y);
            count += isNear(qRed(pixel), colour.red()) && isNear(qGreen(pixel), colour.green()) &&
                     isNear(qBlue(pixel), colour.blue());
        }
    return count;
}

} // namespace

class RunWindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_config = std::make_unique<QTemporaryDir>(); }

    void aPictureNeedsNoDisplay_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<QString>("view");
        QTest::newRow("dark model") << QStringLiteral("dark") << QStringLiteral("model");
        QTest::newRow("light partition") << QStringLiteral("light") << QStringLiteral("partition");
        QTest::newRow("light blocks") << QStringLiteral("light") << QStringLiteral("blocks");
        QTest::newRow("dark rewriting") << QStringLiteral("dark") << QStringLiteral("rewriting");
    }
    void aPictureNeedsNoDisplay()
    {
        QFETCH(QString, theme);
        QFETCH(QString, view);
        const Outcome outcome = runProgram(
            {sampleFile("mobilenet_v2_224.onnx"), QStringLiteral("--screenshot"), picture(),
             QStringLiteral("--theme"), theme, QStringLiteral("--view"), view});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        QVERIFY2(!outcome.err.contains(QStringLiteral("This plugin")), qPrintable(outcome.err));
        const QImage image(picture());
        QCOMPARE(image.size(), QSize(1600, 1000));
        QCOMPARE(image.pixelColor(800, 5).lightness() < 128, theme == QLatin1String("dark"));
    }

    void heatIsMeasuredForItsPicture()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--theme"), QStringLiteral("light"),
                        QStringLiteral("--view"), QStringLiteral("heat")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        const int hottest = pixelsOf(QImage(picture()), theme->heatOf(1));
        QVERIFY2(hottest > 500, qPrintable(QString::number(hottest))); // a node at least
    }

    void tuningIsDoneForItsPicture()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        const Outcome outcome = runProgram(
            {sampleFile("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
             QStringLiteral("--theme"), QStringLiteral("light"), QStringLiteral("--view"),
             QStringLiteral("tuning"), QStringLiteral("--budget"), QStringLiteral("12trials")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        constexpr int tolerance = 16; // other colours of the theme are further away
        const int line = pixelsOf(QImage(picture()), theme->series.back(), tolerance);
        QVERIFY2(line > 50, qPrintable(QString::number(line))); // the best so far
    }

    void lessMemoryIsLookedForForItsPicture_data()
    {
        QTest::addColumn<QString>("view");
        QTest::newRow("memory") << QStringLiteral("memory");
        QTest::newRow("pareto") << QStringLiteral("pareto");
    }
    void lessMemoryIsLookedForForItsPicture()
    {
        QFETCH(QString, view);
        const Outcome outcome = runProgram(
            {sampleFile("mobilenet_v2_224.onnx"), QStringLiteral("--screenshot"), picture(),
             QStringLiteral("--theme"), QStringLiteral("light"), QStringLiteral("--view"), view,
             QStringLiteral("--budget"), QStringLiteral("1s")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        const QColor colour = view == QLatin1String("memory")
                                  ? theme->tensors[std::size_t(MemoryTimeline::Class::Activation)]
                                  : theme->series.front();
        const int drawn = pixelsOf(QImage(picture()), colour);
        QVERIFY2(drawn > 100, qPrintable(QString::number(drawn)));
    }

    void viewsAreWrittenWithoutADisplay()
    {
        const auto file = [this](const char *name) {
            return m_folder.filePath(QLatin1String(name));
        };
        const auto wanted = [&](const char *view, const char *name) {
            return QStringLiteral("%1=%2").arg(QLatin1String(view), file(name));
        };
        const QString option = QStringLiteral("--export-view");
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), option, wanted("model", "g.svg"), option,
                        wanted("nodes", "n.csv"), option, wanted("partition", "s.json"), option,
                        wanted("histogram", "h.png"), option, wanted("memory", "m.svg"),
                        QStringLiteral("--budget"), QStringLiteral("1s"),
                        QStringLiteral("--export-scale"), QStringLiteral("1")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        QVERIFY(test::contentOf(file("g.svg")).contains(">bert_tiny.onnx</text>"));
        QVERIFY(test::contentOf(file("n.csv")).startsWith("position,operator,name,"));
        QVERIFY(test::readJson(file("s.json")).size() > 1);
        QVERIFY(test::contentOf(file("m.svg")).contains(">Memory by step</text>"));
        const auto light = loadTheme(QStringLiteral("light"));
        const QImage histogram(file("h.png"));
        QCOMPARE(histogram.width(), int(usualSize.width()) + 32);
        QVERIFY(pixelsOf(histogram, light->series.front()) > 100);
    }

    void aTrainingGraphIsShown()
    {
        const QString file = m_folder.filePath(QStringLiteral("training.csv"));
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), QStringLiteral("--training"),
                        QStringLiteral("--export-view"), QStringLiteral("nodes=") + file});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        QVERIFY(test::contentOf(file).contains("graphloom.gradient"));
    }

    void exportsThatMeanNothingAreRefused_data()
    {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<int>("code");
        QTest::newRow("view") << QStringLiteral("nowhere=x.svg") << 2;
        QTest::newRow("extension") << QStringLiteral("memory=x.bmp") << 2;
        QTest::newRow("picture of a table") << QStringLiteral("messages=x.svg") << 2;
        QTest::newRow("no file") << QStringLiteral("memory=") << 2;
        QTest::newRow("no folder") << QStringLiteral("model=/no/such/folder/x.svg") << 4;
    }
    void exportsThatMeanNothingAreRefused()
    {
        QFETCH(QString, wanted);
        QFETCH(int, code);
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), QStringLiteral("--export-view"), wanted});
        QCOMPARE(outcome.code, code);
        QVERIFY(!outcome.err.isEmpty());
    }

    void withoutACompilerThereIsNoPictureOfKernels()
    {
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--view"), QStringLiteral("kernels")},
                       test::withoutCompilers());
        QCOMPARE(outcome.code, 4);
        QVERIFY2(outcome.err.contains(QStringLiteral("gcc")), qPrintable(outcome.err));
    }

    void withoutADisplayItSaysSo()
    {
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx")}, {QStringLiteral("QT_QPA_PLATFORM=")});
        QCOMPARE(outcome.code, 4);
        QVERIFY2(outcome.err.contains(QStringLiteral("no display")), qPrintable(outcome.err));
    }

    void aModelThatCannotBeReadIsSaid()
    {
        const QString broken = m_folder.filePath(QStringLiteral("broken.onnx"));
        std::ofstream(broken.toStdString()) << "this is no model";
        const Outcome outcome = runProgram({broken, QStringLiteral("--screenshot"), picture()});
        QCOMPARE(outcome.code, 3);
        QVERIFY2(outcome.err.contains(QStringLiteral("broken.onnx")), qPrintable(outcome.err));
    }

    void aPictureThatCannotBeWrittenIsSaid()
    {
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), QStringLiteral("--screenshot"),
                        m_folder.filePath(QStringLiteral("no such folder/x.png"))});
        QCOMPARE(outcome.code, 4);
        QVERIFY2(outcome.err.contains(QStringLiteral("cannot write here")),
                 qPrintable(outcome.err));
    }

    void anUnknownThemeIsRefused()
    {
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--theme"), QStringLiteral("sepia")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains(QStringLiteral("sepia")), qPrintable(outcome.err));
    }

    void anUnknownViewIsRefused()
    {
        const Outcome outcome =
            runProgram({sampleFile("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--view"), QStringLiteral("inside")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains(QStringLiteral("inside")), qPrintable(outcome.err));
    }

    void theCommandLineOpensAModel()
    {
        QVERIFY(opens(
            {sampleFile("bert_tiny.onnx"), QStringLiteral("--theme"), QStringLiteral("light")},
            sampleFile("bert_tiny.onnx")));
    }

    void withoutADocumentTheTabsOfTheLastTimeOpen()
    {
        keepTabs({sampleFile("bert_tiny.onnx")});
        QVERIFY(opens({}, sampleFile("bert_tiny.onnx")));
    }

    void aDocumentOpensInPlaceOfTheTabsOfTheLastTime()
    {
        keepTabs({sampleFile("mobilenet_v2_224.onnx")});
        QVERIFY(opens({sampleFile("bert_tiny.onnx")}, sampleFile("bert_tiny.onnx")));
        QCOMPARE(recentFiles(), QStringList(sampleFile("bert_tiny.onnx")));
    }

private:
    QString settingsFile() const
    {
        return m_config->filePath(QStringLiteral("graphloom/graphloom.conf"));
    }
    /// Lets the program restore tabs when it starts.
    void keepTabs(const QStringList &files)
    {
        QSettings settings(settingsFile(), QSettings::IniFormat);
        Defaults defaults;
        defaults.restoresTabs = true;
        keep(defaults, settings);
        keep(LastTabs{files, 0}, settings);
    }
    /// Returns what the program has opened, as its settings say.
    QStringList recentFiles() const
    {
        const QSettings settings(settingsFile(), QSettings::IniFormat);
        return settings.value(QStringLiteral("recentFiles")).toStringList();
    }
    /// Starts the program, and ends it when it has opened a file. Returns false if it does not.
    bool opens(const QStringList &arguments, const QString &file)
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_config->path());
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(GRAPHLOOM_BINARY), arguments);
        if (!process.waitForStarted())
            return false;
        const bool opened = QTest::qWaitFor(
            [&] { return QFile::exists(settingsFile()) && recentFiles().contains(file); },
            test::patience);
        process.terminate();
        return process.waitForFinished(20'000) && opened;
    }

    QString picture() const { return m_folder.filePath(QStringLiteral("picture.png")); }

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_config; // of the program's settings
};

GRAPHLOOM_WINDOW_TESTS(RunWindowTest)

} // namespace graphloom::test::run_window_test

#include "run_window_test.moc"
