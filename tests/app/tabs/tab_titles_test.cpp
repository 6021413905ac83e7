// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/tab_titles.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::tab_titles_test {

class TabTitlesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void titlesAreNamesOfFiles()
    {
        QCOMPARE(tabTitles({"/m/a.onnx", "/m/b.onnx"}), QStringList({"a.onnx", "b.onnx"}));
    }

    void equalNamesHaveTheirFolders()
    {
        QCOMPARE(tabTitles({"/m/x/a.onnx", "/m/y/a.onnx", "/m/y/b.onnx"}),
                 QStringList({"a.onnx — x", "a.onnx — y", "b.onnx"}));
    }

    void foldersOfEqualNamesHaveTheirOwn()
    {
        QCOMPARE(tabTitles({"/p/x/a.onnx", "/q/x/a.onnx"}),
                 QStringList({"a.onnx — p/x", "a.onnx — q/x"}));
    }

    void aFileAtTheTopHasNoFolder()
    {
        QCOMPARE(tabTitles({"/a.onnx", "/x/a.onnx"}), QStringList({"a.onnx — /", "a.onnx — x"}));
    }

    void theSameFileHasTheSameTitle()
    {
        QCOMPARE(tabTitles({"/m/a.onnx", "/m/a.onnx"}), QStringList({"a.onnx", "a.onnx"}));
    }

    void noFileHasNoTitle() { QCOMPARE(tabTitles({"", ""}), QStringList({"", ""})); }
};

GRAPHLOOM_TESTS(TabTitlesTest)

} // namespace graphloom::test::tab_titles_test

#include "tab_titles_test.moc"
