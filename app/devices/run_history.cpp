// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/devices/run_history.h"

#include "engine/profile/user_profile.h"

#include <QDateTime>
#include <QLocale>

namespace graphloom {

namespace {

constexpr std::int64_t mostListed = 1000;

using ProfiledRuns = std::vector<ProfiledRun>;

Result<ProfiledRuns> readRuns(const std::optional<std::filesystem::path> &profile,
                              std::stop_token stop)
{
    std::error_code failed;
    if (profile && !std::filesystem::exists(*profile, failed))
        return ProfiledRuns(); // it is made with the first measurement
    GL_TRY_CONST(opened, openProfile(profile, std::move(stop)));
    if (!opened->database)
        return opened->problem.empty() ? Result<ProfiledRuns>(ProfiledRuns())
                                       : fail(Error::Kind::Missing, opened->problem);
    return opened->database->history(mostListed);
}

Result<void> writeRuns(const std::optional<std::filesystem::path> &profile,
                       const ProfiledRuns &runs, std::stop_token stop)
{
    GL_TRY_CONST(opened, openOrMakeProfile(profile, std::move(stop)));
    if (!opened->database)
        return fail(Error::Kind::Missing, opened->problem);
    for (const ProfiledRun &run : runs)
        GL_TRY(opened->database->noteRun(run));
    return {};
}

} // namespace

RunHistory::RunHistory(std::optional<std::filesystem::path> profile)
    : RowsModel(nullptr), m_profile(std::move(profile))
{
    const auto when = [](const ProfiledRun &run) {
        return QDateTime::fromMSecsSinceEpoch(run.measuredAtMs).toUTC().toString(Qt::ISODateWithMs);
    };
    const auto localTime = [this](int row) {
        return QLocale().toString(QDateTime::fromMSecsSinceEpoch(at(row).measuredAtMs),
                                  QLocale::ShortFormat);
    };
    // A bracket has no least time, but a lower bound.
    const auto known = [](double number) {
        return number > 0 ? std::optional(number) : std::nullopt;
    };
    const auto machine = [this](int row) { return fromUtf8(at(row).machine); };
    setColumns(
        {{tr("Date"), QStringLiteral("measured_at"), of(when).shownAs(localTime)},
         {tr("Device"), QStringLiteral("device"), of(&ProfiledRun::device).withToolTip(machine)},
         {tr("Model"), QStringLiteral("model"), of(&ProfiledRun::model)},
         {tr("Plan"), QStringLiteral("plan"), of(&ProfiledRun::plan),
          tr("The passes that made the plan, and whether its kernels were tuned")},
         {tr("Threads"), QStringLiteral("threads"), of(&ProfiledRun::threads)},
         {tr("Median ms"), QStringLiteral("median_ms"), of(&ProfiledRun::medianMs),
          tr("Median latency; of modelled bounds, the middle between them")},
         {tr("Least ms"), QStringLiteral("min_ms"), of(&ProfiledRun::minMs),
          tr("Least latency, or the lower bound")},
         {tr("95 % ms"), QStringLiteral("p95_ms"), of(&ProfiledRun::p95Ms),
          tr("95th percentile of the latencies, or the upper bound")},
         {tr("Runs"), QStringLiteral("runs"), of(&ProfiledRun::runs)},
         {tr("MHz"), QStringLiteral("clock_mhz"),
          of([known](const ProfiledRun &run) { return known(run.megahertz); }, formatCount),
          tr("Clock of the device after the runs, if it tells")},
         {tr("°C"), QStringLiteral("temperature_c"),
          of([known](const ProfiledRun &run) { return known(run.celsius); }, formatReal),
          tr("Temperature of the hottest zone after the runs, if the device tells")},
         {tr("mJ"), QStringLiteral("energy_mj"),
          of([known](const ProfiledRun &run) { return known(1e3 * run.joules); }, formatReal),
          tr("Energy of one run in millijoules, if the device tells it")}});
}

QString RunHistory::provenance(int row) const
{
    const ProfiledRun &run = at(row);
    const QString name = fromUtf8(nameOf(run.provenance));
    return run.isBracket ? tr("%1, bounds").arg(name) : name;
}

void RunHistory::load()
{
    m_reader.start(
        [profile = m_profile](std::stop_token stop) { return readRuns(profile, std::move(stop)); },
        [this](Result<ProfiledRuns> runs) {
            if (!runs)
                Q_EMIT failed(fromUtf8(runs.error().text()));
            else
                replace(m_runs, *std::move(runs));
        });
}

void RunHistory::note(const ProfiledRun &run)
{
    m_unwritten.push_back(run);
    writeNext();
}

void RunHistory::writeNext()
{
    if (m_writer.isRunning() || m_unwritten.empty())
        return;
    m_writer.start([profile = m_profile, runs = std::exchange(m_unwritten, {})](
                       std::stop_token stop) { return writeRuns(profile, runs, std::move(stop)); },
                   [this](const Result<void> &written) {
                       if (!written)
                           Q_EMIT failed(fromUtf8(written.error().text()));
                       writeNext();
                       load();
                   });
}

} // namespace graphloom
