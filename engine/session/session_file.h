// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/session/session_content.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace graphloom {

/// Holds the options for saving a session as a file: a SQLite database (".gloom") with plans as
/// objects (engine/archive). The database refers to the model's files by name and hash, or contains
/// them.
struct SessionSaving {
    bool embedsModel = false;
};

/// Writes the session so that readers see either the old file or the complete new one. Fails
/// (Missing) if that is not possible, for instance if the disk is full.
Result<void> saveSession(const std::filesystem::path &path, const SessionContent &content,
                         const SessionSaving &saving = {});

/// Reads a session. Files of the model are looked for next to the session, then at their old place;
/// embedded ones are written to `extracted`, a folder that is created if needed. Fails (Missing) if
/// the file cannot be read, (Usage) if it is no session, and (Model) if it is damaged, holds
/// content that this program does not make, or takes far more work to read than its size explains.
/// Fails (Model), too, if a file of the model is gone or has other content, naming it, or when
/// stopped.
Result<SessionContent> loadSession(const std::filesystem::path &path,
                                   const std::filesystem::path &extracted,
                                   std::stop_token stop = {});

/// Tells whether the file is a session, by its first bytes.
bool isSessionFile(const std::filesystem::path &path);

/// Keeps a session up to date on the disk during work, to survive crashes. What was written
/// survives the end of the process at any moment.
class SessionJournal {
public:
    /// Begins a journal in a new file of the folder, which is created if needed.
    static Result<std::unique_ptr<SessionJournal>> begin(const std::filesystem::path &folder);
    ~SessionJournal();
    SessionJournal(const SessionJournal &) = delete;
    SessionJournal &operator=(const SessionJournal &) = delete;

    /// Writes new content. After a failure (Missing) the journal is as before and cannot be written
    /// any more.
    Result<void> write(const SessionContent &content);
    /// Removes the file, because the work is saved elsewhere or not wanted.
    void discard();

    /// Returns the journals of the folder whose program has ended without discarding them, the
    /// newest first.
    static std::vector<std::filesystem::path> leftBehind(const std::filesystem::path &folder);
    /// Reads a journal. Fails as loadSession() does, and (Missing) if its program has not ended.
    static Result<SessionContent> recover(const std::filesystem::path &journal,
                                          std::stop_token stop = {});
    /// Removes a left-behind journal that is no longer needed.
    static void forget(const std::filesystem::path &journal);

private:
    struct State;
    explicit SessionJournal(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace graphloom
