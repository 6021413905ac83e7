// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/last_tabs.h"

#include "tests/support/test_program.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::last_tabs_test {

class LastTabsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesAreKept_data()
    {
        QTest::addColumn<QStringList>("files");
        QTest::newRow("none") << QStringList();
        QTest::newRow("one") << QStringList({"/a.onnx"});
        QTest::newRow("several") << QStringList({"/b.onnx", "/a.onnx", "/c.gloom"});
        QTest::newRow("odd names") << QStringList({"/r&d, 2.onnx", "/@é%20\".onnx"});
    }
    void filesAreKept()
    {
        QFETCH(QStringList, files);
        QCOMPARE(keptAndRead({files, 0}).files, files);
    }

    void theOneInFrontIsKept() { QCOMPARE(keptAndRead({{"/a.onnx", "/b.onnx"}, 1}).front, 1); }

    void theOneInFrontIsOneOfTheFiles_data()
    {
        QTest::addColumn<int>("kept");
        QTest::addColumn<int>("front");
        QTest::newRow("beyond the last") << 2 << 1; // the tab had no file
        QTest::newRow("before the first") << -1 << 0;
    }
    void theOneInFrontIsOneOfTheFiles()
    {
        QFETCH(int, kept);
        QFETCH(int, front);
        QCOMPARE(keptAndRead({{"/a.onnx", "/b.onnx"}, kept}).front, front);
    }

    void earlierTabsAreForgotten()
    {
        keptAndRead({{"/a.onnx", "/b.onnx"}, 1});
        QCOMPARE(keptAndRead({{}, 0}).files, QStringList());
    }

private:
    QString file() const { return m_folder.filePath(QStringLiteral("settings.ini")); }
    LastTabs keptAndRead(const LastTabs &tabs)
    {
        {
            QSettings settings(file(), QSettings::IniFormat);
            keep(tabs, settings);
        }
        return lastTabsIn(QSettings(file(), QSettings::IniFormat));
    }

    QTemporaryDir m_folder;
};

GRAPHLOOM_TESTS(LastTabsTest)

} // namespace graphloom::test::last_tabs_test

#include "last_tabs_test.moc"
