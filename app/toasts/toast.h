// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>
#include <QTimer>

class QLabel;
class QToolButton;

namespace graphloom {

/// Tells in a corner of the window what has become of a file, without interrupting the user. It
/// goes away by itself, but not while the pointer or the focus is on it; an error stays.
class Toast final : public QFrame {
    Q_OBJECT

public:
    struct Content {
        QString text;
        QString file = {}; // to show in its folder; empty: none
        bool isError = false;
    };
    Toast(Content content, QWidget *parent);

    const Content &content() const { return m_content; }
    /// Sets for how many milliseconds an unattended toast stays.
    void setPatience(int milliseconds);
    /// Tells whether the pointer or the focus is on it.
    bool isAttended() const;
    /// Gives the focus to its first button.
    void takeFocus();
    QToolButton &folderButton() { return *m_folder; }
    QToolButton &pathButton() { return *m_path; }
    QToolButton &closeButton() { return *m_close; }

Q_SIGNALS:
    void closed();

protected:
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    QToolButton *button(const char *name, const QString &text, const QString &meaning);
    QLayout *makeHead();
    QLayout *makeButtons();
    void wait();
    void showFolder();
    void copyPath();

    const Content m_content;
    QLabel *m_text;
    QToolButton *m_folder, *m_path, *m_close;
    QTimer m_patience;
    bool m_hovered = false;
};

} // namespace graphloom
