// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

#include "app/common/format.h"
#include "app/session/plan_command.h"

namespace graphloom {

namespace {

constexpr int journalPatience = 300; // milliseconds to wait for further changes

} // namespace

Session::Session(QObject *parent) : QObject(parent)
{
    connect(&m_runs, &RunList::published, this, &Session::showPublished);
    connect(&m_runs, &RunList::finished, this, &Session::finishRun);
    connect(&m_runs, &RunList::changed, this, [this](int number) {
        if (const PassRun &run = *m_runs.find(number);
            run.followed && run.isActive() && !run.doing.isEmpty())
            Q_EMIT passProgress(run.fraction, run.activity());
    });
    m_journalPatience.setSingleShot(true);
    m_journalPatience.setInterval(journalPatience);
    connect(&m_journalPatience, &QTimer::timeout, this, &Session::writeJournal);
    connect(&m_undo, &QUndoStack::indexChanged, this, &Session::noteChange);
    connect(&m_runs, &RunList::warned, this,
            [this](const QString &text) { m_messages.add(MessageModel::Severity::Warning, text); });
}

void Session::report(const Error &error, const QString &what)
{
    const std::string place = raisedAt(error);
    const QString details = error.kind == Error::Kind::Fault && !place.empty()
                                ? tr("Internal error at %1").arg(fromUtf8(place))
                                : QString();
    m_messages.add(MessageModel::Severity::Error, what.arg(fromUtf8(error.text())), details);
    Q_EMIT failed(error);
}

void Session::show(std::shared_ptr<const Plan> plan)
{
    m_opener.announce(m_jobs, tr("Opening %1").arg(fromUtf8(plan->graph.name())));
    m_opener.start([plan](std::stop_token stop) { return snapshotOf(plan, nullptr, stop); },
                   [this, plan](const SnapshotPointer &snapshot) {
                       if (snapshot)
                           adopt(snapshot, plan->model->path);
                       else
                           Q_EMIT openingFinished(false);
                   });
    Q_EMIT openingStarted(fromUtf8(plan->graph.name()));
}

void Session::adopt(SnapshotPointer snapshot, const std::filesystem::path &path)
{
    abandonWork();
    m_path = path;
    m_file.clear();
    m_savedView.clear();
    replaceAll(snapshot);
    m_messages.add(MessageModel::Severity::Info,
                   tr("Opened %1: %2 nodes, %3 MACs, %4 parameters")
                       .arg(fileNameOf(path))
                       .arg(snapshot->graph().nodeCount())
                       .arg(formatCount(snapshot->facts->macs),
                            formatCount(double(snapshot->facts->parameters))),
                   QString::fromStdString(path.string()));
    Q_EMIT openingFinished(true);
}

/// Replaces the model and all its plans. The old plans are destroyed in a thread, as the steps of a
/// rewriting are thousands of graphs.
void Session::replaceAll(const SnapshotPointer &snapshot, Measured newMeasured,
                         std::vector<VerificationPointer> newVerifications)
{
    auto runs = m_runs.clear();
    std::vector<SnapshotPointer> ended{m_snapshot};
    for (int i = 0; i < m_undo.count(); ++i) {
        const auto &command = static_cast<const PlanCommand &>(*m_undo.command(i));
        ended.insert(ended.end(), {command.before(), command.after()});
    }
    m_undo.clear();
    m_savedChanges = m_changes;
    ++m_models;
    auto measured = std::exchange(m_measured, std::move(newMeasured));
    auto verifications = std::exchange(m_verifications, std::move(newVerifications));
    forgetJournals(); // their content is discarded
    display(snapshot, Change::Opened);
    m_releaser.start(
        [ended = std::move(ended), runs = std::move(runs), measured = std::move(measured),
         verifications = std::move(verifications)](std::stop_token) mutable {
            ended.clear();
            runs.clear();
            measured = {};
            verifications.clear();
            return true;
        },
        [](bool) {});
}

void Session::display(const SnapshotPointer &snapshot, Change change)
{
    if (m_restoring)
        return;
    m_snapshot = snapshot;
    Q_EMIT snapshotChanged(snapshot, change);
}

void Session::close()
{
    if (isOpening()) {
        m_opener.abandon();
        Q_EMIT openingFinished(false);
    }
    abandonWork();
    m_path.clear();
    m_file.clear();
    replaceAll(nullptr);
}

void Session::run(RunRequest request)
{
    if (m_snapshot && !isBusy())
        startFollowed(std::move(request), m_snapshot);
}

void Session::runBeside(RunRequest request)
{
    if (m_snapshot && !isOpening())
        m_runs.start(std::move(request), m_snapshot, false);
}

bool Session::canGoOn(std::string_view pass) const
{
    const Plan *plan = m_snapshot ? m_snapshot->plan.get() : nullptr;
    return plan && plan->search && plan->search->state && !plan->history.empty() &&
           plan->history.back().pass == pass && planBefore();
}

void Session::goOn(RunRequest request)
{
    resume(std::move(request), false);
}

void Session::takeAnother(RunRequest request)
{
    resume(std::move(request), true);
}

void Session::resume(RunRequest request, bool only)
{
    const SnapshotPointer before = planBefore();
    if (isBusy() || !before)
        return;
    const auto &plan = m_snapshot->plan;
    request.resume = {*plan->search->state, "the search of the current plan", only, plan};
    startFollowed(std::move(request), before);
}

void Session::editFission(RunRequest request, const Context::FissionEdit &edit, const QString &text)
{
    request.edit = edit;
    request.text = text;
    resume(std::move(request), false);
}

SnapshotPointer Session::previous() const
{
    return m_undo.index() > 0
               ? static_cast<const PlanCommand &>(*m_undo.command(m_undo.index() - 1)).before()
               : nullptr;
}

std::vector<Session::State> Session::states() const
{
    std::vector<State> states;
    if (!m_snapshot)
        return states;
    states.push_back({m_snapshot, tr("Opened")});
    for (int i = 0; i < m_undo.count(); ++i) {
        const auto &command = static_cast<const PlanCommand &>(*m_undo.command(i));
        if (i == 0)
            states.front().snapshot = command.before();
        states.push_back({command.after(), command.text()});
    }
    return states;
}

void Session::goTo(int state)
{
    if (isBusy() || state < 0 || state > m_undo.count() || state == m_undo.index())
        return;
    const SnapshotPointer wanted = states()[std::size_t(state)].snapshot;
    const auto [first, last] = std::minmax({state, m_undo.index()});
    bool edits = true;
    for (int i = first; i < last; ++i)
        edits = edits &&
                static_cast<const PlanCommand &>(*m_undo.command(i)).change() == Change::Edited;
    m_restoring = true;
    m_undo.setIndex(state);
    m_restoring = false;
    display(wanted, edits ? Change::Edited : Change::Planned);
    noteChange();
}

/// Returns the state before the last pass; edits and continued searches do not add to the history.
SnapshotPointer Session::planBefore() const
{
    const std::size_t passes = m_snapshot->plan->history.size();
    for (int i = m_undo.index(); i-- > 0;) {
        const auto &before = static_cast<const PlanCommand &>(*m_undo.command(i)).before();
        if (before->plan->history.size() < passes)
            return before;
    }
    return nullptr;
}

void Session::startFollowed(RunRequest request, const SnapshotPointer &before)
{
    const QString name = fromUtf8(request.pass->name());
    m_runs.start(std::move(request), before, true);
    Q_EMIT passStarted(name);
}

void Session::hold(bool held)
{
    if (const PassRun *run = m_runs.followed())
        m_runs.hold(run->number, held);
}

bool Session::isHeld() const
{
    const PassRun *run = m_runs.followed();
    return run && run->state == PassRun::State::Held;
}

void Session::showPublished(int number)
{
    if (const PassRun *run = m_runs.find(number); run && run->followed)
        preview(run->latest);
}

void Session::finishRun(int number)
{
    const PassRun &run = *m_runs.find(number);
    const QString name = run.name();
    const bool taken = m_taken == number;
    if (taken)
        m_taken = 0;
    if (run.followed)
        endPreviews();
    if (!run.result) {
        report(*run.error, tr("Pass %1 failed: %2").arg(name, QStringLiteral("%1")));
        if (run.latest)
            m_messages.add(MessageModel::Severity::Info,
                           tr("Run %1's best plan is available in Runs").arg(number));
        if (run.followed) {
            Q_EMIT snapshotChanged(m_snapshot, Change::Planned); // removes the last preview
            Q_EMIT passFinished(false);
        }
        return;
    }
    const bool stopped = run.state == PassRun::State::Stopped;
    noteUnsaved();
    if (!run.followed) {
        m_messages.add(
            MessageModel::Severity::Info,
            tr("Run %1 (%2) is finished: its plan is available in Runs").arg(number).arg(name));
        return;
    }
    if (taken && realizeLatest(run))
        return;
    adopt(run, run.result);
    if (taken)
        noteTaken(run);
    else if (!run.request.edit)
        m_messages.add(MessageModel::Severity::Info,
                       stopped ? tr("Pass %1 cancelled: the best plan so far is shown").arg(name)
                               : tr("Pass %1 finished in %2 s (measured on this machine)")
                                     .arg(name, formatReal(run.seconds)));
    Q_EMIT passFinished(true);
}

/// Makes the plan of a run the current plan.
void Session::adopt(const PassRun &run, const SnapshotPointer &snapshot)
{
    const QString &text = run.request.text;
    m_undo.push(new PlanCommand(*this, text.isEmpty() ? run.name() : text, m_snapshot, snapshot,
                                run.request.edit ? Change::Edited : Change::Planned));
}

void Session::take(int number)
{
    const PassRun *run = m_runs.find(number);
    if (!run || !run->latest || (isBusy() && !(run->followed && run->isActive())))
        return;
    if (run->isActive())
        takeWhenStopped(*run);
    else if (!realizeLatest(*run))
        takeNow(*run);
}

/// Stops a run, so that its pass realizes what it has found: plans that it publishes while it
/// searches may have no graph of their own yet.
void Session::takeWhenStopped(const PassRun &run)
{
    m_taken = run.number;
    if (!run.followed) {
        m_runs.follow(run.number);
        Q_EMIT passStarted(run.name());
    }
    m_runs.stop(run.number);
}

/// Starts a run that realizes the last plan of a run that has ended without doing so, because it
/// failed or was stopped. Returns false if there is no such plan.
bool Session::realizeLatest(const PassRun &run)
{
    const auto &memory = run.latest->memory;
    const bool cannotBe = run.state == PassRun::State::Done;
    if (cannotBe || !run.request.pass || !run.before || !memory || memory->realized ||
        memory->state.empty() || memory == run.before->plan->memory)
        return false;
    RunRequest request = run.request;
    request.edit.reset();
    request.resume = {"", tr("run %1").arg(run.number).toStdString(), true, run.latest};
    startFollowed(std::move(request), run.before);
    return true;
}

void Session::takeNow(const PassRun &run)
{
    const auto done = [this, taken = run](const SnapshotPointer &snapshot) {
        if (snapshot) { // otherwise the list of jobs has told the reason
            adopt(taken, snapshot);
            noteTaken(taken);
        }
        Q_EMIT editingFinished();
    };
    if (run.result) {
        done(run.result);
        return;
    }
    m_taker.announceUnstoppable(m_jobs, tr("Applying the plan of run %1").arg(run.number));
    m_taker.start([plan = run.latest,
                   before = m_snapshot](std::stop_token) { return snapshotOf(plan, before, {}); },
                  done);
    Q_EMIT editingStarted();
}

void Session::noteTaken(const PassRun &run)
{
    m_messages.add(MessageModel::Severity::Info,
                   tr("Applied the plan of run %1 (%2)").arg(run.number).arg(run.name()));
}

void Session::leave(int number)
{
    const PassRun *run = m_runs.find(number);
    if (!run || !run->followed || !run->isActive())
        return;
    m_runs.unfollow(number);
    endPreviews();
    Q_EMIT snapshotChanged(m_snapshot, Change::Planned); // removes the last preview
    Q_EMIT passFinished(false);
}

void Session::preview(std::shared_ptr<const Plan> plan)
{
    if (m_previewer.isRunning()) {
        m_nextPreview = std::move(plan); // replaces an outdated one that is waiting
        return;
    }
    m_previewer.start([plan = std::move(plan), before = m_snapshot](
                          std::stop_token stop) { return snapshotOf(plan, before, stop); },
                      [this](const SnapshotPointer &snapshot) {
                          if (snapshot && isRunning()) {
                              m_live = snapshot;
                              Q_EMIT snapshotChanged(snapshot, Change::Live);
                          }
                          if (auto next = std::exchange(m_nextPreview, nullptr))
                              preview(std::move(next));
                      });
}

void Session::endPreviews()
{
    m_previewer.abandon();
    m_nextPreview.reset();
    m_live.reset();
}

void Session::edit(const QString &text, std::function<Plan(Plan)> change)
{
    if (!m_snapshot || isBusy())
        return;
    m_editor.announceUnstoppable(m_jobs, tr("Changing the plan: %1").arg(text));
    m_editor.start(
        [change = std::move(change), before = m_snapshot](std::stop_token) {
            return snapshotOf(std::make_shared<const Plan>(change(*before->plan)), before, {});
        },
        [this, text](const SnapshotPointer &snapshot) {
            if (snapshot) // otherwise the list of jobs has told the reason
                m_undo.push(new PlanCommand(*this, text, m_snapshot, snapshot, Change::Edited));
            Q_EMIT editingFinished();
        });
    Q_EMIT editingStarted();
}

void Session::replacePlan(const QString &text,
                          std::function<Result<Plan>(const std::stop_token &)> make)
{
    replaceBy(text, Change::Planned,
              [make = std::move(make)](const std::stop_token &stop) -> Result<SnapshotPointer> {
                  GL_TRY_RESULT(plan, make(stop));
                  return snapshotOf(std::make_shared<const Plan>(*std::move(plan)), nullptr, stop);
              });
}

void Session::tryEdit(const QString &text,
                      std::function<Result<Plan>(Plan, const std::stop_token &)> change)
{
    replaceBy(text, Change::Edited,
              [change = std::move(change),
               before = m_snapshot](const std::stop_token &stop) -> Result<SnapshotPointer> {
                  GL_TRY_RESULT(plan, change(*before->plan, stop));
                  return snapshotOf(std::make_shared<const Plan>(*std::move(plan)), before, stop);
              });
}

void Session::replaceBy(const QString &text, Change change,
                        std::function<Result<SnapshotPointer>(const std::stop_token &)> make)
{
    if (!m_snapshot || isBusy())
        return;
    m_editor.announce(m_jobs, text);
    m_editor.start(std::move(make), [this, text, change](const Result<SnapshotPointer> &snapshot) {
        if (m_editor.isStopped() || (snapshot && !*snapshot))
            m_messages.add(MessageModel::Severity::Info, tr("%1: cancelled").arg(text));
        else if (!snapshot)
            report(snapshot.error(), text + QStringLiteral(": %1"));
        else
            m_undo.push(new PlanCommand(*this, text, m_snapshot, *snapshot, change));
        Q_EMIT editingFinished();
    });
    Q_EMIT editingStarted();
}

void Session::abandonWork()
{
    if (isEditing()) {
        m_editor.abandon();
        m_taker.abandon();
        Q_EMIT editingFinished();
    }
    const PassRun *run = m_runs.followed();
    if (!run)
        return;
    m_runs.abandon(run->number);
    endPreviews();
    Q_EMIT snapshotChanged(m_snapshot, Change::Planned); // removes the last preview
    Q_EMIT passFinished(false);
}

void Session::cancel()
{
    m_opener.stop();
    if (const PassRun *run = m_runs.followed())
        m_runs.stop(run->number);
}

} // namespace graphloom
