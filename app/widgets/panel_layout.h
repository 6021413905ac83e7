// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QString>

#include <vector>

class QAction;
class QHBoxLayout;
class QLabel;
class QTabWidget;
class QToolButton;
class QVBoxLayout;
class QWidget;

namespace graphloom {

/// Lays widgets out in a row, and in further rows where there is not enough width for one.
class FlowLayout final : public QLayout {
    Q_OBJECT

public:
    ~FlowLayout() override;

    void addItem(QLayoutItem *item) override { m_items.push_back(item); }
    int count() const override { return int(m_items.size()); }
    QLayoutItem *itemAt(int index) const override;
    QLayoutItem *takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange(QRect(0, 0, width, 0), false); }
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect &rect) override;

private:
    int arrange(const QRect &rect, bool moves) const;

    std::vector<QLayoutItem *> m_items;
};

/// Returns a layout without margins, in which the parts of a panel lie directly below each other.
QVBoxLayout *makeColumn(QWidget &content);
/// Returns the content of a panel that has a line of figures above tabs, and may be narrow.
QWidget *makeTabbedContent(QLabel &line, QTabWidget &tabs);
/// Returns a row of small buttons above a chart.
QHBoxLayout *makeToolRow(QWidget &bar);
/// Returns a flat button for an action.
QToolButton *actionButton(QAction *action);
/// Adds a button with a text, and with its meaning as help. `name` is its object name.
QToolButton *addTool(QHBoxLayout &row, const char *name, const QString &text,
                     const QString &meaning);

} // namespace graphloom
