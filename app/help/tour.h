// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QRect>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

class QWidget;

namespace graphloom {

class CoachMark;

/// A walk through a window: one note after the other, each of which waits until what it asks for
/// was done, however somebody does it.
class Tour final : public QObject {
    Q_OBJECT

public:
    struct Step {
        QString title, text;
        /// What it is about, in coordinates of the window; empty: nothing that can be seen.
        std::function<QRect()> part;
        /// Connects what tells that it was done to a function, for as long as `during` lives. Null:
        /// the last note.
        std::function<void(QObject &during, std::function<void()> done)> listen;
    };

    Tour(QWidget &window, std::vector<Step> steps);
    ~Tour() override;

    /// Begins anew, perhaps with what comes later.
    void start(int step = 0);
    void end();
    bool isRunning() const { return m_mark != nullptr; }
    int step() const { return m_step; }
    /// Null while it is not running.
    CoachMark *mark() { return m_mark; }

Q_SIGNALS:
    void ended();

private:
    void show(int step);
    void place();

    QWidget &m_window;
    std::vector<Step> m_steps;
    int m_step = 0;
    CoachMark *m_mark = nullptr;
    std::unique_ptr<QObject> m_during; // the step
    QTimer m_clock;                    // panels move
};

} // namespace graphloom
