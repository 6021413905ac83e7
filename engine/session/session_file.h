// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/session/session_content.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace graphloom {

/// A session as a file: a SQLite database (".gloom") with plans as objects (engine/archive). The
/// files of the model are named in it, with a hash, or are in it themselves.
struct SessionSaving {
    bool embedsModel = false;
};

/// Writes the session so that readers see the old file or the whole new one. Fails (Missing) when
/// that is not possible, as when the disk is full.
Result<void> saveSession(const std::filesystem::path &path, const SessionContent &content,
                         const SessionSaving &saving = {});

/// Reads a session. Files of the model are looked for beside the session, then where they were;
/// those that are in it are written to `extracted`, a folder that is made where it is needed.
/// Fails (Missing) when the file cannot be read, (Usage) when it is no session, (Model) when it is
/// damaged, holds what this program does not make, or takes far more work to read than its size
/// explains, or naming a file of the model that is gone or has other content, or when stopped.
Result<SessionContent> loadSession(const std::filesystem::path &path,
                                   const std::filesystem::path &extracted,
                                   std::stop_token stop = {});

/// Is the file a session, by its first bytes?
bool isSessionFile(const std::filesystem::path &path);

/// A session that is kept up to date on the disk while it goes on, against crashes. What was
/// written survives the end of the process at any moment.
class SessionJournal {
public:
    /// In a new file of the folder, which is made if need be.
    static Result<std::unique_ptr<SessionJournal>> begin(const std::filesystem::path &folder);
    ~SessionJournal();
    SessionJournal(const SessionJournal &) = delete;
    SessionJournal &operator=(const SessionJournal &) = delete;

    /// Writes what is new. After a failure (Missing) the journal is as it was before, and cannot be
    /// written any more.
    Result<void> write(const SessionContent &content);
    /// The work is saved elsewhere, or not wanted: the file goes.
    void discard();

    /// Journals of the folder whose program has ended without discarding them, the newest first.
    static std::vector<std::filesystem::path> leftBehind(const std::filesystem::path &folder);
    /// Reads one. Fails as loadSession() does, and (Missing) when its program has not ended.
    static Result<SessionContent> recover(const std::filesystem::path &journal,
                                          std::stop_token stop = {});
    /// Nobody needs one that was left behind any more.
    static void forget(const std::filesystem::path &journal);

private:
    struct State;
    explicit SessionJournal(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace graphloom
