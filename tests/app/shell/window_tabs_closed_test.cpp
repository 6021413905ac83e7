// SPDX-License-Identifier: GPL-3.0-or-later
// Closed tabs that are opened again.
#include "tests/support/app/tabs_driver.h"

#include <QSignalSpy>

namespace graphloom::test::window_tabs_closed_test {

class WindowTabsClosedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_driver = std::make_unique<TabsDriver>(); }
    void cleanup() { m_driver.reset(); }

    void withoutAClosedTabThereIsNothingToOpen()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QVERIFY(!reopening(0).isEnabled());
    }

    void aTabOpensAtItsPlace()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        close(1);
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx", "c.onnx"}));
        reopen();
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx", "b.onnx", "c.onnx"}));
        QTRY_COMPARE(window().bar().currentIndex(), 1);
        QVERIFY(m_driver->settle());
        QVERIFY(m_driver->tab(1).session().snapshot());
    }

    void earlierOnesFollow()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        close(0);
        close(1);
        reopen();
        reopen();
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx", "b.onnx", "c.onnx"}));
        QVERIFY(!reopening(0).isEnabled());
        QVERIFY(m_driver->settle());
    }

    void tabsThatWereClosedTogetherOpenInTheirOrder()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx", "d.onnx"}));
        m_driver->tab(2).actions().closeOthers->trigger();
        QCOMPARE(m_driver->titles(), QStringList({"c.onnx"}));
        for (int i = 0; i < 3; ++i)
            reopen();
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx", "b.onnx", "c.onnx", "d.onnx"}));
        QVERIFY(m_driver->settle());
    }

    void theLastModelReplacesTheStartPage()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        m_driver->press(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(!m_driver->tab(0).session().snapshot());
        reopen();
        QVERIFY(m_driver->settle());
        QCOMPARE(m_driver->titles(), QStringList({"a.onnx"}));
    }

    void aSessionOpensAgain()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        QSignalSpy saved(&m_driver->tab(1).session(), &Session::saved);
        m_driver->tab(1).bench().documents.saveTo(m_driver->scratch("b.gloom"));
        QVERIFY(saved.wait(patience));
        close(1);
        reopen();
        QVERIFY(m_driver->settle());
        QCOMPARE(m_driver->tab(1).session().file(), m_driver->scratch("b.gloom"));
    }

    void theCommandOfEachTabNamesTheFile()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        close(1);
        const QString file = QString::fromStdString(m_driver->scratch("b.onnx").string());
        for (int tab : {0, 1}) {
            QVERIFY2(reopening(tab).toolTip().contains(file), qPrintable(reopening(tab).toolTip()));
            QVERIFY(reopening(tab).statusTip().endsWith(file));
        }
    }

    void aNewTabOffersTheClosedOne()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        close(1);
        QVERIFY(m_driver->openModels({"c.onnx"}));
        QVERIFY(reopening(1).isEnabled());
    }

    void aVanishedFileIsTold()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        close(1);
        std::filesystem::remove(m_driver->scratch("b.onnx"));
        reopen();
        QCOMPARE(window().count(), 2);
        QTRY_COMPARE_WITH_TIMEOUT(m_driver->titles(), QStringList({"a.onnx"}), patience);
        QVERIFY(m_driver->tab(0).session().messages().index(0).data().toString().startsWith(
            QStringLiteral("Cannot open b.onnx")));
        QVERIFY(!reopening(0).isEnabled());
    }

    void aFileThatIsOpenAgainIsNotOffered()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        close(1);
        QVERIFY(m_driver->openModels({"b.onnx"}));
        QVERIFY(!reopening(0).isEnabled());
    }

    void workWithoutAFileIsNotOffered()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QVERIFY(makeTrainingGraph());
        close(1);
        QCOMPARE(window().count(), 1);
        QVERIFY(!reopening(0).isEnabled());
    }

    void aModelOpensBesideItsTrainingGraph()
    {
        QVERIFY(m_driver->openModels({"a.onnx"}));
        QVERIFY(makeTrainingGraph());
        close(0);
        reopen();
        QCOMPARE(window().count(), 2);
        QVERIFY(m_driver->settle());
        QVERIFY(!m_driver->tab(0).session().snapshot()->plan->training);
    }

    void aTabThatMovesToAWindowIsNotClosed()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx"}));
        const std::unique_ptr<TabbedWindow> other(window().moveToWindow(m_driver->tab(1)));
        QVERIFY(!reopening(0).isEnabled());
    }

    void aWindowOffersItsOwnTabs()
    {
        QVERIFY(m_driver->openModels({"a.onnx", "b.onnx", "c.onnx"}));
        close(2);
        const std::unique_ptr<TabbedWindow> other(window().moveToWindow(m_driver->tab(1)));
        QVERIFY(reopening(0).isEnabled());
        QVERIFY(!other->current().actions().reopen->isEnabled());
    }

private:
    TabbedWindow &window() { return m_driver->window(); }
    QAction &reopening(int tab) { return *m_driver->tab(tab).actions().reopen; }
    void close(int tab) { m_driver->click(tab, Qt::MiddleButton); }
    void reopen() { m_driver->press(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier); }
    /// Makes a training graph of the first model, in a tab behind it.
    bool makeTrainingGraph()
    {
        m_driver->tab(0).bench().training.make({}, std::nullopt);
        return QTest::qWaitFor([&] { return window().count() == 2; }, patience) &&
               m_driver->settle() && m_driver->tab(1).session().snapshot()->plan->training;
    }

    std::unique_ptr<TabsDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(WindowTabsClosedTest)

} // namespace graphloom::test::window_tabs_closed_test

#include "window_tabs_closed_test.moc"
