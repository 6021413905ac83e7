// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docks/in_sight.h"

#include <QWidget>

namespace graphloom {

bool isInSight(const QWidget &widget)
{
    if (!widget.isVisible())
        return false;
    QRect seen = widget.rect();
    for (const QWidget *part = &widget; !part->isWindow(); part = part->parentWidget())
        seen = seen.translated(part->pos()).intersected(part->parentWidget()->rect());
    return !seen.isEmpty();
}

} // namespace graphloom
