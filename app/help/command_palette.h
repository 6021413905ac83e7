// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPointer>

#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace graphloom {

/// Lists every action of the window by name: type a few letters, and Enter runs it. Floats over its
/// parent; Escape or a click elsewhere closes it.
class CommandPalette final : public QFrame {
    Q_OBJECT

public:
    explicit CommandPalette(QWidget *parent);

    void setActions(std::vector<QAction *> actions);
    /// Distance from the upper edge of the parent, below its menus and tools.
    static constexpr int usualTop = 64;
    /// Opens with its upper edge at `top`.
    void open(int top = usualTop);

    QLineEdit &edit() { return *m_edit; }
    QListWidget &list() { return *m_list; }

    /// Returns how well `text` matches the letters of `typed` in their order: higher is better,
    /// negative if it does not contain all of them. Starts of words count most.
    static int score(const QString &typed, const QString &text);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void refresh();
    void runCurrent();
    void dismiss();

    std::vector<QAction *> m_actions;
    std::vector<QAction *> m_shown;
    QLineEdit *m_edit;
    QListWidget *m_list;
    QPointer<QWidget> m_before; // had the focus before
};

} // namespace graphloom
