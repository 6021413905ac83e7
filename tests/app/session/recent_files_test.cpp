// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/recent_files.h"

#include "tests/support/app/window_driver.h"

#include <QMenu>
#include <QSettings>
#include <QSignalSpy>

namespace graphloom::test::recent_files_test {

class RecentFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings = std::make_unique<QSettings>(m_folder->filePath(QStringLiteral("s.ini")),
                                                 QSettings::IniFormat);
        m_menu = std::make_unique<QMenu>();
        m_recent = std::make_unique<RecentFiles>(*m_settings, *m_menu);
    }

    void newestIsFirstAndOnce()
    {
        for (const char *path : {"/a.onnx", "/b.onnx", "/a.onnx"})
            m_recent->add(QString::fromUtf8(path));
        QCOMPARE(m_recent->paths(),
                 QStringList({QStringLiteral("/a.onnx"), QStringLiteral("/b.onnx")}));
    }

    void onlyTenAreKept()
    {
        for (int i = 0; i < 15; ++i)
            m_recent->add(QStringLiteral("/%1.onnx").arg(i));
        QCOMPARE(m_recent->paths().size(), 10);
        QCOMPARE(m_recent->paths().front(), QStringLiteral("/14.onnx"));
    }

    void theMenuOpensThem()
    {
        QVERIFY(!m_menu->isEnabled());
        m_recent->add(QStringLiteral("/models/r&d.onnx"));
        QVERIFY(m_menu->isEnabled());
        QCOMPARE(m_menu->actions().front()->text(), QStringLiteral("&1  r&&d.onnx"));
        QSignalSpy chosen(m_recent.get(), &RecentFiles::chosen);
        m_menu->actions().front()->trigger();
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toString(), QStringLiteral("/models/r&d.onnx"));
    }

    void removedOnesAreGone()
    {
        m_recent->add(QStringLiteral("/a.onnx"));
        m_recent->remove(QStringLiteral("/a.onnx"));
        QVERIFY(m_recent->paths().isEmpty());
        QVERIFY(!m_menu->isEnabled());
    }

    void theyAreRemembered()
    {
        m_recent->add(QStringLiteral("/a.onnx"));
        QMenu menu;
        const RecentFiles later(*m_settings, menu);
        QCOMPARE(later.paths(), QStringList{QStringLiteral("/a.onnx")});
        QCOMPARE(menu.actions().size(), 1);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<QMenu> m_menu;
    std::unique_ptr<RecentFiles> m_recent;
};

GRAPHLOOM_WINDOW_TESTS(RecentFilesTest)

} // namespace graphloom::test::recent_files_test

#include "recent_files_test.moc"
