// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profile_database.h"

#include "engine/base/hash.h"
#include "engine/profile/profile_lines.h"
#include "engine/profile/schema.h"
#include "engine/system/atomic_file.h"
#include "engine/system/private_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

namespace graphloom {

namespace {

constexpr std::chrono::milliseconds moment{100}; // to wait for other processes

constexpr std::string_view measurementColumns =
    "m.provenance, m.measured_at_ms, m.version, m.min_ns, m.median_ns, m.count";

constexpr std::string_view runColumns =
    "device, machine, model, plan, threads, runs, min_ms, median_ms, p95_ms, bracket, provenance, "
    "megahertz, celsius, joules, measured_at_ms, version";
constexpr std::int64_t mostRuns = 10'000;

ProfiledRun runOf(const sqlite::Statement &row)
{
    return {.device = row.text(0),
            .machine = row.text(1),
            .model = row.text(2),
            .plan = row.text(3),
            .threads = row.integer(4),
            .runs = row.integer(5),
            .minMs = row.real(6),
            .medianMs = row.real(7),
            .p95Ms = row.real(8),
            .isBracket = row.integer(9) != 0,
            .provenance = provenanceOf(row.text(10)).value_or(Provenance::Modelled),
            .megahertz = row.real(11),
            .celsius = row.real(12),
            .joules = row.real(13),
            .measuredAtMs = row.integer(14),
            .version = row.text(15)};
}

/// Tells whether a measurement may yield the figures of a run.
bool isPossible(const ProfiledRun &run)
{
    const auto isIn = [](double value, double least) {
        return std::isfinite(value) && value >= least;
    };
    return isIn(run.minMs, 0) && isIn(run.medianMs, run.minMs) && isIn(run.p95Ms, run.medianMs) &&
           isIn(run.megahertz, 0) && isIn(run.joules, 0) && std::isfinite(run.celsius) &&
           run.threads >= 1 && run.runs >= 1;
}

LatencySamples samplesOf(const sqlite::Statement &row, int column)
{
    LatencySamples samples;
    samples.provenance = provenanceOf(row.text(column)).value_or(Provenance::Modelled);
    samples.measuredAtMs = row.integer(column + 1);
    samples.version = row.text(column + 2);
    samples.minNs = row.real(column + 3);
    samples.medianNs = row.real(column + 4);
    samples.count = row.integer(column + 5);
    return samples;
}

ProfileKey keyOf(const sqlite::Statement &row, int column)
{
    return {row.text(column), row.text(column + 1), row.text(column + 2), row.text(column + 3)};
}

/// Merges samples of one provenance, in any order.
ProfiledLatency merged(std::vector<LatencySamples> all)
{
    std::ranges::sort(all, {}, &LatencySamples::medianNs);
    ProfiledLatency result = all.front();
    result.count = 0;
    for (const LatencySamples &samples : all) {
        result.minNs = std::min(result.minNs, samples.minNs);
        result.count += samples.count;
        if (samples.measuredAtMs > result.measuredAtMs) {
            result.measuredAtMs = samples.measuredAtMs;
            result.version = samples.version;
        }
    }
    std::int64_t below = 0;
    for (const LatencySamples &samples : all) {
        below += samples.count;
        result.medianNs = samples.medianNs;
        if (2 * below >= result.count)
            break;
    }
    return result;
}

std::vector<ProfiledLatency> byProvenance(const std::vector<LatencySamples> &all)
{
    std::map<Provenance, std::vector<LatencySamples>> groups;
    for (const LatencySamples &samples : all)
        groups[samples.provenance].push_back(samples);
    std::vector<ProfiledLatency> result;
    for (auto &[provenance, group] : groups)
        result.push_back(merged(std::move(group)));
    return result;
}

/// Switches to a write-ahead log: readers and a writer then do not wait for each other, and a
/// process that ends in the middle of a write leaves the last committed state.
Result<void> writeAheadLog(const sqlite::Connection &connection)
{
    constexpr int tries = 500;
    constexpr std::chrono::milliseconds pause(20);
    Result<std::string> mode;
    for (int i = 0; i < tries; ++i) {
        mode = connection.text("PRAGMA journal_mode = WAL");
        if (mode || !connection.isBusy() || connection.isStopped())
            break;
        std::this_thread::sleep_for(
            pause); // SQLite does not wait by itself when it changes the mode
    }
    return mode.map([](const std::string &) {});
}

} // namespace

std::uint64_t ProfileKey::hash() const
{
    std::uint64_t hash = 0;
    for (const std::string *part : {&structure, &shapes, &device, &schedule})
        hash = hashText(*part, combine(hash, part->size()));
    return hash;
}

/// Holds the connection and the prepared statements. For one thread at a time.
struct ProfileDatabase::State {
    std::unique_ptr<sqlite::Connection> connection;
    sqlite::Statement find, addKernel, addMeasurement, ofKernel, everything, addUse, allUses,
        addRun, dropRuns, newestRuns;
    std::mutex mutex;
    /// Samples that could not be written while another process was writing.
    std::vector<ProfileLine> pending;

