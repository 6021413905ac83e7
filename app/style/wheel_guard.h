// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace graphloom {

/// Keeps the wheel from changing values while a form scrolls: spin boxes, combo boxes and sliders
/// take it only while they have the focus, and do not take the focus from it. Installed in the
/// application, it covers every form.
class WheelGuard final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace graphloom
