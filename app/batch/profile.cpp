// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/profile.h"

#include "app/batch/batch.h"
#include "app/batch/terminal/terminal_text.h"
#include "app/common/utc_time.h"
#include "engine/profile/user_profile.h"

#include <map>

namespace graphloom {

namespace {

/// Compares with the database and the files that SQLite keeps next to it, through links too.
bool isSameFile(const std::filesystem::path &file, const std::filesystem::path &database)
{
    for (const char *suffix : {"", "-wal", "-shm", "-journal"}) {
        auto of = database;
        of += suffix;
        std::error_code ignored;
        if (std::filesystem::equivalent(file, of, ignored) ||
            std::filesystem::weakly_canonical(file, ignored) ==
                std::filesystem::weakly_canonical(of, ignored))
            return true;
    }
    return false;
}

Result<void> printInfo(const ProfileDatabase &database, const std::filesystem::path &file,
                       std::ostream &out)
{
    struct Row {
        std::int64_t kernels = 0, samples = 0;
    };
    std::map<std::pair<std::string, Provenance>, Row> rows;
    std::int64_t kernels = 0;
    auto visited = database.forEach([&](const ProfileKey &key, const auto &latencies) {
        ++kernels;
        for (const ProfiledLatency &latency : latencies) {
            Row &row = rows[{key.device, latency.provenance}];
            ++row.kernels;
            row.samples += latency.count;
        }
    });
    if (!visited)
        return visited;
    out << forTerminal(file.string()) << ": " << kernels
        << (kernels == 1 ? " kernel\n" : " kernels\n");
    for (const auto &[group, row] : rows)
        out << "  " << (group.first.empty() ? "(no device)" : forTerminal(group.first)) << ", "
            << nameOf(group.second) << ": " << row.samples << " samples of " << row.kernels
            << (row.kernels == 1 ? " kernel\n" : " kernels\n");
    GL_TRY_CONST(uses, database.uses());
    for (const ProfileUse &use : *uses)
        out << "  used by " << forTerminal(use.pass) << " for " << forTerminal(use.model) << " on "
            << forTerminal(use.device) << ": " << use.decisions
            << (use.decisions == 1 ? " decision, " : " decisions, ")
            << utcTime(
                   std::chrono::system_clock::time_point(std::chrono::milliseconds(use.usedAtMs)))
            << " UTC\n";
    return {};
}

Result<bool> importAll(ProfileDatabase &database, const ProfileOptions &options, std::ostream &out,
                       std::ostream &err)
{
    bool complete = true;
    for (const auto &file : options.files) {
        GL_TRY_CONST(done, database.importFrom(file));
        out << forTerminal(file.string()) << ": " << done->added << " for new kernels, "
            << done->merged << " for known kernels, " << done->known << " already known, "
            << done->refused << " rejected\n";
        for (const std::string &reason : done->reasons)
            err << "graphloom: " << forTerminal(reason) << '\n';
        complete = complete && done->refused == 0;
    }
    return complete;
}

Result<int> run(const ProfileOptions &options, std::ostream &out, std::ostream &err)
{
    GL_TRY_CONST(file, profileFile(options.database));
    std::error_code failed;
    if (options.action != ProfileOptions::Action::Import && !std::filesystem::exists(*file, failed))
        return fail(Error::Kind::Missing, "profile database not found", file->string());
    if (options.action == ProfileOptions::Action::Export &&
        isSameFile(options.files.front(), *file))
        return fail(Error::Kind::Usage, "is the database itself, which would be overwritten",
                    "--profile export " + options.files.front().string());
    GL_TRY_RESULT(database, ProfileDatabase::open(*file));
    Result<void> done;
    switch (options.action) {
    case ProfileOptions::Action::Info:
        done = printInfo(*database, *file, out);
        break;
    case ProfileOptions::Action::Export:
        done = database->exportTo(options.files.front());
        break;
    case ProfileOptions::Action::Import: {
        GL_TRY_CONST(complete, importAll(*database, options, out, err));
        return *complete ? exitDone : exitFailed;
    }
    }
    if (!done)
        return tl::unexpected(done.error());
    return exitDone;
}

} // namespace

int runProfile(const ProfileOptions &options, std::ostream &out, std::ostream &err)
{
    const auto code = run(options, out, err);
    if (code)
        return *code;
    err << textForUser(code.error()) << '\n';
    return exitCodeOf(code.error().kind);
}

} // namespace graphloom
