// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/common/worker.h"
#include "engine/profile/profile_database.h"

#include <filesystem>
#include <optional>

namespace graphloom {

/// Lists what plans took on devices, today and before, the newest first: the history of the profile
/// database, which is read and written on threads.
class RunHistory final : public RowsModel<ProfiledRun> {
    Q_OBJECT

public:
    enum Column { When, Device, Model, Plan, Threads, Median, Least, Most, Runs, Clock, Celsius };

    /// `profile` is the file of the database; none: the user's.
    explicit RunHistory(std::optional<std::filesystem::path> profile);

    /// Reads the history again, in place of what is listed.
    void load();
    /// Adds a run to the history, and lists it.
    void note(const ProfiledRun &run);
    bool isBusy() const { return m_reader.isRunning() || m_writer.isRunning(); }
    QString provenance(int row) const override;

Q_SIGNALS:
    /// Emitted when the history could not be read or written.
    void failed(const QString &problem);

protected:
    std::span<const ProfiledRun> allRows() const override { return m_runs; }

private:
    void writeNext();

    const std::optional<std::filesystem::path> m_profile;
    std::vector<ProfiledRun> m_runs;
    std::vector<ProfiledRun> m_unwritten;
    Worker m_reader, m_writer; // last: see Session
};

} // namespace graphloom
