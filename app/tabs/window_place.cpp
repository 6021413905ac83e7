// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/window_place.h"

#include <QScreen>
#include <QSettings>
#include <QWidget>

namespace graphloom {

namespace {

constexpr QSize firstSize(1500, 940);
const QString geometryKey = QStringLiteral("window/geometry");

} // namespace

void restorePlace(QWidget &window, const QSettings &settings)
{
    if (!window.restoreGeometry(settings.value(geometryKey).toByteArray()))
        window.resize(firstSize);
}

void savePlace(const QWidget &window, QSettings &settings)
{
    settings.setValue(geometryKey, window.saveGeometry());
}

void showOnScreen(QWidget &window)
{
    constexpr int border = 10, title = 40; // estimates, as frames are known only after showing
    window.resize(window.size().boundedTo(window.screen()->availableSize() -
                                          QSize(2 * border, title + border)));
    window.show();
}

} // namespace graphloom
