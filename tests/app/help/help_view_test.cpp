// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/help_view.h"
#include "app/help/operator_reference.h"
#include "tests/support/app/window_driver.h"

#include <QDir>
#include <QImage>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QTextBrowser>

namespace graphloom::test::help_view_test {

class HelpViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyLinkLeadsToAPage();
    void everyPictureIsThereInBothThemes();
    void saysWhatIsNotSupported();
    void showsFormulas();
    void theReferenceHasEveryParameter();
};

void HelpViewTest::everyLinkLeadsToAPage()
{
    test::WindowDriver driver(test::builtPlugins());
    HelpView &help = driver->view<HelpView>(); // with the pages that the window adds
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

void HelpViewTest::everyPictureIsThereInBothThemes()
{
    static const QRegularExpression pictures(QStringLiteral("\\]\\((pictures/[a-z]+)\\.png\\)"));
    int found = 0;
    for (const QFileInfo &page : QDir(QStringLiteral(":/help")).entryInfoList({"*.md"})) {
        QFile file(page.filePath());
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const auto &match : pictures.globalMatch(QString::fromUtf8(file.readAll())))
            for (const char *theme : {"dark", "light"}) {
                const QString name =
                    QStringLiteral(":/help/%1-%2.png").arg(match.captured(1), theme);
                QVERIFY2(!QImage(name).isNull(), qPrintable(name));
                ++found;
            }
    }
    QVERIFY(found > 10);
    // Pages show that of the theme.
    HelpView help({});
    help.showPage(QStringLiteral("memory"));
    const auto picture = help.browser()
                             .loadResource(QTextDocument::ImageResource,
                                           QUrl(QStringLiteral("qrc:/help/pictures/memory.png")))
                             .value<QImage>();
    QVERIFY(!picture.isNull());
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
    const test::ScriptedPass pass([](Plan plan, const Context &) -> Result<Plan> { return plan; });
    const QString text =
        passReference({{"scripted.so", std::make_shared<test::ScriptedPass>(pass), {}},
                       {"broken.so", nullptr, "crashes"}});
    for (const Parameter &parameter : pass.parameters())
        QVERIFY(text.contains(
            QStringLiteral("| `%1` |")
                .arg(QString::fromUtf8(parameter.name.data(), qsizetype(parameter.name.size())))));
    QVERIFY(text.contains(QStringLiteral("slow, fast, fastest")));
    QVERIFY(text.contains(QStringLiteral("Cannot be used: crashes")));
}

GRAPHLOOM_WINDOW_TESTS(HelpViewTest)

} // namespace graphloom::test::help_view_test

#include "help_view_test.moc"
