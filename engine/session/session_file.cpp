// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_file.h"

#include "engine/base/hash.h"
#include "engine/session/session_writer.h"
#include "engine/system/atomic_file.h"

#include <array>
#include <chrono>
#include <fstream>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view sqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t idOffset = 68; // of the application id in SQLite's header
constexpr std::string_view sessionId = "GLse";
constexpr auto keptFor = std::chrono::days(30); // files of models that were in sessions

fs::path folderOf(const fs::path &file)
{
    return fs::absolute(file).parent_path();
}

/// The files of a model that a session names.
class ModelFiles {
public:
    ModelFiles(const sqlite::Connection &database, const fs::path &session, fs::path extracted)
        : m_database(database), m_folder(folderOf(session)), m_extracted(std::move(extracted))
    {
    }

    Result<std::shared_ptr<const MappedFile>> open(const ArchivedFile &file) const
    {
        GL_TRY_RESULT(find, m_database.prepare(
                                "SELECT relative, bytes, hash, embedded FROM file WHERE path = ?"));
        GL_TRY_CONST(row, find->bind(1, std::string_view(file.path)).step());
        if (!*row)
            return fail(Error::Kind::Usage, "is a damaged session: it does not know " + file.path,
                        m_database.file());
        const auto hash = std::uint64_t(find->integer(2));
        bool found = false;
        for (const fs::path &candidate : {m_folder / find->text(0), fs::path(file.path)}) {
            auto mapped = MappedFile::open(candidate, file.bytes, file.identity);
            found = found || fs::exists(candidate);
            if (mapped && (*mapped)->bytes().size() == file.bytes &&
                hashBytes((*mapped)->bytes()) == hash)
                return mapped;
        }
        if (find->integer(3) != 0)
            return extract(file, hash);
        return fail(Error::Kind::Model,
                    found ? "has another content than when the session was saved; put the old file "
                            "back, or open the model anew"
                          : "is not there any more, nor in the session's folder; put it back, or "
                            "open the model anew",
                    file.path);
    }

private:
    /// One that is in the session itself. The number keeps files of one name apart.
    Result<std::shared_ptr<const MappedFile>> extract(const ArchivedFile &file,
                                                      std::uint64_t hash) const
    {
        forgetOldOnes();
        std::error_code failed;
        const fs::path folder = m_extracted / std::to_string(file.identity);
        fs::create_directories(folder, failed);
        if (failed)
            return fail(Error::Kind::Missing, "cannot be made: " + failed.message(),
                        folder.string());
        const fs::path target = folder / fs::path(file.path).filename();
        GL_TRY_RESULT(parts, m_database.prepare("SELECT bytes FROM file_part WHERE path = ?"
                                                " ORDER BY position"));
        parts->bind(1, std::string_view(file.path));
        std::optional<Error> broken;
        const auto written = writeFileAtomically(target, [&](std::ostream &out) {
            for (auto row = parts->step();; row = parts->step()) {
                if (!row)
                    broken = row.error();
                if (!row || !*row)
                    return row.has_value();
                out << parts->bytes(0);
            }
        });
        if (broken)
            return tl::unexpected(*broken);
        if (!written)
            return tl::unexpected(written.error());
        auto mapped = MappedFile::open(target, file.bytes, file.identity);
        if (mapped && hashBytes((*mapped)->bytes()) != hash)
            return fail(Error::Kind::Usage,
                        "is a damaged session: its copy of " + file.path + " is not what was saved",
                        m_database.file());
        return mapped;
    }

    /// What other sessions left there long ago. One that is open has its file still, by its
    /// mapping.
    void forgetOldOnes() const
    {
        std::error_code ignored;
        std::vector<fs::path> old;
        for (const auto &entry : fs::directory_iterator(m_extracted, ignored))
            if (fs::file_time_type::clock::now() - entry.last_write_time(ignored) > keptFor)
                old.push_back(entry.path());
        for (const fs::path &folder : old)
            fs::remove_all(folder, ignored);
    }

    const sqlite::Connection &m_database;
    const fs::path m_folder, m_extracted;
};

} // namespace

bool isSessionFile(const fs::path &path)
{
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
        return false; // a pipe has no bytes to look at without waiting
    std::array<char, idOffset + sessionId.size()> head{};
    std::ifstream stream(path, std::ios::binary);
    stream.read(head.data(), head.size());
    const std::string_view bytes(head.data(), head.size());
    return stream && bytes.starts_with(sqliteMagic) && bytes.substr(idOffset) == sessionId;
}

Result<void> saveSession(const fs::path &path, const SessionContent &content,
                         const SessionSaving &saving)
{
    return fillFileAtomically(path, [&](const fs::path &temporary) -> Result<void> {
        GL_TRY_RESULT(database, sqlite::Connection::open(fs::absolute(temporary).string()));
        // Nobody sees the file before it is renamed: it needs no journal of its own.
        GL_TRY((*database)->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"));
        GL_TRY(makeSessionTables(**database));
        SessionWriter writer(**database);
        GL_TRY(writer.write(content));
        return writer.writeFiles(folderOf(path), saving.embedsModel);
    });
}

Result<SessionContent> loadSession(const fs::path &path, const fs::path &extracted,
                                   std::stop_token stop)
{
    if (!fs::exists(path))
        return fail(Error::Kind::Missing, "there is no such file", path.string());
    if (!isSessionFile(path))
        return fail(Error::Kind::Usage, "is no session of Graphloom", path.string());
    GL_TRY_RESULT(database,
                  sqlite::Connection::openToRead(fs::absolute(path).string(), std::move(stop)));
    const ModelFiles files(**database, path, extracted);
    return readSession(**database, [&](const ArchivedFile &file) { return files.open(file); });
}

} // namespace graphloom
