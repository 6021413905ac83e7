// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <thread>

namespace graphloom {

/// Turns SIGINT and SIGTERM into stop requests while it lives. The first one ends the passes,
/// which then give the best plan so far; the second one ends what follows, such as verification;
/// a third one has its usual effect. One object at a time.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

    std::stop_token passes() const { return m_passes.get_token(); }
    std::stop_token everything() const { return m_everything.get_token(); }
    /// True once a signal has come.
    bool requested() const { return m_passes.stop_requested(); }

private:
    void watch();

    std::stop_source m_passes, m_everything;
    int m_pipe[2] = {-1, -1};
    std::thread m_watcher;
};

} // namespace graphloom
