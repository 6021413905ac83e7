// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace graphloom {

/// Points at a part of a window with a note over the window and a frame around that part.
/// Everything else stays usable meanwhile.
class CoachMark final : public QFrame {
    Q_OBJECT

public:
    explicit CoachMark(QWidget *window);

    void setText(const QString &title, const QString &text, const QString &progress);
    /// Puts the note next to this part, in coordinates of the window; in the middle if it is empty.
    void pointAt(const QRect &part);
    /// Sets whether this is the last note, which has nothing to skip.
    void setLast(bool last);

    QString title() const;
    QPushButton &skipButton() { return *m_skip; }
    QPushButton &endButton() { return *m_end; }

Q_SIGNALS:
    void skipped();
    void ended();

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    class Outline;

    Outline *m_outline; // around the part
    QRect m_part;
    QLabel *m_title, *m_text, *m_progress;
    QPushButton *m_skip, *m_end;
};

} // namespace graphloom
