// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <vector>

class QWidget;

namespace graphloom::test {

/// Returns WCAG 2.1's relative luminance of a colour, 0 to 1.
double luminance(const QColor &colour);
/// Returns WCAG 2.1's contrast ratio of two opaque colours, 1 to 21.
double contrast(const QColor &a, const QColor &b);

/// A text as a widget paints it.
struct PaintedText {
    QWidget *widget = nullptr;
    QString text;
    QRectF place;  // in the widget, from the ascent to the descent
    QColor colour; // may be transparent in part
    bool isLarge = false; // 18 pt, or bold and 14 pt, as WCAG defines it
};

/// Returns the texts that a widget and its visible children paint. Texts in pixmaps that a widget
/// has painted before are not among them.
std::vector<PaintedText> paintedTexts(QWidget &root);

/// Returns what is wrong with the texts of a widget, a line each: texts that the widget cuts off,
/// texts that lie over others, and texts with less contrast than WCAG 2.1 asks for (AA). Inactive
/// widgets need no contrast; what scrolls may be cut off.
QStringList textFaults(QWidget &root);

} // namespace graphloom::test
