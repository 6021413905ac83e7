// SPDX-License-Identifier: GPL-3.0-or-later
// Search in the help: over all pages, and in the page that is shown.
#include "app/help/help_search.h"

#include "app/graph/canvas_page.h"
#include "app/help/find_bar.h"
#include "app/help/help_view.h"
#include "app/query/search_bar.h"
#include "tests/support/app/window_driver.h"

#include <QLineEdit>
#include <QTextBrowser>

namespace graphloom::test::help_search_test {

using test::WindowDriver;

namespace {

const std::vector<HelpPage> pages{
    {"canvas",
     "# The canvas\n\n[Contents](index.md)\n\nZoom with the wheel. A search finds nodes."},
    {"search", "# Search and filters\n\n## Numbers\n\nA search has *words* | and numbers."},
    {"runs", "# Runs\n\nRuns are listed. Researching is something else."}};

QStringList namesOf(const std::vector<HelpSearch::Hit> &hits)
{
    QStringList names;
    for (const HelpSearch::Hit &hit : hits)
        names << hit.page;
    return names;
}

} // namespace

class HelpSearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTitleCountsMost()
    {
        QCOMPARE(namesOf(HelpSearch(pages).find(QStringLiteral("search"))),
                 QStringList({"search", "canvas", "runs"})); // the last has it within a word
    }

    void allWordsMustOccur()
    {
        QCOMPARE(namesOf(HelpSearch(pages).find(QStringLiteral("search wheel"))),
                 QStringList("canvas"));
        QVERIFY(HelpSearch(pages).find(QStringLiteral("wheel listed")).empty());
        QVERIFY(HelpSearch(pages).find(QStringLiteral("  ")).empty());
    }

    void aSnippetIsPlainText()
    {
        const auto hits = HelpSearch(pages).find(QStringLiteral("words"));
        QCOMPARE(hits.size(), std::size_t(1));
        QVERIFY2(hits.front().snippet.contains(QStringLiteral("A search has words and numbers.")),
                 qPrintable(hits.front().snippet));
    }

    void wordsAreMarked()
    {
        const QString page = HelpSearch(pages).pageOf(QStringLiteral("Wheel"));
        QVERIFY(page.contains(QStringLiteral("[The canvas](canvas.md)")));
        QVERIFY(page.contains(QStringLiteral("**wheel**")));
    }

    void aQueryWithoutResultsIsEscaped()
    {
        const QString page = HelpSearch(pages).pageOf(QStringLiteral("no*such"));
        QVERIFY2(page.contains(QStringLiteral("No page")), qPrintable(page));
        QVERIFY2(page.contains(QStringLiteral("no\\*such")), qPrintable(page));
    }

    void typingSearchesAllPages()
    {
        WindowDriver driver(test::builtPlugins());
        HelpView &help = shown(driver);
        help.searchEdit().setFocus();
        QTest::keyClicks(&help.searchEdit(), QStringLiteral("softmax formula"));
        QTRY_VERIFY_WITH_TIMEOUT(help.page() == QLatin1String("search-results"), 20'000);
        QTRY_VERIFY(!help.isSearching());
        QVERIFY(help.browser().toPlainText().contains(QStringLiteral("Search results")));
        QVERIFY(!help.browser().toPlainText().contains(QStringLiteral("No page")));
        help.searchEdit().setText(QStringLiteral("micro-batching"));
        QTest::keyClick(&help.searchEdit(), Qt::Key_Return);
        QTRY_VERIFY(help.browser().toHtml().contains(QStringLiteral("memory.md"))); // a link
        QVERIFY(help.browser().hasFocus());
    }

    void pagesOfTheWindowAreFound()
    {
        WindowDriver driver;
        HelpView &help = shown(driver);
        help.searchEdit().setText(QStringLiteral("Ctrl+Shift+E"));
        QTest::keyClick(&help.searchEdit(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(help.browser().toHtml().contains(QStringLiteral("keys.md")),
                                 20'000);
    }

    void findsInThePage()
    {
        WindowDriver driver;
        HelpView &help = shown(driver);
        help.showPage(QStringLiteral("canvas"));
        help.browser().setFocus();
        QTest::keyClick(&help.browser(), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(help.findBar().isVisible());
        QVERIFY(help.findBar().edit().hasFocus());
        QVERIFY(!driver->page().search().isVisible()); // it is not the search for nodes
        QTest::keyClicks(&help.findBar().edit(), QStringLiteral("zoom"));
        const QString first = help.findBar().state();
        QVERIFY2(first.startsWith(QStringLiteral("1 of ")), qPrintable(first));
        QTest::keyClick(&help.findBar().edit(), Qt::Key_Return);
        QVERIFY(help.findBar().state().startsWith(QStringLiteral("2 of ")));
        QTest::keyClick(&help.findBar().edit(), Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(help.findBar().state(), first);
        QVERIFY(help.browser().extraSelections().size() > 1);
    }

    void escapeClosesTheBar()
    {
        WindowDriver driver;
        HelpView &help = shown(driver);
        help.browser().setFocus();
        QTest::keyClick(&help.browser(), Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(&help.findBar().edit(), QStringLiteral("no such text"));
        QCOMPARE(help.findBar().state(), QStringLiteral("No match"));
        QTest::keyClick(&help.findBar().edit(), Qt::Key_Escape);
        QVERIFY(!help.findBar().isVisible());
        QVERIFY(help.browser().hasFocus());
        QVERIFY(help.browser().extraSelections().isEmpty());
    }

    void theNextMatchOpensTheClosedBar()
    {
        WindowDriver driver;
        HelpView &help = shown(driver);
        help.showPage(QStringLiteral("canvas"));
        help.findBar().open();
        help.findBar().edit().setText(QStringLiteral("zoom"));
        QTest::keyClick(&help.findBar().edit(), Qt::Key_Escape);
        QTest::keyClick(&help.browser(), Qt::Key_F3);
        QVERIFY(help.findBar().isVisible());
        QVERIFY(help.browser().extraSelections().size() > 1);
    }

    void matchesAreMarkedAgainInAnotherTheme()
    {
        WindowDriver driver;
        HelpView &help = shown(driver);
        help.showPage(QStringLiteral("canvas"));
        help.findBar().open();
        help.findBar().edit().setText(QStringLiteral("zoom"));
        const auto before = help.browser().extraSelections().size();
        driver->actions().themeLight->trigger();
        const auto marks = help.browser().extraSelections();
        QCOMPARE(marks.size(), before);
        QCOMPARE(marks.front().cursor.selectedText().toLower(), QStringLiteral("zoom"));
    }

    void anEmptiedSearchShowsNoResults()
    {
        WindowDriver driver(test::builtPlugins());
        HelpView &help = shown(driver);
        help.searchEdit().setText(QStringLiteral("softmax"));
        QTest::keyClick(&help.searchEdit(), Qt::Key_Return);
        help.searchEdit().clear();
        QTest::keyClick(&help.searchEdit(), Qt::Key_Return);
        QVERIFY(!help.isSearching());
    }

private:
    HelpView &shown(WindowDriver &driver)
    {
        driver->actions().help->trigger();
        driver->activateWindow();
        if (!QTest::qWaitForWindowActive(&driver.window()))
            qFatal("the window is not active");
        return driver->view<HelpView>();
    }
};

GRAPHLOOM_WINDOW_TESTS(HelpSearchTest)

} // namespace graphloom::test::help_search_test

#include "help_search_test.moc"
