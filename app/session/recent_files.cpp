// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/recent_files.h"

#include <QFileInfo>
#include <QMenu>
#include <QSettings>

namespace graphloom {

namespace {

constexpr int mostFiles = 10;
const QString key = QStringLiteral("recentFiles");

} // namespace

RecentFiles::RecentFiles(QSettings &settings, QMenu &menu) : m_settings(settings), m_menu(menu)
{
    rebuild();
}

QStringList RecentFiles::paths() const
{
    return m_settings.value(key).toStringList();
}

void RecentFiles::add(const QString &path)
{
    QStringList files = paths();
    files.removeAll(path);
    files.prepend(path);
    store(files.mid(0, mostFiles));
}

void RecentFiles::remove(const QString &path)
{
    QStringList files = paths();
    if (files.removeAll(path) > 0)
        store(files);
}

void RecentFiles::store(const QStringList &files)
{
    m_settings.setValue(key, files);
    refresh();
}

void RecentFiles::refresh()
{
    rebuild();
    Q_EMIT changed();
}

void RecentFiles::rebuild()
{
    m_menu.clear();
    int number = 0;
    for (const QString &path : paths()) {
        const QString name = QFileInfo(path).fileName().replace('&', QStringLiteral("&&"));
        QAction *action = m_menu.addAction(
            ++number < 10 ? QStringLiteral("&%1  %2").arg(number).arg(name) : name);
        action->setToolTip(path);
        action->setStatusTip(path);
        connect(action, &QAction::triggered, this, [this, path] { Q_EMIT chosen(path); });
    }
    m_menu.setEnabled(number > 0);
    m_menu.setToolTipsVisible(true);
}

} // namespace graphloom
