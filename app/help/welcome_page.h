// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QVBoxLayout;

namespace graphloom {

/// What the window shows before a model is open: how to open one, and those opened before.
class WelcomePage final : public QWidget {
    Q_OBJECT

public:
    /// Recovering is offered while its action can be used.
    WelcomePage(QAction *open, QAction *recover, QWidget *parent = nullptr);

    void setRecent(const QStringList &paths);

    QPushButton &sampleButton() { return *m_sample; }

Q_SIGNALS:
    void sampleWanted();
    void chosen(const QString &path);

private:
    QPushButton *m_sample;
    QVBoxLayout *m_recent;
    QWidget *m_recentTitle;
};

} // namespace graphloom
