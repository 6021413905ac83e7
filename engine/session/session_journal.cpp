// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_file.h"

#include "engine/session/session_reader.h"
#include "engine/session/session_tables.h"
#include "engine/session/session_writer.h"
#include "engine/system/private_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace graphloom {

/// Holds a lock that the system releases when the process ends, even by a crash.
class JournalLock {
public:
    JournalLock() = default;
    explicit JournalLock(const std::filesystem::path &file)
        : m_descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
    {
        if (m_descriptor >= 0 && ::flock(m_descriptor, LOCK_EX | LOCK_NB) != 0) {
            ::close(m_descriptor);
            m_descriptor = -1;
        }
    }
    JournalLock(JournalLock &&other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1))
    {
    }
    JournalLock &operator=(JournalLock &&other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    ~JournalLock()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    bool isHeld() const { return m_descriptor >= 0; }

private:
    int m_descriptor = -1;
};

namespace {

namespace fs = std::filesystem;

constexpr std::string_view journalExtension = ".journal", lockExtension = ".lock";

fs::path lockOf(const fs::path &journal)
{
    return fs::path(journal).replace_extension(lockExtension);
}

void removeJournal(const fs::path &journal)
{
    std::error_code ignored;
    for (const char *suffix : {"", "-wal", "-shm"})
        fs::remove(journal.string() + suffix, ignored);
    fs::remove(lockOf(journal), ignored);
}

} // namespace

struct SessionJournal::State {
    fs::path file;
    JournalLock lock;
    std::unique_ptr<sqlite::Connection> database;
    std::unique_ptr<SessionWriter> writer;
    std::optional<Error> problem;
};

SessionJournal::SessionJournal(std::unique_ptr<State> state) : m_state(std::move(state)) {}

SessionJournal::~SessionJournal() = default;

Result<std::unique_ptr<SessionJournal>> SessionJournal::begin(const fs::path &folder)
{
    std::error_code failed;
    failed = makePrivateFolders(folder);
    if (failed)
        return fail(Error::Kind::Missing, "cannot be created: " + failed.message(),
                    folder.string());
    auto state = std::make_unique<State>();
    // The name has the process id and a count, as an abandoned journal may have the same id.
    for (int count = 0; !state->lock.isHeld() && count < 1000; ++count) {
        state->file = folder / (std::to_string(::getpid()) + "-" + std::to_string(count) +
                                std::string(journalExtension));
        if (!fs::exists(state->file))
            state->lock = JournalLock(lockOf(state->file));
    }
    if (!state->lock.isHeld())
        return fail(Error::Kind::Missing, std::string("cannot be written: ") + std::strerror(errno),
                    folder.string());
    GL_TRY_RESULT(database, sqlite::Connection::open(fs::absolute(state->file).string()));
    state->database = *std::move(database);
    GL_TRY(state->database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
    GL_TRY(makeSessionTables(*state->database));
    state->writer = std::make_unique<SessionWriter>(*state->database);
    return std::unique_ptr<SessionJournal>(new SessionJournal(std::move(state)));
}

Result<void> SessionJournal::write(const SessionContent &content)
{
    if (m_state->problem)
        return tl::unexpected(*m_state->problem);
    auto written = m_state->writer->write(content);
    // The writer believes that it has stored objects that it has not: a new journal must begin.
    if (!written)
        m_state->problem = written.error();
    return written;
}

void SessionJournal::discard()
{
    m_state->writer.reset();
    m_state->database.reset();
    removeJournal(m_state->file);
}

std::vector<fs::path> SessionJournal::leftBehind(const fs::path &folder)
{
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
        if (entry->path().extension() != journalExtension)
            continue;
        if (const JournalLock lock(lockOf(entry->path())); lock.isHeld())
            found.emplace_back(entry->last_write_time(failed), entry->path());
    }
    std::ranges::sort(found, std::greater<>());
    std::vector<fs::path> journals;
    for (auto &[time, path] : found)
        journals.push_back(std::move(path));
    return journals;
}

Result<SessionContent> SessionJournal::recover(const fs::path &journal, std::stop_token stop)
{
    const JournalLock lock(lockOf(journal));
    if (!lock.isHeld() || !fs::exists(journal))
        return fail(Error::Kind::Missing, "is in use by another process, or no longer exists",
                    journal.string());
    GL_TRY_RESULT(database,
                  sqlite::Connection::openToRead(fs::absolute(journal).string(), std::move(stop)));
    return readSession(**database, {});
}

void SessionJournal::forget(const fs::path &journal)
{
    if (const JournalLock lock(lockOf(journal)); lock.isHeld())
        removeJournal(journal);
}

} // namespace graphloom
