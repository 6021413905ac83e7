// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace graphloom {

/// Draws Qt's Fusion style without bevels and gradients: flat buttons, headers, tabs and thin
/// scroll bars in the colours of the palette. Painting in a style, not a style sheet, keeps theme
/// changes and repaints of the whole window within a frame.
class Style final : public QProxyStyle {
    Q_OBJECT

public:
    /// Property of a tab bar whose tabs, except the front one, show their icons without their names.
    static constexpr const char *iconTabs = "iconTabs";

    Style();

    int pixelMetric(PixelMetric metric, const QStyleOption *option,
                    const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returnData) const override;
    QIcon standardIcon(StandardPixmap pixmap, const QStyleOption *option,
                       const QWidget *widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                            QPainter *painter, const QWidget *widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                           const QWidget *widget) const override;
    using QProxyStyle::polish;
    void polish(QPalette &) override {} // the theme's palette is complete
};

} // namespace graphloom
