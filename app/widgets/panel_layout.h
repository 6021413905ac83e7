// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QHBoxLayout;
class QLabel;
class QTabWidget;
class QToolButton;
class QVBoxLayout;
class QWidget;

namespace graphloom {

/// Returns a layout without margins, in which the parts of a panel lie directly below each other.
QVBoxLayout *makeColumn(QWidget &content);
/// Returns the content of a panel that has a line of figures above tabs, and may be narrow.
QWidget *makeTabbedContent(QLabel &line, QTabWidget &tabs);
/// Returns a row of small buttons above a chart.
QHBoxLayout *makeToolRow(QWidget &bar);
/// Adds a button with a text, and with its meaning as help. `name` is its object name.
QToolButton *addTool(QHBoxLayout &row, const char *name, const QString &text,
                     const QString &meaning);

} // namespace graphloom
