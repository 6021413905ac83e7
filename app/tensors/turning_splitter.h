// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>

namespace graphloom {

/// Places its parts side by side if there is room, and otherwise below each other.
class TurningSplitter final : public QSplitter {
    Q_OBJECT

public:
    using QSplitter::QSplitter;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
};

} // namespace graphloom
