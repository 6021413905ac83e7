// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"

#include <QFrame>

class QLabel;
class QSpinBox;
class QToolButton;

namespace graphloom {

/// Shows above the canvas that only some of the nodes are shown, and which. The numbers of steps up
/// and down can be changed, and a button shows all nodes again.
class FocusBar final : public QFrame {
    Q_OBJECT

public:
    explicit FocusBar(QWidget *parent = nullptr);

    /// Shows the focus of a drawing, which may be null. The bar is hidden when there is no focus.
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
    bool m_showing = false; // values are being set, not changed by the user
};

} // namespace graphloom
