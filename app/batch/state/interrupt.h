// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace graphloom {

/// Turns SIGINT and SIGTERM into stop requests while it lives. The first signal asks the
/// computation to stop, so that the result so far can be written. The second one ends the process
/// with exit code 130 within a second, whatever its threads do: child processes are killed, and
/// `save` is called for what can still be saved meanwhile; it may be cut off at any point, so
/// `tidy` then removes its unfinished files. A third one ends the process at once. Only one object
/// may exist at a time.
class Interrupt {
public:
    explicit Interrupt(
        std::function<void()> save = [] {}, std::function<void()> tidy = [] {});
    /// Waits for the end of the process if a second signal has come.
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

    std::stop_token stop() const { return m_stop.get_token(); }
    /// Tells whether a signal has come.
    bool requested() const { return m_stop.stop_requested(); }

private:
    void watch();
    [[noreturn]] void endProcess();

    std::function<void()> m_save, m_tidy;
    std::stop_source m_stop;
    int m_pipe[2] = {-1, -1};
    std::mutex m_mutex;
    std::condition_variable m_ended;
    bool m_over = false; // nothing is left to save
    std::thread m_stopping, m_watcher;
};

} // namespace graphloom
