// SPDX-License-Identifier: GPL-3.0-or-later
// The program as it is started with a window, or asked for a picture of it.
#include "engine/codegen/c_compiler.h"
#include "tests/support/app/window_driver.h"

#include <QImage>
#include <QProcess>

#include <fstream>

using namespace graphloom;

namespace {

struct Outcome {
    int code = -1;
    QString errors;
};

Outcome runProgram(const QStringList &arguments, const QString &platform = {},
                   const QString &programs = {})
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (!programs.isEmpty())
        environment.insert(QStringLiteral("PATH"), programs);
    for (const char *variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromUtf8(variable));
    if (!platform.isEmpty())
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), platform);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(GRAPHLOOM_BINARY), arguments);
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit)
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
}

QString model(const char *name)
{
    return QString::fromStdString(testing::sample(name).string());
}

} // namespace

class RunWindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        const Outcome outcome =
            runProgram({model("mobilenet_v2_224.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--theme"), theme, QStringLiteral("--view"), view});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.errors));
        QVERIFY2(!outcome.errors.contains(QStringLiteral("This plugin")),
                 qPrintable(outcome.errors));
        const QImage image(picture());
        QCOMPARE(image.size(), QSize(1600, 1000));
        QCOMPARE(image.pixelColor(800, 5).lightness() < 128, theme == QLatin1String("dark"));
    }

    void heatIsMeasuredForItsPicture()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        const Outcome outcome =
            runProgram({model("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--theme"), QStringLiteral("light"),
                        QStringLiteral("--view"), QStringLiteral("heat")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.errors));
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        const QImage image(picture());
        int hottest = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                hottest += image.pixelColor(x, y) == theme->heatOf(1);
        QVERIFY2(hottest > 500, qPrintable(QString::number(hottest))); // a node at least
    }

    void tuningIsDoneForItsPicture()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        const Outcome outcome = runProgram(
            {model("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
             QStringLiteral("--theme"), QStringLiteral("light"), QStringLiteral("--view"),
             QStringLiteral("tuning"), QStringLiteral("--budget"), QStringLiteral("4s")});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.errors));
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        const QImage image(picture());
        int line = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                line += image.pixelColor(x, y) == theme->series.back();
        QVERIFY2(line > 50, qPrintable(QString::number(line))); // the best so far
    }

    void withoutACompilerThereIsNoPictureOfKernels()
    {
        const Outcome outcome =
            runProgram({model("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--view"), QStringLiteral("kernels")},
                       {}, m_folder.path());
        QCOMPARE(outcome.code, 4);
        QVERIFY2(outcome.errors.contains(QStringLiteral("gcc")), qPrintable(outcome.errors));
    }

    void withoutADisplayItSaysSo()
    {
        const Outcome outcome = runProgram({model("bert_tiny.onnx")});
        QCOMPARE(outcome.code, 4);
        QVERIFY2(outcome.errors.contains(QStringLiteral("there is no display")),
                 qPrintable(outcome.errors));
    }

    void aModelThatCannotBeReadIsSaid()
    {
        const QString broken = m_folder.filePath(QStringLiteral("broken.onnx"));
        std::ofstream(broken.toStdString()) << "this is no model";
        const Outcome outcome = runProgram({broken, QStringLiteral("--screenshot"), picture()});
        QCOMPARE(outcome.code, 3);
        QVERIFY2(outcome.errors.contains(QStringLiteral("broken.onnx")),
                 qPrintable(outcome.errors));
    }

    void aPictureThatCannotBeWrittenIsSaid()
    {
        const Outcome outcome =
            runProgram({model("bert_tiny.onnx"), QStringLiteral("--screenshot"),
                        m_folder.filePath(QStringLiteral("no such folder/x.png"))});
        QCOMPARE(outcome.code, 4);
        QVERIFY2(outcome.errors.contains(QStringLiteral("cannot write here")),
                 qPrintable(outcome.errors));
    }

    void anUnknownThemeIsRefused()
    {
        const Outcome outcome =
            runProgram({model("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--theme"), QStringLiteral("sepia")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.errors.contains(QStringLiteral("sepia")), qPrintable(outcome.errors));
    }

    void anUnknownViewIsRefused()
    {
        const Outcome outcome =
            runProgram({model("bert_tiny.onnx"), QStringLiteral("--screenshot"), picture(),
                        QStringLiteral("--view"), QStringLiteral("inside")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.errors.contains(QStringLiteral("inside")), qPrintable(outcome.errors));
    }

    void theCommandLineOpensAModel()
    {
        // What it opened is in its settings' recent files when it is asked to end.
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_folder.path());
        process.setProcessEnvironment(environment);
        process.start(
            QStringLiteral(GRAPHLOOM_BINARY),
            {model("bert_tiny.onnx"), QStringLiteral("--theme"), QStringLiteral("light")});
        QVERIFY(process.waitForStarted());
        const auto settings = [this] {
            QFile file(m_folder.filePath(QStringLiteral("graphloom/graphloom.conf")));
            return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
        };
        const bool opened = QTest::qWaitFor(
            [&] { return settings().contains(QStringLiteral("bert_tiny.onnx")); }, 30'000);
        process.terminate();
        QVERIFY(process.waitForFinished(20'000));
        QVERIFY2(opened, qPrintable(settings()));
    }

private:
    QString picture() const { return m_folder.filePath(QStringLiteral("picture.png")); }

    QTemporaryDir m_folder;
};

GRAPHLOOM_WINDOW_TESTS(RunWindowTest)
#include "run_window_test.moc"