    ~State()
    {
        if (!pending.empty())
            static_cast<void>(writePending());
    }

    static Result<std::unique_ptr<State>> of(std::unique_ptr<sqlite::Connection> connection);

    /// Returns the row of the kernel, or 0 if it is unknown.
    Result<std::int64_t> kernelOf(const ProfileKey &key);
    enum class Added { NewKernel, NewMeasurement, Nothing };
    Result<Added> add(const ProfileKey &key, const LatencySamples &samples);
    /// Writes in a transaction, and waits for other processes no longer than a moment.
    Result<void> writeSoon(const std::function<Result<void>()> &write);
    /// Writes all pending samples in one transaction.
    Result<void> writePending();
    /// Visits all measurements, grouped by kernel.
    Result<void> visitRows(const std::function<void(const ProfileLine &)> &visit);
};

Result<std::unique_ptr<ProfileDatabase::State>>
ProfileDatabase::State::of(std::unique_ptr<sqlite::Connection> connection)
{
    const std::string columns(measurementColumns);
    const std::array queries = {
        std::string("SELECT id FROM kernel WHERE hash = ?1 AND structure = ?2 AND shapes = ?3 AND "
                    "device = ?4 AND schedule = ?5"),
        std::string("INSERT INTO kernel(hash, structure, shapes, device, schedule) "
                    "VALUES(?1, ?2, ?3, ?4, ?5)"),
        std::string("INSERT OR IGNORE INTO measurement(kernel, provenance, measured_at_ms, "
                    "version, min_ns, median_ns, count) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
        "SELECT " + columns + " FROM measurement m WHERE m.kernel = ?1",
        "SELECT k.structure, k.shapes, k.device, k.schedule, " + columns +
            " FROM kernel k JOIN measurement m ON m.kernel = k.id ORDER BY k.id, "
            "m.provenance, m.measured_at_ms, m.version, m.min_ns, m.median_ns, m.count",
        std::string("INSERT OR REPLACE INTO used(device, pass, model, decisions, used_at_ms) "
                    "VALUES(?1, ?2, ?3, ?4, ?5)"),
        std::string("SELECT device, pass, model, decisions, used_at_ms FROM used "
                    "ORDER BY device, pass, model"),
        "INSERT INTO run(" + std::string(runColumns) +
            ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
            "?16)",
        std::string("DELETE FROM run WHERE id <= ?1"),
        "SELECT " + std::string(runColumns) + " FROM run ORDER BY id DESC LIMIT ?1",
    };
    std::vector<sqlite::Statement> prepared;
    for (const std::string &query : queries) {
        GL_TRY_RESULT(statement, connection->prepare(query));
        prepared.push_back(std::move(*statement));
    }
    return std::unique_ptr<State>(new State{std::move(connection),
                                            std::move(prepared[0]),
                                            std::move(prepared[1]),
                                            std::move(prepared[2]),
                                            std::move(prepared[3]),
                                            std::move(prepared[4]),
                                            std::move(prepared[5]),
                                            std::move(prepared[6]),
                                            std::move(prepared[7]),
                                            std::move(prepared[8]),
                                            std::move(prepared[9]),
                                            {},
                                            {}});
}

Result<std::int64_t> ProfileDatabase::State::kernelOf(const ProfileKey &key)
{
    find.bind(1, std::int64_t(key.hash()))
        .bind(2, key.structure)
        .bind(3, key.shapes)
        .bind(4, key.device)
        .bind(5, key.schedule);
    GL_TRY_CONST(row, find.step());
    const std::int64_t id = *row ? find.integer(0) : 0;
    find.reset();
    return id;
}

/// Must be called inside a transaction.
Result<ProfileDatabase::State::Added> ProfileDatabase::State::add(const ProfileKey &key,
                                                                  const LatencySamples &samples)
{
    GL_TRY_RESULT(kernel, kernelOf(key));
    const bool isNew = *kernel == 0;
    if (isNew) {
        addKernel.bind(1, std::int64_t(key.hash()))
            .bind(2, key.structure)
            .bind(3, key.shapes)
            .bind(4, key.device)
            .bind(5, key.schedule);
        GL_TRY(addKernel.step());
        kernel = connection->lastRow();
    }
    addMeasurement.bind(1, *kernel)
        .bind(2, nameOf(samples.provenance))
        .bind(3, samples.measuredAtMs)
        .bind(4, samples.version)
        .bind(5, samples.minNs)
        .bind(6, samples.medianNs)
        .bind(7, samples.count);
    GL_TRY(addMeasurement.step());
    if (isNew)
        return Added::NewKernel;
    return connection->changes() > 0 ? Added::NewMeasurement : Added::Nothing;
}

Result<void> ProfileDatabase::State::writePending()
{
    GL_TRY_RESULT(transaction, sqlite::Transaction::begin(*connection));
    for (const ProfileLine &line : pending)
        GL_TRY(add(line.key, line.samples));
    auto done = transaction->commit();
    if (done)
        pending.clear();
    return done;
}

Result<void>
ProfileDatabase::State::visitRows(const std::function<void(const ProfileLine &)> &visit)
{
    for (;;) {
        GL_TRY_CONST(row, everything.step());
        if (!*row)
            return {};
        visit({keyOf(everything, 0), samplesOf(everything, 4)});
    }
}

ProfileDatabase::ProfileDatabase(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ProfileDatabase::ProfileDatabase(ProfileDatabase &&) noexcept = default;
ProfileDatabase &ProfileDatabase::operator=(ProfileDatabase &&) noexcept = default;
ProfileDatabase::~ProfileDatabase() = default;

Result<ProfileDatabase> ProfileDatabase::openAs(const std::string &name, std::stop_token stop)
{
    GL_TRY_RESULT(connection, sqlite::Connection::open(name, std::move(stop)));
    GL_TRY((*connection)->distrust());
    // Nothing is written to the file before it is known to be a profile database.
    GL_TRY(bringUpToDate(**connection, profileSchema()));
    (*connection)->liftStepLimit();
    GL_TRY(writeAheadLog(**connection));
    GL_TRY((*connection)->execute("PRAGMA synchronous = FULL"));
    auto state = State::of(std::move(*connection));
    if (!state && state.error().kind != Error::Kind::Fault)
        return tl::unexpected(state.error());
    if (!state) // the tables do not match their version
        return fail(Error::Kind::Usage,
                    "is damaged (" + state.error().message +
                        "); it is left unchanged: move it away, or choose another file",
                    name);
    return ProfileDatabase(std::move(*state));
}

Result<ProfileDatabase> ProfileDatabase::open(const std::filesystem::path &file,
                                              std::stop_token stop)
{
    std::error_code failed;
    if (file.has_parent_path())
        failed = makePrivateFolders(file.parent_path());
    if (failed)
        return fail(Error::Kind::Missing, "cannot create this folder: " + failed.message(),
                    file.parent_path().string());
    GL_TRY(checkSize(file));
    // SQLite interprets names such as ":memory:" and "file:...", but not an absolute path.
    const auto absolute = std::filesystem::absolute(file, failed);
    return openAs(failed ? file.string() : absolute.string(), std::move(stop));
}

Result<ProfileDatabase> ProfileDatabase::inMemory()
{
    return openAs(":memory:", {});
}

Result<std::vector<ProfiledLatency>> ProfileDatabase::lookup(const ProfileKey &key) const
{
    const std::lock_guard lock(m_state->mutex);
    GL_TRY_CONST(kernel, m_state->kernelOf(key));
    std::vector<LatencySamples> all;
    m_state->ofKernel.bind(1, *kernel);
    for (;;) {
        GL_TRY_CONST(row, m_state->ofKernel.step());
        if (!*row)
            return byProvenance(all);
        all.push_back(samplesOf(m_state->ofKernel, 0));
    }
}

Result<void> ProfileDatabase::record(const ProfileKey &key, const LatencySamples &samples)
{
    if (const auto defect = defectOf(samples))
        return fail(Error::Kind::Fault, *defect, key.structure);
    const std::lock_guard lock(m_state->mutex);
    GL_TRY_RESULT(transaction, sqlite::Transaction::begin(*m_state->connection));
    GL_TRY(m_state->add(key, samples));
    return transaction->commit();
}

Result<void> ProfileDatabase::recordSoon(const ProfileKey &key, const LatencySamples &samples)
{
    if (const auto defect = defectOf(samples))
        return fail(Error::Kind::Fault, *defect, key.structure);
    const std::lock_guard lock(m_state->mutex);
    m_state->pending.push_back({key, samples});
    m_state->connection->setPatience(moment);
    auto done = m_state->writePending();
    const bool isBusy = !done && m_state->connection->isBusy();
    m_state->connection->setPatience(sqlite::usualPatience);
    if (!done && !isBusy)
        m_state->pending.pop_back();
    return isBusy ? Result<void>() : done;
}

Result<void> ProfileDatabase::forEach(
    const std::function<void(const ProfileKey &, const std::vector<ProfiledLatency> &)> &visit)
    const
{
    const std::lock_guard lock(m_state->mutex);
    ProfileKey key;
    std::vector<LatencySamples> all;
    const auto flush = [&] {
        if (!all.empty())
            visit(key, byProvenance(all));
        all.clear();
    };
    auto done = m_state->visitRows([&](const ProfileLine &line) {
        if (!(line.key == key))
            flush();
        key = line.key;
        all.push_back(line.samples);
    });
    flush();
    return done;
}

Result<void> ProfileDatabase::State::writeSoon(const std::function<Result<void>()> &write)
{
    const std::lock_guard lock(mutex);
    connection->setPatience(moment);
    const auto inTransaction = [&]() -> Result<void> {
        GL_TRY_RESULT(transaction, sqlite::Transaction::begin(*connection));
        GL_TRY(write());
        return transaction->commit();
    };
    auto written = inTransaction();
    connection->setPatience(sqlite::usualPatience);
    return written;
}

Result<void> ProfileDatabase::noteUse(const ProfileUse &use)
{
    return m_state->writeSoon([&]() -> Result<void> {
        m_state->addUse.bind(1, use.device)
            .bind(2, use.pass)
            .bind(3, use.model)
            .bind(4, use.decisions)
            .bind(5, use.usedAtMs);
        return m_state->addUse.step().map([](bool) {});
    });
}

Result<void> ProfileDatabase::noteRun(const ProfiledRun &run)
{
    if (!isPossible(run))
        return fail(Error::Kind::Fault, "no measurement yields such figures", run.device);
    return m_state->writeSoon([&]() -> Result<void> {
        m_state->addRun.bind(1, run.device)
            .bind(2, run.machine)
            .bind(3, run.model)
            .bind(4, run.plan)
            .bind(5, run.threads)
            .bind(6, run.runs)
            .bind(7, run.minMs)
            .bind(8, run.medianMs)
            .bind(9, run.p95Ms)
            .bind(10, std::int64_t(run.isBracket))
            .bind(11, nameOf(run.provenance))
            .bind(12, run.megahertz)
            .bind(13, run.celsius)
            .bind(14, run.joules)
            .bind(15, run.measuredAtMs)
            .bind(16, run.version);
        GL_TRY(m_state->addRun.step());
        m_state->dropRuns.bind(1, m_state->connection->lastRow() - mostRuns);
        return m_state->dropRuns.step().map([](bool) {});
    });
}

Result<std::vector<ProfiledRun>> ProfileDatabase::history(std::int64_t most) const
{
    const std::lock_guard lock(m_state->mutex);
    std::vector<ProfiledRun> runs;
    m_state->newestRuns.bind(1, most);
    for (;;) {
        GL_TRY_CONST(isRow, m_state->newestRuns.step());
        if (!*isRow)
            return runs;
        runs.push_back(runOf(m_state->newestRuns));
    }
}

Result<std::vector<ProfileUse>> ProfileDatabase::uses() const
{
    const std::lock_guard lock(m_state->mutex);
    std::vector<ProfileUse> uses;
    const sqlite::Statement &row = m_state->allUses;
    for (;;) {
        GL_TRY_CONST(isRow, m_state->allUses.step());
        if (!*isRow)
            return uses;
        uses.push_back({row.text(0), row.text(1), row.text(2), row.integer(3), row.integer(4)});
    }
}

Result<void> ProfileDatabase::exportTo(const std::filesystem::path &file) const
{
    const std::lock_guard lock(m_state->mutex);
    Result<void> visited;
    auto written = writeFileAtomically(file, [&](std::ostream &stream) {
        stream << profileHeader() << '\n';
        visited =
            m_state->visitRows([&](const ProfileLine &line) { stream << textOf(line) << '\n'; });
        return bool(stream) && visited.has_value();
    });
    return visited ? written : visited;
}

Result<ProfileImport> ProfileDatabase::importFrom(const std::filesystem::path &file)
{
    constexpr std::size_t mostReasons = 20;
    std::error_code failed;
    if (std::filesystem::exists(file, failed) && !std::filesystem::is_regular_file(file, failed))
        return fail(Error::Kind::Missing, "cannot be read: it is not a regular file",
                    file.string());
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return fail(Error::Kind::Missing, std::string("cannot be read: ") + std::strerror(errno),
                    file.string());
    if (const auto header = boundedLine(stream); !header || !isProfileHeader(*header))
        return fail(Error::Kind::Usage,
                    "is not an exported profile database: its first line must be " +
                        profileHeader(),
                    file.string());
    const std::lock_guard lock(m_state->mutex);
    GL_TRY_RESULT(transaction, sqlite::Transaction::begin(*m_state->connection));
    ProfileImport result;
    for (std::int64_t number = 2; const auto text = boundedLine(stream); ++number) {
        const auto line = parseProfileLine(*text);
        if (!line) {
            ++result.refused;
            if (result.reasons.size() < mostReasons)
                result.reasons.push_back(file.string() + ", line " + std::to_string(number) + ": " +
                                         line.error().message);
            continue;
        }
        GL_TRY_CONST(added, m_state->add(line->key, line->samples));
        ++(*added == State::Added::NewKernel        ? result.added
           : *added == State::Added::NewMeasurement ? result.merged
                                                    : result.known);
    }
    if (stream.bad())
        return fail(Error::Kind::Missing, "cannot be read completely", file.string());
    GL_TRY(transaction->commit());
    return result;
}

Result<std::filesystem::path> defaultProfileFile(const std::string &xdgDataHome,
                                                 const std::string &home)
{
    std::filesystem::path folder = xdgDataHome;
    if (!folder.is_absolute()) {
        if (home.empty())
            return fail(Error::Kind::Missing,
                        "no home folder was found for the profile database; specify its file");
        folder = std::filesystem::path(home) / ".local" / "share";
    }
    return folder / "graphloom" / "profile.db";
}

} // namespace graphloom
