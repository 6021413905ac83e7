// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/terminal/progress.h"
#include "app/results/check.h"

#include <chrono>
#include <vector>

namespace graphloom {

/// Writes the log of a batch: progress and warnings to one stream, results to the other. Records
/// the outcome of every step for JUnit and the reports.
class BatchLog {
public:
    BatchLog(ProgressStyle style, std::ostream &out, std::ostream &err, bool terminal)
        : m_out(out), m_progress(style, err, terminal)
    {
    }

    void begin(std::string_view stage)
    {
        m_stageStart = Clock::now();
        m_stage = stage;
        m_progress.begin(stage);
    }
    void update(double fraction, std::string_view text) { m_progress.update(fraction, text); }
    /// Returns the stage that began last; seconds() returns its time so far.
    const std::string &stage() const { return m_stage; }
    double seconds() const
    {
        return std::chrono::duration<double>(Clock::now() - m_stageStart).count();
    }
    /// Returns the seconds of the whole batch.
    double totalSeconds() const { return m_progress.seconds(); }
    std::chrono::system_clock::time_point start() const { return m_start; }

    /// Records a check whose time is that of the stage until now.
    void record(std::string group, std::string name, Check::Outcome outcome,
                std::string message = {})
    {
        record({std::move(group), std::move(name), outcome, std::move(message), seconds()});
    }
    void recordPassed(std::string group, std::string name)
    {
        record(std::move(group), std::move(name), Check::Outcome::Passed);
    }
    void record(std::string group, std::string name, bool passed, std::string message)
    {
        record(std::move(group), std::move(name),
               passed ? Check::Outcome::Passed : Check::Outcome::Failed, std::move(message));
    }
    void record(Check check) { m_checks.push_back(std::move(check)); }
    const std::vector<Check> &checks() const { return m_checks; }

    void print(const std::string &line);
    /// Returns the text printed so far.
    const std::string &printed() const { return m_printed; }
    void say(const std::string &line, std::string_view level = "error")
    {
        m_progress.say(line, level);
        m_messages.push_back(line);
    }
    void warn(const std::string &text) { say("graphloom: warning: " + text, "warning"); }
    /// Returns the warnings and errors.
    const std::vector<std::string> &messages() const { return m_messages; }
    /// Writes an event for readers of progress as JSON.
    void tell(std::string_view event, const nlohmann::ordered_json &fields)
    {
        m_progress.tell(event, fields);
    }

private:
    using Clock = std::chrono::steady_clock;

    std::ostream &m_out;
    Progress m_progress;
    std::vector<Check> m_checks;
    std::vector<std::string> m_messages;
    std::string m_printed;
    std::string m_stage = "set up"; // for the JUnit error when it fails
    Clock::time_point m_stageStart = Clock::now();
    std::chrono::system_clock::time_point m_start = std::chrono::system_clock::now();
};

} // namespace graphloom
