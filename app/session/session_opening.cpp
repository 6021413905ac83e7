// SPDX-License-Identifier: GPL-3.0-or-later
// Opening of models and sessions.
#include "app/session/session.h"

#include "app/common/format.h"
#include "app/export/export_jobs.h"
#include "app/layout/dot_file.h"
#include "app/results/tuning_search.h"
#include "app/session/plan_command.h"
#include "engine/autodiff/training_plan.h"
#include "engine/onnx_export/export.h"

#include <QStandardPaths>

#include <exception>

namespace graphloom {

namespace {

/// Returns the folder for models extracted from session files.
std::filesystem::path extractedFolder()
{
    return (QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
            QStringLiteral("/graphloom/models"))
        .toStdString();
}

Settings settingsOf(const SessionRun &kept, std::span<const Parameter> parameters,
                    std::span<const RuleFacts> rules = {})
{
    Settings settings(parameters, rules);
    for (const auto &[name, value] : kept.settings)
        // Omit entries that this version does not know.
        static_cast<void>(settings.set(name, value));
    return settings;
}

PassRun passRunOf(SessionRun kept, const std::vector<std::shared_ptr<const Pass>> &passes)
{
    PassRun run;
    run.number = kept.number;
    run.pass = kept.pass;
    run.began = QDateTime::fromMSecsSinceEpoch(kept.beganMs);
    run.seconds = kept.seconds;
    run.fraction = 1;
    run.state = !kept.problem.empty() ? PassRun::State::Failed
                : kept.stopped        ? PassRun::State::Stopped
                                      : PassRun::State::Done;
    if (!kept.problem.empty())
        run.error = Error{Error::Kind::Fault, kept.problem, {}, std::source_location::current()};
    run.search = kept.search;
    run.latest = kept.result;
    run.request.objective = kept.objective;
    run.request.seed = kept.seed;
    run.request.threads = kept.threads;
    if (kept.pass == tuningName)
        run.request.settings = settingsOf(kept, tuningParameters());
    for (const auto &pass : passes)
        if (pass->name() == kept.pass) {
            run.request.pass = pass;
            run.request.settings = settingsOf(kept, pass->parameters(), pass->rules());
        }
    return run;
}

} // namespace

Result<Session::Opened> Session::loadOpened(Result<SessionContent> content, std::stop_token stop)
try {
    if (!content)
        return tl::unexpected(content.error());
    Opened opened;
    SnapshotPointer before;
    for (const SessionState &state : content->states) {
        before = snapshotOf(state.plan, before, stop);
        if (!before)
            return Opened(); // stopped
        opened.snapshots.push_back(before);
    }
    for (const SessionRun &run : content->runs) {
        opened.runs.push_back(run.before ? snapshotOf(run.before, opened.snapshots.front(), stop)
                                         : nullptr);
        if (run.before && !opened.runs.back())
            return Opened();
    }
    for (const auto &measurement : content->measurements) {
        PlanRun run;
        static_cast<PlanMeasurement &>(run) = *measurement;
        opened.measured.runs.push_back(planRunOf(std::move(run)));
    }
    content->measurements.clear();
    opened.measured.trials = content->trials;
    for (const auto &verified : content->verifications) {
        PlanVerification verification;
        static_cast<VerifiedPlan &>(verification) = *verified;
        opened.verifications.push_back(verificationOf(std::move(verification)));
    }
    content->verifications.clear();
    opened.content = *std::move(content);
    return opened;
} catch (const std::exception &exception) {
    return fail(Error::Kind::Fault, exception.what());
}

Result<Session::Opened> Session::load(const std::filesystem::path &path, ImportOptions options,
                                      const std::optional<TrainingOptions> &training,
                                      std::stop_token stop)
try {
    if (isSessionFile(path))
        return loadOpened(loadSession(path, extractedFolder(), stop), stop);
    options.stop = stop;
    GL_TRY_RESULT(model, isDotFile(path) ? layout::readDot(path) : importOnnx(path, options));
    GL_TRY_RESULT(plan, training
                            ? trainingPlan(*std::move(model), *training, stop)
                            : importPlan(std::make_shared<const Model>(*std::move(model)), stop));
    Opened opened;
    if (auto snapshot = snapshotOf(std::make_shared<const Plan>(*std::move(plan)), nullptr, stop))
        opened.snapshots.push_back(std::move(snapshot));
    return opened;
} catch (const std::exception &exception) { // such as out of memory, which must not end the session
    return fail(Error::Kind::Fault, exception.what(), path.string());
}

/// Stopped opening returns no snapshots.
void Session::startOpening(const QString &name,
                           std::function<Result<Opened>(std::stop_token stop)> load,
                           std::function<void(Opened)> done)
{
    m_opener.announce(m_jobs, tr("Opening %1").arg(name));
    m_opener.start(std::move(load), [this, name, done](Result<Opened> opened) {
        if (m_opener.isStopped() || (opened && opened->snapshots.empty())) {
            m_messages.add(MessageModel::Severity::Info, tr("Opening %1 cancelled").arg(name));
        } else if (!opened) {
            report(opened.error(), tr("Cannot open %1: %2").arg(name, QStringLiteral("%1")));
        } else {
            done(*std::move(opened));
            return;
        }
        Q_EMIT openingFinished(false);
    });
    Q_EMIT openingStarted(name);
}

void Session::open(const std::filesystem::path &path, const ImportOptions &options,
                   const std::optional<TrainingOptions> &training)
{
    const QString name = fileNameOf(path);
    startOpening(
        name,
        [path, options, training](std::stop_token stop) {
            return load(path, options, training, stop);
        },
        [this, path, name](Opened opened) {
            if (!opened.content.states.empty()) {
                showSession(std::move(opened), name);
                m_file = path;
                m_undo.setClean();
                Q_EMIT openingFinished(true);
                return;
            }
            const SnapshotPointer snapshot = opened.snapshots.front();
            for (const std::string &warning : snapshot->plan->model->warnings)
                m_messages.add(MessageModel::Severity::Warning, fromUtf8(warning));
            adopt(snapshot, path);
        });
}

void Session::showSession(Opened opened, const QString &name)
{
    const std::vector<std::string> problems = opened.content.problems;
    adopt(std::move(opened));
    m_messages.add(MessageModel::Severity::Info, tr("Opened %1: %2 plans, %3 runs")
                                                     .arg(name)
                                                     .arg(m_undo.count() + 1)
                                                     .arg(m_runs.runs().size()));
    for (const std::string &problem : problems)
        m_messages.add(MessageModel::Severity::Error,
                       tr("Opened %1 in part: %2").arg(name, fromUtf8(problem)));
}

void Session::recover(const std::filesystem::path &journal)
{
    const QString name = tr("unsaved work");
    startOpening(
        name,
        [journal](std::stop_token stop) {
            return loadOpened(SessionJournal::recover(journal, stop), stop);
        },
        [this, journal, name](Opened opened) {
            showSession(std::move(opened), name);
            m_file.clear();
            m_undo.resetClean(); // not saved in any file
            m_recovered = journal;
            writeJournal();
            Q_EMIT openingFinished(true);
        });
}

void Session::adopt(Opened opened)
{
    abandonWork();
    const auto model = opened.content.view.find("model");
    m_path.clear();
    if (model != opened.content.view.end())
        m_path = model->second;
    m_savedView = opened.content.view;
    const std::size_t current = opened.content.current;
    replaceAll(opened.snapshots[current], std::move(opened.measured),
               std::move(opened.verifications));
    m_restoring = true;
    for (std::size_t i = 1; i < opened.snapshots.size(); ++i)
        m_undo.push(
            new PlanCommand(*this, fromUtf8(opened.content.states[i].text), opened.snapshots[i - 1],
                            opened.snapshots[i],
                            opened.content.states[i].byHand ? Change::Edited : Change::Planned));
    m_undo.setIndex(int(current));
    m_restoring = false;
    std::vector<PassRun> runs;
    for (std::size_t i = 0; i < opened.content.runs.size(); ++i) {
        runs.push_back(passRunOf(opened.content.runs[i], m_passes));
        runs.back().before = opened.runs[i];
    }
    m_runs.restore(std::move(runs));
}

} // namespace graphloom
