// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>

class QAction;
class QLabel;
class QVBoxLayout;

namespace graphloom {

/// A line of figures above a panel's table, as rich text that can be copied.
QLabel *statisticsLabel();

/// A panel that says what it will show, and offers the action that fills it, until there is
/// something to show.
class HintedPanel : public QStackedWidget {
    Q_OBJECT

public:
    explicit HintedPanel(QWidget *parent = nullptr);

    /// The action may be null. Both may change as the session goes on.
    void setHint(const QString &hint, QAction *action);
    void setContent(QWidget *content);
    void setEmpty(bool empty);
    bool isEmpty() const { return currentIndex() == 0; }

private:
    QLabel *m_label;
    QVBoxLayout *m_layout;
    QWidget *m_button = nullptr;
};

} // namespace graphloom
