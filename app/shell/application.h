// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include <chrono>
#include <vector>

namespace graphloom {

/// Holds the time that one event took on the GUI thread.
struct EventTime {
    std::chrono::nanoseconds wall{0}; // as a user perceives it
    std::chrono::nanoseconds cpu{0};  // of this thread only, without other programs
    QString what;                     // receiver and type of the event
};

/// An `Application` measures how long its events take, for tests and benchmarks: none may block the
/// GUI thread for longer than a frame.
class Application final : public QApplication {
    Q_OBJECT

public:
    Application(int &argc, char **argv);

    /// Tells whether the desktop's own colours are dark.
    bool systemIsDark() const { return m_systemIsDark; }
    /// Reads the desktop's colours again, beneath those that the program has set, after they have
    /// changed.
    void lookAtSystem();

    bool notify(QObject *receiver, QEvent *event) override;

    /// Starts to time events. Events of nested event loops are timed on their own.
    void startTiming();
    /// Returns the events since startTiming() that took more wall time than `shortEvent`, in order.
    const std::vector<EventTime> &longEvents() const { return m_long; }
    /// Returns the number of events since startTiming(), short ones included.
    std::size_t eventCount() const { return m_events; }
    static constexpr std::chrono::milliseconds shortEvent{2};

private:
    bool m_systemIsDark = false;
    bool m_timing = false;
    std::size_t m_events = 0;
    std::vector<EventTime> m_long;
    /// Time of the event being timed that nested event loops took, including their waiting.
    std::chrono::nanoseconds m_nestedWall{0}, m_nestedCpu{0};
    int m_level = -1; // of the event loop whose event is being timed
};

} // namespace graphloom
