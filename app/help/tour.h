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

/// Guides through a window with one note after the other. Each note waits until its task is done,
/// no matter how the user does it.
class Tour final : public QObject {
    Q_OBJECT

public:
    struct Step {
        QString title, text;
        /// Returns the part of the window that the note is about, in coordinates of the window;
        /// empty if nothing is visible.
        std::function<QRect()> part;
        /// Connects the signals that tell that the task is done to a function, for as long as
        /// `during` lives. Null for the last note.
        std::function<void(QObject &during, std::function<void()> done)> listen;
    };

    Tour(QWidget &window, std::vector<Step> steps);
    ~Tour() override;

    /// Starts the tour from the beginning, or from a later step.
    void start(int step = 0);
    void end();
    bool isRunning() const { return m_mark != nullptr; }
    int step() const { return m_step; }
    /// Returns the note, or null while the tour is not running.
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
    std::unique_ptr<QObject> m_during; // lives as long as the step
    QTimer m_clock;                    // repositions the note, as panels move
};

} // namespace graphloom
