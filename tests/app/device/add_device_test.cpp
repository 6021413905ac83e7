// SPDX-License-Identifier: GPL-3.0-or-later
// Adding a board in the window, as a person does it.
#include "app/device/add_device_dialog.h"
#include "engine/target/target_plugins.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/board.h"

#include <QComboBox>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>

namespace graphloom::test::add_device_test {

class AddDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(builtPlugins(), ThemeChoice::Dark,
                                                  loadTargetPlugins(GRAPHLOOM_TARGETS));
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
    }
    void cleanup()
    {
        m_driver.reset();
        m_board.reset();
    }

    void nothingCanBeAddedWithoutAnAddress()
    {
        open();
        QVERIFY(!button("addDeviceButton").isEnabled());
        QVERIFY(!button("testConnection").isEnabled());
        dialog().reject();
    }

    void theStepsOfATestAreShown()
    {
        if (!startBoard())
            QSKIP(m_board->problem().c_str());
        open();
        enter(address());
        button("testConnection").click();
        QTRY_COMPARE_WITH_TIMEOUT(steps().topLevelItemCount(), 4, 30000);
        QCOMPARE(steps().topLevelItem(3)->text(0), QStringLiteral("folder"));
        dialog().reject();
    }

    void theStepThatFailsIsTheLastOne()
    {
        open();
        enter(QStringLiteral("nobody@127.0.0.1:1"));
        button("testConnection").click();
        QTRY_COMPARE_WITH_TIMEOUT(steps().topLevelItemCount(), 2, 30000);
        QCOMPARE(steps().topLevelItem(1)->text(0), QStringLiteral("login"));
        const QLabel &problem = *dialog().findChild<QLabel *>(QStringLiteral("connectionProblem"));
        QVERIFY(problem.isVisible());
        QVERIFY(problem.text().contains(QStringLiteral("127.0.0.1")));
        dialog().reject();
    }

    void addedDevicesAreChosenAndKept()
    {
        open();
        enter(QStringLiteral("nobody@127.0.0.1:1"));
        button("addDeviceButton").click();
        QVERIFY(m_driver->settle());
        const QString name = description() + QStringLiteral("@ssh:nobody@127.0.0.1:1");
        QTRY_COMPARE(chooser().text(), name);
        m_driver->restart();
        QCOMPARE(chooser().text(), name);
        QVERIFY(entry(name));
    }

    void removedDevicesAreGone()
    {
        open();
        enter(QStringLiteral("nobody@127.0.0.1:1"));
        const QString name = description() + QStringLiteral("@ssh:nobody@127.0.0.1:1");
        button("addDeviceButton").click();
        QVERIFY(m_driver->settle());
        QTRY_VERIFY(entry(name));
        for (QMenu *menu : chooser().menu()->findChildren<QMenu *>())
            if (menu->title() == QStringLiteral("Remove"))
                menu->actions().front()->trigger();
        QTRY_VERIFY(!entry(name));
    }

private:
    bool startBoard()
    {
        m_board = std::make_unique<Board>(Board::Kind::Ssh);
        return m_board->problem().empty();
    }
    QString address() const { return QString::fromStdString(m_board->address()).section(u':', 1); }
    MainWindow &window() { return m_driver->window(); }
    QToolButton &chooser()
    {
        return *window().findChild<QToolButton *>(QStringLiteral("deviceButton"));
    }
    /// Returns the entry of a device in the chooser's menus; null if there is none.
    QAction *entry(const QString &name)
    {
        for (QMenu *menu : chooser().menu()->findChildren<QMenu *>())
            for (QAction *action : menu->actions())
                if (action->isCheckable() && action->text().section(u'\t', 0, 0) == name)
                    return action;
        return nullptr;
    }
    void open()
    {
        for (QAction *action : chooser().menu()->findChildren<QAction *>())
            if (action->objectName() == QStringLiteral("addDevice"))
                action->trigger();
        QTRY_VERIFY(window().findChild<AddDeviceDialog *>());
        m_description =
            dialog().findChild<QComboBox *>(QStringLiteral("deviceDescription"))->currentText();
    }
    AddDeviceDialog &dialog() { return *window().findChild<AddDeviceDialog *>(); }
    QPushButton &button(const char *name)
    {
        return *dialog().findChild<QPushButton *>(QLatin1String(name));
    }
    QTreeWidget &steps()
    {
        return *dialog().findChild<QTreeWidget *>(QStringLiteral("connectionSteps"));
    }
    void enter(const QString &text)
    {
        dialog().findChild<QLineEdit *>(QStringLiteral("deviceAddress"))->setText(text);
    }
    QString description() const { return m_description; }

    std::unique_ptr<WindowDriver> m_driver;
    std::unique_ptr<Board> m_board;
    QString m_description;
};

GRAPHLOOM_WINDOW_TESTS(AddDeviceTest)

} // namespace graphloom::test::add_device_test

#include "add_device_test.moc"
