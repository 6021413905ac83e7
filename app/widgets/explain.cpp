// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/explain.h"

#include "app/common/glossary.h"

#include <QWidget>

namespace graphloom {

void explainTerm(QWidget &widget, const char *key)
{
    const QString text = explained(widget.toolTip(), QLatin1String(key));
    widget.setToolTip(text);
    widget.setWhatsThis(text);
    widget.setProperty("term", QLatin1String(key));
}

} // namespace graphloom
