// SPDX-License-Identifier: GPL-3.0-or-later
// A board in the window: added, measured on, and gone in the middle.
#include "app/devices/device_panel.h"
#include "app/kernels/kernel_panel.h"
#include "app/workbench/workbench.h"
#include "engine/target/target_plugins.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/board.h"
#include "tests/support/small_network.h"

#include <QDockWidget>
#include <QToolButton>

namespace graphloom::test::board_test {

/// With a server of ssh or a stand-in for adbd whose programs run under QEMU.
class BoardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(builtPlugins(), ThemeChoice::Dark,
                                                  loadTargetPlugins(GRAPHLOOM_TARGETS));
    }
    void cleanup()
    {
        m_driver.reset();
        m_board.reset();
    }

    void aPlanIsMeasuredOnABoard_data() { kinds(); }
    void aPlanIsMeasuredOnABoard()
    {
        if (const std::string problem = begin(); !problem.empty())
            QSKIP(problem.c_str());
        window().view<KernelPanel>().setOptions({.runs = 3, .threads = 1});
        measure();
        QVERIFY(m_driver->settle());
        QVERIFY2(job().state == DeviceJob::State::Done, qPrintable(panel().log()));
        QCOMPARE(job().run->outcome.provenance, Provenance::Device);
        QCOMPARE(job().run->deviceName(), QString::fromStdString(m_device));
        picture("measured");
    }

    void aCableThatIsPulledEndsTheJob_data() { kinds(); }
    void aCableThatIsPulledEndsTheJob()
    {
        if (const std::string problem = begin(); !problem.empty())
            QSKIP(problem.c_str());
        constexpr int many = 5000; // so that it still measures
        window().view<KernelPanel>().setOptions({.runs = many, .threads = 1});
        measure();
        QTRY_VERIFY2_WITH_TIMEOUT(job().doing.contains(QStringLiteral("measuring")) ||
                                      !job().isActive(),
                                  qPrintable(panel().log()), 60'000);
        QVERIFY2(job().isActive(), qPrintable(panel().log()));
        picture("measuring");
        m_board->disappear();
        QVERIFY(m_driver->settle());
        QCOMPARE(job().state, DeviceJob::State::Failed);
        QVERIFY2(panel().log().contains(QStringLiteral("127.0.0.1")), qPrintable(panel().log()));
        QVERIFY(window().session().snapshot()); // nothing is lost
        picture("pulled");
        panel().findChild<QToolButton *>(QStringLiteral("retryJob"))->click();
        QVERIFY(m_driver->settle());
        QCOMPARE(job().state, DeviceJob::State::Failed); // it is still away
    }

private:
    static void kinds()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("ssh") << int(Board::Kind::Ssh);
        QTest::newRow("adb") << int(Board::Kind::Adb);
    }
    /// Adds the board and opens a model; returns what is missing for that.
    std::string begin()
    {
        const auto arm = findChosen(loadTargetPlugins(GRAPHLOOM_TARGETS), "arm64:kirin990");
        if (!arm)
            return "needs the target arm64";
        if (const auto able = arm->target->checkDevice(arm->device); !able)
            return able.error().text();
        QFETCH(int, kind);
        m_board = std::make_unique<Board>(Board::Kind(kind), "qemu-aarch64 -cpu cortex-a76");
        if (!m_board->problem().empty())
            return m_board->problem();
        m_device = "arm64:kirin990@" + m_board->address();
        if (!m_driver->show(snapshotOf(std::make_shared<const Plan>(smallNetwork()), nullptr, {})))
            return "the network cannot be shown";
        bench().devices.add(m_device);
        window().findChild<QDockWidget *>(QStringLiteral("devices"))->raise();
        return m_driver->settle() ? std::string() : "the window does not settle";
    }
    void measure()
    {
        panel().choose(m_device);
        QTRY_VERIFY(
            panel().findChild<QToolButton *>(QStringLiteral("measureOnDevices"))->isEnabled());
        panel().findChild<QToolButton *>(QStringLiteral("measureOnDevices"))->click();
        QVERIFY(queue().rowCount() > 0);
    }
    /// Writes a picture of the window to the folder that GRAPHLOOM_PICTURES names, for people.
    void picture(const char *name)
    {
        const QString folder = qEnvironmentVariable("GRAPHLOOM_PICTURES");
        if (!folder.isEmpty())
            QVERIFY(window().grab().save(
                QStringLiteral("%1/%2_%3.png")
                    .arg(folder, QLatin1String(QTest::currentDataTag()), QLatin1String(name))));
    }
    MainWindow &window() { return m_driver->window(); }
    Workbench &bench() { return window().bench(); }
    DevicePanel &panel() { return window().view<DevicePanel>(); }
    DeviceQueue &queue() { return bench().deviceJobs.queue(); }
    const DeviceJob &job() { return queue().at(queue().rowCount() - 1); }

    std::unique_ptr<WindowDriver> m_driver;
    std::unique_ptr<Board> m_board;
    std::string m_device;
};

GRAPHLOOM_WINDOW_TESTS(BoardTest)

} // namespace graphloom::test::board_test

#include "board_test.moc"
