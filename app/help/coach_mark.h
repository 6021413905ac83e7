// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace graphloom {

/// A note that points at a part of a window, over it, with a frame around that part. Stands in
/// nobody's way: everything else can be used meanwhile.
class CoachMark final : public QFrame {
    Q_OBJECT

public:
    explicit CoachMark(QWidget *window);

    void setText(const QString &title, const QString &text, const QString &progress);
    /// Next to this part, in coordinates of the window; empty: in the middle.
    void pointAt(const QRect &part);
    /// The last note has nothing to skip.
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
