// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "engine/plan/plan.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace graphloom {

/// The last plan that a batch has reached, for a process that is about to end: one thread works and
/// would write its outputs in the end, another one may have to write them before that.
class Reached {
public:
    explicit Reached(const BatchOptions &options) : m_options(options) {}

    /// A plan on the way; the last one counts. For any thread.
    void set(std::shared_ptr<const Plan> plan);
    /// The working thread begins to write. Does not return once another one saves: the process is
    /// about to end.
    void beginWriting();
    /// The working thread is done with writing.
    void endWriting();

    /// Writes the last plan where --export and --save want it, with a word about it on standard
    /// error; waits instead where the working thread writes already.
    void save();
    /// Removes what a save(), or the working thread, has begun to export and not put in its place.
    void tidy() const;

private:
    enum class Writer { Nobody, Worker, Saver };

    void write(const Plan &plan) const;

    const BatchOptions &m_options;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::shared_ptr<const Plan> m_plan;
    Writer m_writer = Writer::Nobody;
    bool m_written = false;
};

} // namespace graphloom
