// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/snapshot.h"
#include "app/views/theme.h"

#include <QWidget>

#include <memory>

namespace graphloom {

/// A line that says what the colours of the nodes mean, with the number of nodes of each class.
class Legend final : public QWidget {
    Q_OBJECT

public:
    explicit Legend(QWidget *parent = nullptr);

    void setSnapshot(const SnapshotPointer &snapshot);
    void setTheme(std::shared_ptr<const Theme> theme);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Entry {
        OperatorClass operatorClass;
        QString text, count;
    };

    std::shared_ptr<const Theme> m_theme;
    std::vector<Entry> m_entries;
};

} // namespace graphloom
