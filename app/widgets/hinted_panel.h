// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>

class QAction;
class QLabel;
class QVBoxLayout;

namespace graphloom {

/// Returns a label for a line of figures above a panel's table, with rich text that can be copied.
QLabel *statisticsLabel();

/// A panel that shows a hint about its future content, and the action that fills it, until there is
/// something to show.
class HintedPanel : public QStackedWidget {
    Q_OBJECT

public:
    explicit HintedPanel(QWidget *parent = nullptr);

    /// Sets the hint and the action, which may be null. Both may change during the session.
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
