// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_writer.h"

#include "engine/base/hash.h"
#include "engine/session/session_objects.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Files of models are stored in parts, as a value in SQLite has at most 10^9 bytes.
constexpr std::size_t bytesOfPart = std::size_t(64) << 20;

} // namespace

SessionWriter::SessionWriter(const sqlite::Connection &database)
    : m_database(database),
      m_store({[this](std::uint64_t number, std::string bytes) {
                   if (m_problem)
                       return;
                   auto kept = m_keep->bind(1, std::int64_t(number)).bindBytes(2, bytes).step();
                   if (!kept)
                       m_problem = kept.error();
               },
               {},
               {}})
{
}

std::int64_t SessionWriter::numberOf(const std::shared_ptr<const Plan> &plan)
{
    if (!plan)
        return -1;
    const auto known = m_plans.find(plan);
    return known != m_plans.end()
               ? known->second
               : m_plans.emplace(plan, std::int64_t(m_store.put(*plan))).first->second;
}

Result<void> SessionWriter::write(const SessionContent &content)
{
    GL_TRY_RESULT(transaction, sqlite::Transaction::begin(m_database));
    if (!m_keep) {
        GL_TRY_RESULT(keep, m_database.prepare("INSERT INTO object(number, bytes) VALUES(?, ?)"));
        m_keep = *std::move(keep);
    }
    for (const auto step : {&SessionWriter::writeStates, &SessionWriter::writeRuns,
                            &SessionWriter::writeMeasurements, &SessionWriter::writeTrials,
                            &SessionWriter::writeVerifications, &SessionWriter::writeView})
        GL_TRY((this->*step)(content));
    if (m_problem)
        return tl::unexpected(*m_problem);
    return transaction->commit();
}

Result<void> SessionWriter::writeStates(const SessionContent &content)
{
    GL_TRY(m_database.execute("DELETE FROM state"));
    GL_TRY_RESULT(add, m_database.prepare("INSERT INTO state VALUES(?, ?, ?, ?)"));
    for (std::size_t i = 0; i < content.states.size(); ++i) {
        const SessionState &state = content.states[i];
        const std::int64_t number = numberOf(state.plan);
        GL_TRY_RESULT(added, add->bind(1, std::int64_t(i))
                                 .bind(2, number)
                                 .bind(3, std::string_view(state.text))
                                 .bind(4, std::int64_t(state.byHand))
                                 .step());
    }
    return m_database.execute("INSERT OR REPLACE INTO fact VALUES('current', '" +
                              std::to_string(content.current) + "')");
}

Result<void> SessionWriter::writeRuns(const SessionContent &content)
{
    GL_TRY(m_database.execute("DELETE FROM run"));
    GL_TRY_RESULT(add, m_database.prepare("INSERT INTO run VALUES(?, ?)"));
    for (const SessionRun &run : content.runs) {
        KeptRun kept{run, numberOf(run.before), numberOf(run.result)};
        const std::string bytes = m_store.pack(kept);
        GL_TRY_RESULT(added, add->bind(1, std::int64_t(run.number)).bindBytes(2, bytes).step());
    }
    return {};
}

/// Writes new rows and removes those whose content is gone: code of kernels and errors of tensors
/// make them large, and a journal is written often.
template <class Content>
Result<void> SessionWriter::writeRows(Rows<Content> &rows,
                                      const std::vector<std::shared_ptr<const Content>> &content)
{
    GL_TRY_RESULT(remove, m_database.prepare("DELETE FROM " + rows.table + " WHERE number = ?"));
    for (auto known = rows.numbers.begin(); known != rows.numbers.end();) {
        if (std::ranges::find(content, known->first) != content.end()) {
            ++known;
            continue;
        }
        GL_TRY(remove->bind(1, known->second).step());
        known = rows.numbers.erase(known);
    }
    GL_TRY_RESULT(add, m_database.prepare("INSERT INTO " + rows.table + " VALUES(?, ?)"));
    for (const auto &wanted : content) {
        if (rows.numbers.contains(wanted))
            continue;
        const std::string bytes = m_store.pack(Kept<Content>{*wanted, numberOf(wanted->plan)});
        GL_TRY(add->bind(1, ++rows.last).bindBytes(2, bytes).step());
        rows.numbers.emplace(wanted, rows.last);
    }
    return {};
}

Result<void> SessionWriter::writeMeasurements(const SessionContent &content)
{
    return writeRows(m_measurements, content.measurements);
}

Result<void> SessionWriter::writeVerifications(const SessionContent &content)
{
    return writeRows(m_verifications, content.verifications);
}

Result<void> SessionWriter::writeTrials(const SessionContent &content)
{
    if (content.trials == m_trials)
        return {};
    GL_TRY(m_database.execute("DELETE FROM trials"));
    if (content.trials) {
        GL_TRY_RESULT(add, m_database.prepare("INSERT INTO trials VALUES(0, ?)"));
        const std::string bytes =
            m_store.pack(Kept<TuningTrials>{*content.trials, numberOf(content.trials->plan)});
        GL_TRY(add->bindBytes(1, bytes).step());
    }
    m_trials = content.trials;
    return {};
}

Result<void> SessionWriter::writeView(const SessionContent &content)
{
    GL_TRY(m_database.execute("DELETE FROM view"));
    GL_TRY_RESULT(add, m_database.prepare("INSERT INTO view VALUES(?, ?)"));
    for (const auto &[name, value] : content.view)
        GL_TRY(add->bind(1, std::string_view(name)).bind(2, std::string_view(value)).step());
    return {};
}

Result<void> SessionWriter::writeFiles(const std::filesystem::path &folder, bool embed)
{
    GL_TRY_RESULT(add, m_database.prepare("INSERT OR REPLACE INTO file VALUES(?, ?, ?, ?, ?)"));
    for (const ArchivedFile &file : m_store.files()) {
        GL_TRY_RESULT(mapped, PlanStore::openUnchanged(file));
        const auto all = (*mapped)->bytes();
        const std::uint64_t hash = hashBytes(all);
        if ((*mapped)->shrunk())
            return fail(Error::Kind::Model, "cannot be read completely", file.path);
        const std::string relative =
            std::filesystem::path(file.path).lexically_relative(folder).string();
        GL_TRY_RESULT(added, add->bind(1, std::string_view(file.path))
                                 .bind(2, std::string_view(relative))
                                 .bind(3, std::int64_t(file.bytes))
                                 .bind(4, std::int64_t(hash))
                                 .bind(5, std::int64_t(embed))
                                 .step());
        if (embed)
            GL_TRY(embedFile(file.path, {reinterpret_cast<const char *>(all.data()), all.size()}));
    }
    return {};
}

Result<void> SessionWriter::embedFile(std::string_view path, std::string_view content)
{
    GL_TRY_RESULT(add, m_database.prepare("INSERT OR REPLACE INTO file_part VALUES(?, ?, ?)"));
    for (std::size_t begin = 0; begin < content.size(); begin += bytesOfPart) {
        GL_TRY_RESULT(added, add->bind(1, path)
                                 .bind(2, std::int64_t(begin))
                                 .bindBytes(3, content.substr(begin, bytesOfPart))
                                 .step());
    }
    return {};
}

} // namespace graphloom
