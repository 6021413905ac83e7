// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QPushButton;
class QVBoxLayout;

namespace graphloom {

/// Shows how to open a model, and the models opened before, while none is open.
class WelcomePage final : public QWidget {
    Q_OBJECT

public:
    /// Creates the page, which offers recovery while `recover` is enabled.
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
