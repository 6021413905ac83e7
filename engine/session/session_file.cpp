// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_file.h"

#include "engine/base/hash.h"
#include "engine/session/session_reader.h"
#include "engine/session/session_tables.h"
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
constexpr auto keptFor = std::chrono::days(30); // extracted model files

fs::path folderOf(const fs::path &file)
{
    return fs::absolute(file).parent_path();
}

/// Opens the files of a model that a session lists.
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
            return fail(Error::Kind::Usage, "is a damaged session: it does not list " + file.path,
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
        return fail(
            Error::Kind::Model,
            found ? "has changed since the session was saved; restore the original file, or "
                    "open the model again"
                  : "no longer exists, and is not in the folder of the session either; restore "
                    "it, or open the model again",
            file.path);
    }

private:
    /// Extracts a file that is embedded in the session. Its identity keeps files of one name apart.
    Result<std::shared_ptr<const MappedFile>> extract(const ArchivedFile &file,
                                                      std::uint64_t hash) const
    {
        forgetOldOnes();
        std::error_code failed;
        const fs::path folder = m_extracted / std::to_string(file.identity);
        fs::create_directories(folder, failed);
        if (failed)
            return fail(Error::Kind::Missing, "cannot be created: " + failed.message(),
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
        GL_TRY(written);
        auto mapped = MappedFile::open(target, file.bytes, file.identity);
        if (mapped && hashBytes((*mapped)->bytes()) != hash)
            return fail(Error::Kind::Usage,
                        "is a damaged session: its copy of " + file.path +
                            " differs from the saved file",
                        m_database.file());
        return mapped;
    }

    /// Removes files that other sessions extracted long ago. An open session keeps its file through
    /// the mapping.
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
        return false; // reading from a pipe could block
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
        // The file is invisible until it is renamed, so it needs no journal.
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
        return fail(Error::Kind::Missing, "no such file", path.string());
    if (!isSessionFile(path))
        return fail(Error::Kind::Usage, "is not a Graphloom session", path.string());
    GL_TRY_RESULT(database,
                  sqlite::Connection::openToRead(fs::absolute(path).string(), std::move(stop)));
    const ModelFiles files(**database, path, extracted);
    return readSession(**database, [&](const ArchivedFile &file) { return files.open(file); });
}

} // namespace graphloom
