// SPDX-License-Identifier: GPL-3.0-or-later
// With a translation that marks all it translates: what is not marked was forgotten.
#include "app/common/translation.h"

#include "app/common/format.h"
#include "app/runs/pass_panel.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractButton>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QTableView>
#include <QTranslator>

namespace graphloom::test::translation_test {

using test::WindowDriver;

/// "Open" becomes "«Open»".
class Marker final : public QTranslator {
public:
    QString translate(const char *, const char *source, const char *, int) const override
    {
        return QChar(0xab) + QString::fromUtf8(source) + QChar(0xbb);
    }
    bool isEmpty() const override { return false; }
};

namespace {

/// Names, paths, numbers and signs are the same in all languages.
bool isTranslated(const QString &text)
{
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{2,}"));
    static const QStringList names{QStringLiteral("Graphloom")};
    return !word.match(text).hasMatch() || names.contains(text) || text.contains(QChar(0xab));
}

} // namespace

class TranslationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QCoreApplication::installTranslator(&m_marker);
        m_driver = std::make_unique<WindowDriver>();
    }
    void cleanupTestCase()
    {
        m_driver.reset();
        QCoreApplication::removeTranslator(&m_marker);
    }

    void menus()
    {
        for (const QAction *menu : window().menuBar()->actions())
            QVERIFY2(isTranslated(menu->text()), qPrintable(menu->text()));
        for (const QAction *action : window().allCommands()) {
            QVERIFY2(isTranslated(action->text()), qPrintable(action->text()));
            QVERIFY2(isTranslated(action->statusTip()), qPrintable(action->statusTip()));
        }
    }

    void docks()
    {
        for (const QDockWidget *dock : window().findChildren<QDockWidget *>())
            QVERIFY2(isTranslated(dock->windowTitle()), qPrintable(dock->windowTitle()));
    }

    void headers()
    {
        int columns = 0;
        for (const QTableView *table : window().findChildren<QTableView *>())
            for (int column = 0; table->model() && column < table->model()->columnCount();
                 ++column) {
                ++columns;
                const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
                QVERIFY2(isTranslated(title), qPrintable(table->objectName() + ": " + title));
            }
        QVERIFY(columns > 40);
    }

    void labelsAndButtons()
    {
        QStringList forgotten;
        const auto look = [&](const QWidget &widget, const QString &text) {
            const bool isName = widget.objectName() == QStringLiteral("deviceButton");
            if (!isName && !isTranslated(text))
                forgotten << QStringLiteral("%1 %2: %3")
                                 .arg(QString::fromLatin1(widget.metaObject()->className()),
                                      widget.objectName(), text);
        };
        for (const QLabel *label : window().findChildren<QLabel *>())
            look(*label, label->text());
        for (const QAbstractButton *button : window().findChildren<QAbstractButton *>())
            if (button->inherits("QToolButton") || button->inherits("QPushButton") ||
                button->inherits("QCheckBox"))
                look(*button, button->text());
        for (const QLineEdit *edit : window().findChildren<QLineEdit *>())
            look(*edit, edit->placeholderText());
        QVERIFY2(forgotten.isEmpty(), qPrintable(forgotten.join('\n')));
    }

    void tooltips()
    {
        QStringList forgotten;
        for (const QWidget *widget : window().findChildren<QWidget *>())
            if (!widget->inherits("QAbstractSpinBox") && !isTranslated(widget->toolTip()))
                forgotten << widget->objectName() + ": " + widget->toolTip();
        QVERIFY2(forgotten.isEmpty(), qPrintable(forgotten.join('\n')));
    }

    void englishHasPluralsOfItsOwn()
    {
        QCoreApplication::removeTranslator(&m_marker);
        // A test is beside the program's folder: build/tests and build/bin.
        QVERIFY(installTranslation(QLocale(QLocale::English)) ||
                !std::filesystem::exists(
                    (QCoreApplication::applicationDirPath() + "/../share/graphloom/i18n")
                        .toStdString()));
        QCOMPARE(formatNodes(1), QStringLiteral("1 node"));
        QCOMPARE(formatNodes(3), QStringLiteral("3 nodes"));
        QCoreApplication::installTranslator(&m_marker);
    }

private:
    MainWindow &window() { return m_driver->window(); }

    Marker m_marker;
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(TranslationTest)

} // namespace graphloom::test::translation_test

#include "translation_test.moc"
