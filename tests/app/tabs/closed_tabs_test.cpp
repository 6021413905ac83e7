// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/closed_tabs.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace graphloom::test::closed_tabs_test {

namespace fs = std::filesystem;

class ClosedTabsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_tabs = {}; }

    void theLastOneComesFirst()
    {
        m_tabs.add({"/a.onnx", 3});
        m_tabs.add({"/b.onnx", 1});
        QCOMPARE(m_tabs.last()->file, fs::path("/b.onnx"));
        QCOMPARE(m_tabs.takeLast()->place, 1);
        QCOMPARE(m_tabs.takeLast()->place, 3);
        QVERIFY(!m_tabs.last());
        QVERIFY(!m_tabs.takeLast());
    }

    void onlyTenAreKept()
    {
        for (int i = 0; i < 15; ++i)
            m_tabs.add({"/" + std::to_string(i) + ".onnx", 0});
        int count = 0;
        fs::path first;
        while (const auto tab = m_tabs.takeLast()) {
            first = tab->file;
            ++count;
        }
        QCOMPARE(count, 10);
        QCOMPARE(first, fs::path("/5.onnx"));
    }

    void aFileIsListedOnce()
    {
        m_tabs.add({"/a.onnx", 0});
        m_tabs.add({"/b.onnx", 1});
        m_tabs.add({"/a.onnx", 2});
        QCOMPARE(m_tabs.takeLast()->place, 2);
        QCOMPARE(m_tabs.takeLast()->file, fs::path("/b.onnx"));
        QVERIFY(!m_tabs.last());
    }

    void aFileIsForgottenByALinkToIt()
    {
        const QTemporaryDir folder;
        const fs::path file = folder.filePath(QStringLiteral("a.onnx")).toStdString(),
                       link = folder.filePath(QStringLiteral("link.onnx")).toStdString();
        std::ofstream(file) << "a model";
        fs::create_symlink(file, link);
        m_tabs.add({file, 0});
        m_tabs.forget(link);
        QVERIFY(!m_tabs.last());
    }

    void otherFilesAreNotForgotten()
    {
        m_tabs.add({"/no/such/a.onnx", 0});
        m_tabs.forget("/no/such/b.onnx");
        QVERIFY(m_tabs.last());
    }

private:
    ClosedTabs m_tabs;
};

GRAPHLOOM_TESTS(ClosedTabsTest)

} // namespace graphloom::test::closed_tabs_test

#include "closed_tabs_test.moc"
