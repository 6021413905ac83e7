// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"

#include <QFrame>

class QLabel;
class QSpinBox;
class QToolButton;

namespace graphloom {

/// Says over the canvas that only some of the nodes are shown, and of what; how many steps up and
/// down can be changed, and all be shown again.
class FocusBar final : public QFrame {
    Q_OBJECT

public:
    explicit FocusBar(QWidget *parent = nullptr);

    /// What the drawing leaves out; hidden where that is nothing. Null for none.
    void show(const DrawingPointer &drawing);

    QString text() const;
    QSpinBox &up() { return *m_up; }
    QSpinBox &down() { return *m_down; }
    QToolButton &all() { return *m_all; }

Q_SIGNALS:
    void focusWanted(const graphloom::Focus &focus);
    void allWanted();

private:
    void change();

    Focus m_focus;
    QLabel *m_text, *m_upLabel, *m_downLabel;
    QSpinBox *m_up, *m_down;
    QToolButton *m_all;
    bool m_showing = false; // what is shown, not what is wanted
};

} // namespace graphloom
