// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/help_view.h"
#include "app/views/operator_reference.h"
#include "tests/support/app/window_driver.h"

#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QTextBrowser>

using namespace graphloom;

class HelpViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyLinkLeadsToAPage();
    void saysWhatIsNotSupported();
    void showsFormulas();
    void theReferenceHasEveryParameter();
};

void HelpViewTest::everyLinkLeadsToAPage()
{
    testing::WindowDriver driver(testing::builtPlugins());
    HelpView &help = driver->help(); // with the pages that the window adds
    QStringList pages{QStringLiteral("index")};
    QSet<QString> seen{pages.first()};
    static const QRegularExpression links(QStringLiteral("\\]\\(([a-z0-9-]+)\\.md\\)"));
    while (!pages.isEmpty()) {
        const QString page = pages.takeFirst();
        help.showPage(page);
        QVERIFY2(help.browser().toPlainText().size() > 100, qPrintable(page + " is empty"));
        const QString source = help.browser()
                                   .loadResource(QTextDocument::MarkdownResource,
                                                 QUrl(QStringLiteral("qrc:/help/%1.md").arg(page)))
                                   .toString();
        for (const auto &match : links.globalMatch(source))
            if (const QString next = match.captured(1); !seen.contains(next)) {
                seen.insert(next);
                pages << next;
            }
    }
    QVERIFY(seen.contains(QStringLiteral("passes")));
    QVERIFY(seen.contains(QStringLiteral("operators-contraction")));
}

void HelpViewTest::saysWhatIsNotSupported()
{
    const QString page = operatorPage(QStringLiteral("operators"));
    const QString part = page.mid(page.indexOf(QStringLiteral("## Not supported")));
    QVERIFY(part.contains(QStringLiteral("- ImageDecoder: it decodes image files")));
    QVERIFY(!part.contains(QStringLiteral("- Conv")));
}

void HelpViewTest::showsFormulas()
{
    HelpView help({});
    help.showPage(QStringLiteral("operators-contraction"));
    QVERIFY(help.browser().toPlainText().contains(
        QStringLiteral("y0[n,o,h,w] += x0[n,i,h+r-1,w+s-1] * x1[o,i,r,s]")));
    QVERIFY(operatorPage(QStringLiteral("canvas")).isEmpty());
}

void HelpViewTest::theReferenceHasEveryParameter()
{
    const testing::ScriptedPass pass(
        [](Plan plan, const Context &) -> Result<Plan> { return plan; });
    const QString text =
        passReference({{"scripted.so", std::make_shared<testing::ScriptedPass>(pass), {}},
                       {"broken.so", nullptr, "crashes"}});
    for (const Parameter &parameter : pass.parameters())
        QVERIFY(text.contains(
            QStringLiteral("| `%1` |")
                .arg(QString::fromUtf8(parameter.name.data(), qsizetype(parameter.name.size())))));
    QVERIFY(text.contains(QStringLiteral("slow, fast, fastest")));
    QVERIFY(text.contains(QStringLiteral("Cannot be used: crashes")));
}

GRAPHLOOM_WINDOW_TESTS(HelpViewTest)
#include "help_view_test.moc"
