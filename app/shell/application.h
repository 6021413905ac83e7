// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include <chrono>
#include <vector>

namespace graphloom {

/// What one event took of the GUI thread.
struct EventTime {
    std::chrono::nanoseconds wall{0}; // as a user feels it
    std::chrono::nanoseconds cpu{0};  // of this thread: without what other programs took
    QString what;                     // receiver and type of the event
};

/// The application; it knows how long its events take, for tests and benchmarks: none may keep
/// the GUI thread longer than a frame.
class Application final : public QApplication {
    Q_OBJECT

public:
    Application(int &argc, char **argv);

    /// Whether the desktop's own colours are dark.
    bool systemIsDark() const { return m_systemIsDark; }
    /// Looks again, below the colours that the program has set: after the desktop has changed them.
    void lookAtSystem();

    bool notify(QObject *receiver, QEvent *event) override;

    /// From here on events are timed. Events in nested event loops count for themselves.
    void startTiming();
    /// Those since then that took more wall time than `shortEvent`, in their order.
    const std::vector<EventTime> &longEvents() const { return m_long; }
    /// How many events were timed since then, short ones, too.
    std::size_t eventCount() const { return m_events; }
    static constexpr std::chrono::milliseconds shortEvent{2};

private:
    bool m_systemIsDark = false;
    bool m_timing = false;
    std::size_t m_events = 0;
    std::vector<EventTime> m_long;
    /// Time that nested event loops, including their waiting, took of the event being timed.
    std::chrono::nanoseconds m_nestedWall{0}, m_nestedCpu{0};
    int m_level = -1; // of the event loop whose event is being timed
};

} // namespace graphloom
