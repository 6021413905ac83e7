// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace graphloom {

/// Shows the content of a panel in a dock that may be smaller than the content needs; the content
/// then scrolls. So no panel decides how small the window can be.
class PanelArea final : public QScrollArea {
    Q_OBJECT

public:
    explicit PanelArea(QWidget &content);

    QWidget &content() const { return m_content; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    class Frame;

    QWidget &m_content;
};

} // namespace graphloom
