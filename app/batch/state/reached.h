// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "engine/plan/plan.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace graphloom {

/// Holds the last plan that a batch has reached, for a process that is about to end: a thread works
/// and writes its outputs at the end, another one may have to write them earlier.
class Reached {
public:
    explicit Reached(const BatchOptions &options) : m_options(options) {}

    /// Sets a plan; the last one counts. Thread-safe.
    void set(std::shared_ptr<const Plan> plan);
    /// Marks that the working thread begins to write. Does not return once another thread saves,
    /// because the process is about to end.
    void beginWriting();
    /// Marks that the working thread has finished writing.
    void endWriting();

    /// Writes the last plan to the files of --export and --save, with a message on standard error.
    /// If the working thread is writing already, waits instead.
    void save();
    /// Removes the exports that a save(), or the working thread, has begun and not put in place.
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
