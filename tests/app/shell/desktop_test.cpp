// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop knows of our files, from the descriptions that are installed.
#include "tests/support/app/window_driver.h"

#include <QFile>
#include <QMimeDatabase>

namespace graphloom::test::desktop_test {

using test::sample;
using test::WindowDriver;

namespace {

std::filesystem::path installed(const char *name)
{
    return std::filesystem::path(GRAPHLOOM_SAMPLES) / "../../installer" / name;
}

} // namespace

class DesktopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QString packages = m_data.filePath(QStringLiteral("mime/packages"));
        QVERIFY(QDir().mkpath(packages));
        QVERIFY(QFile::copy(QString::fromStdString(installed("graphloom.xml").string()),
                            packages + QStringLiteral("/graphloom.xml")));
        qputenv("XDG_DATA_HOME", m_data.path().toUtf8());
    }

    void modelsAreKnownByTheirNames()
    {
        QCOMPARE(typeOf(QString::fromStdString(sample("bert_tiny.onnx").string())),
                 QStringLiteral("application/x-onnx"));
    }

    void sessionsAreKnownByTheirNames()
    {
        WindowDriver driver;
        QVERIFY(driver.open(sample("bert_tiny.onnx")));
        const auto file = driver.scratch("saved.gloom");
        driver->bench().documents.saveTo(file);
        QVERIFY(QTest::qWaitFor([&] { return std::filesystem::exists(file); }));
        QVERIFY(driver.settle());
        QCOMPARE(typeOf(QString::fromStdString(file.string())),
                 QStringLiteral("application/x-graphloom-session"));
    }

    void theDesktopEntryOpensBoth()
    {
        QFile entry(QString::fromStdString(installed("graphloom.desktop").string()));
        QVERIFY(entry.open(QIODevice::ReadOnly));
        const QByteArray text = entry.readAll();
        for (const char *type : {"application/x-onnx;", "application/x-graphloom-session;"})
            QVERIFY2(text.contains(type), type);
    }

private:
    static QString typeOf(const QString &file)
    {
        return QMimeDatabase().mimeTypeForFile(file).name();
    }

    QTemporaryDir m_data;
};

GRAPHLOOM_WINDOW_TESTS(DesktopTest)

} // namespace graphloom::test::desktop_test

#include "desktop_test.moc"
