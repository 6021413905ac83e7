// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>

namespace graphloom {

namespace {

/// Returns the object as a widget with a value that the wheel changes, or null if it is none.
QWidget *valueField(QObject *object)
{
    const bool isField =
        qobject_cast<QAbstractSpinBox *>(object) || qobject_cast<QComboBox *>(object) ||
        (qobject_cast<QAbstractSlider *>(object) && !qobject_cast<QScrollBar *>(object));
    return isField ? static_cast<QWidget *>(object) : nullptr;
}

} // namespace

bool WheelGuard::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Polish) {
        QWidget *field = valueField(watched);
        if (field && field->focusPolicy() == Qt::WheelFocus)
            field->setFocusPolicy(Qt::StrongFocus);
    } else if (event->type() == QEvent::Wheel) {
        const QWidget *field = valueField(watched), *focus = QApplication::focusWidget();
        if (field && (!focus || (focus != field && !field->isAncestorOf(focus)))) {
            event->ignore(); // so that the form takes it
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace graphloom
