// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

class QMenu;
class QSettings;

namespace graphloom {

/// Keeps the files opened last, newest first, in the session settings, and lists them in a menu.
class RecentFiles final : public QObject {
    Q_OBJECT

public:
    RecentFiles(QSettings &settings, QMenu &menu);

    QStringList paths() const;
    void add(const QString &path);
    void remove(const QString &path);
    /// Reads the files again after another list with these settings has changed them.
    void refresh();

Q_SIGNALS:
    void chosen(const QString &path);
    void changed();

private:
    void store(const QStringList &paths);
    void rebuild();

    QSettings &m_settings;
    QMenu &m_menu;
};

} // namespace graphloom
