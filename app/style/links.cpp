// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/links.h"

#include <QLabel>

namespace graphloom {

void refreshLinks(QWidget &window)
{
    for (auto *label : window.findChildren<QLabel *>())
        if (const QString text = label->text(); text.contains(QLatin1String("<a "))) {
            label->clear();
            label->setText(text);
        }
}

} // namespace graphloom
