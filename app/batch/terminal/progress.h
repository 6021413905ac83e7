// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"

#include <chrono>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>

namespace graphloom {

/// Writes progress to a stream. A bar is redrawn in place at a terminal; elsewhere each stage is
/// one line. As JSON each line is an event, an object {"event","time"} with further fields, as
/// {"event":"progress","time":1.25,"stage":"ago","fraction":0.5,"text":"merging"}. Times are
/// seconds since this object was made and never decrease. Writes at most ten updates a second.
/// Thread-safe.
class Progress {
public:
    Progress(ProgressStyle style, std::ostream &stream, bool terminal);
    ~Progress();

    /// Begins a stage: "open", a pass's name, "verify"…
    void begin(std::string_view stage);
    /// Shows the fraction done of the stage in 0..1, and the work in progress.
    void update(double fraction, std::string_view text);
    /// Ends the last stage and removes the bar.
    void end();
    /// Prints a line of its own in any style; as JSON a warning of this level.
    void say(const std::string &line, std::string_view level = "warning");
    /// Writes a JSON line; does nothing in other styles.
    void tell(std::string_view event, const nlohmann::ordered_json &fields);
    /// Returns the seconds since this object was made.
    double seconds() const;

private:
    using Clock = std::chrono::steady_clock;

    void write(std::string_view event, double fraction, std::string_view text);
    void writeEvent(std::string_view event, const nlohmann::ordered_json &fields);
    void clear();

    const ProgressStyle m_style;
    std::ostream &m_stream;
    const bool m_terminal;
    const Clock::time_point m_start = Clock::now();
    std::mutex m_mutex;
    std::string m_stage;
    Clock::time_point m_last;
    bool m_drawn = false;
};

} // namespace graphloom
