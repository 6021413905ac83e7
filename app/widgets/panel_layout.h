// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QHBoxLayout;
class QToolButton;
class QVBoxLayout;
class QWidget;

namespace graphloom {

/// A layout without margins, in which one part of a panel lies right below the other.
QVBoxLayout *makeColumn(QWidget &content);
/// A line of small buttons over a chart.
QHBoxLayout *makeToolRow(QWidget &bar);
/// Adds a button with a text, and with its meaning for those who ask; `name` is that of the object.
QToolButton *addTool(QHBoxLayout &row, const char *name, const QString &text,
                     const QString &meaning);

} // namespace graphloom
