// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/turning_splitter.h"

#include <QResizeEvent>

namespace graphloom {

namespace {

constexpr int wideEnough = 560;

} // namespace

QSize TurningSplitter::minimumSizeHint() const
{
    // That of either arrangement: a dock must become narrow before the parts can turn.
    return {220, 60};
}

void TurningSplitter::resizeEvent(QResizeEvent *event)
{
    const QSize size = event->size();
    const bool beside = size.width() >= wideEnough || size.width() >= 2 * size.height();
    setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    QSplitter::resizeEvent(event);
}

} // namespace graphloom
