// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/item.h"

#include <QObject>

namespace graphloom {

/// The one selection that runs through all views.
class Selection final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const Item &item() const { return m_item; }
    void select(const Item &item)
    {
        if (item == m_item)
            return;
        m_item = item;
        Q_EMIT changed(m_item);
    }
    void clear() { select({}); }

Q_SIGNALS:
    void changed(const graphloom::Item &item);

private:
    Item m_item;
};

} // namespace graphloom
