// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/session.h"

#include "engine/profile/user_profile.h"
#include "app/layout/dot_file.h"
#include "app/models/format.h"
#include "app/window/export_jobs.h"
#include "app/window/throttle.h"
#include "engine/onnx/export.h"

#include <QUndoCommand>

#include <exception>

namespace graphloom {

namespace {

constexpr std::chrono::milliseconds previewInterval{100};

Result<SnapshotPointer> load(const std::filesystem::path &path, ImportOptions options,
                             std::stop_token stop)
try {
    options.stop = stop;
    auto model = isDotFile(path) ? layout::readDot(path) : importOnnx(path, options);
    if (!model)
        return tl::unexpected(model.error());
    auto plan = importPlan(std::make_shared<const Model>(*std::move(model)));
    if (!plan)
        return tl::unexpected(plan.error());
    return snapshotOf(std::make_shared<const Plan>(*std::move(plan)), nullptr, stop);
} catch (const std::exception
             &exception) { // out of memory, or a fault of ours: not the end of the session
    return fail(Error::Kind::Fault, exception.what(), path.string());
}

} // namespace

class Session::PlanCommand final : public QUndoCommand {
public:
    PlanCommand(Session &session, const QString &text, SnapshotPointer before,
                SnapshotPointer after, Change change)
        : QUndoCommand(text), m_session(session), m_before(std::move(before)),
          m_after(std::move(after)), m_change(change)
    {
    }
    void undo() override { m_session.display(m_before, m_change); }
    void redo() override { m_session.display(m_after, m_change); }
    const SnapshotPointer &before() const { return m_before; }
    const SnapshotPointer &after() const { return m_after; }

private:
    Session &m_session;
    SnapshotPointer m_before, m_after;
    const Change m_change;
};

Session::Session(QObject *parent) : QObject(parent) {}

void Session::report(const Error &error, const QString &what)
{
    const QString details = tr("Raised in %1, line %2.")
                                .arg(QString::fromUtf8(error.raised.file_name()))
                                .arg(error.raised.line());
    m_messages.add(MessageModel::Severity::Error, what.arg(fromUtf8(error.text())), details);
    Q_EMIT failed(error);
}

void Session::open(const std::filesystem::path &path, const ImportOptions &options)
{
    abandonWork();
    const QString name = fileNameOf(path);
    m_opener.start([path, options](std::stop_token stop) { return load(path, options, stop); },
                   [this, path, name](Result<SnapshotPointer> loaded) {
                       if (m_opener.isStopped() || (loaded && !*loaded)) {
                           m_messages.add(MessageModel::Severity::Info,
                                          tr("Opening %1 was cancelled").arg(name));
                           Q_EMIT openingFinished(false);
                           return;
                       }
                       if (!loaded) {
                           report(loaded.error(),
                                  tr("Cannot open %1: %2").arg(name, QStringLiteral("%1")));
                           Q_EMIT openingFinished(false);
                           return;
                       }
                       for (const std::string &warning : (*loaded)->plan->model->warnings)
                           m_messages.add(MessageModel::Severity::Warning, fromUtf8(warning));
                       adopt(*loaded, path);
                   });
    Q_EMIT openingStarted(name);
}

void Session::show(std::shared_ptr<const Plan> plan)
{
    abandonWork();
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
    m_path = path;
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

/// Another model in place of this one with all its plans. Those end on a thread: the steps of a
/// rewriting are thousands of graphs.
void Session::replaceAll(const SnapshotPointer &snapshot)
{
    std::vector<SnapshotPointer> ended{m_snapshot};
    for (int i = 0; i < m_undo.count(); ++i) {
        const auto &command = static_cast<const PlanCommand &>(*m_undo.command(i));
        ended.insert(ended.end(), {command.before(), command.after()});
    }
    m_undo.clear();
    display(snapshot, Change::Opened);
    m_releaser.start(
        [ended = std::move(ended)](std::stop_token) mutable {
            ended.clear();
            return true;
        },
        [](bool) {});
}

void Session::display(const SnapshotPointer &snapshot, Change change)
{
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
    replaceAll(nullptr);
}

void Session::run(std::shared_ptr<const Pass> pass, const Settings &settings, std::uint64_t seed)
{
    if (!m_snapshot || isBusy())
        return;
    const QString name = fromUtf8(pass->name());
    Context context;
    context.settings = settings;
    context.seed = seed;
    context.timers = m_timers;
    // Both are called from the pass's threads, as often as it likes.
    context.progress = m_runner.progress(
        [this](double fraction, const QString &what) { Q_EMIT passProgress(fraction, what); });
    context.publish =
        [this, post = m_runner.poster(),
         throttle = std::make_shared<Throttle>(previewInterval)](std::shared_ptr<const Plan> plan) {
            if (throttle->allows())
                post([this, parcel = Parcel(std::move(plan))] { preview(parcel.open()); });
        };
    m_runner.start(
        [pass, context, before = m_snapshot](std::stop_token stop) mutable {
            context.stop = stop;
            auto profile = openProfile(std::nullopt);
            if (profile)
                context.profile = *profile;
            PassResult result{runPass(*pass, *before->plan, context), nullptr};
            if (!profile)
                result.noProfile = profile.error();
            if (result.plan)
                // Not stoppable: a cancelled pass has a result too.
                result.snapshot =
                    snapshotOf(std::make_shared<const Plan>(*result.plan), before, {});
            return result;
        },
        [this, name](PassResult result) {
            finishPass(name, std::move(result), m_runner.isStopped());
        });
    Q_EMIT passStarted(name);
}

void Session::finishPass(const QString &name, PassResult result, bool cancelled)
{
    endPreviews();
    if (result.noProfile)
        m_messages.add(
            MessageModel::Severity::Warning,
            tr("Measured latencies are not used: %1").arg(fromUtf8(result.noProfile->text())));
    if (!result.snapshot) {
        report(result.plan.error(), tr("Pass %1 failed: %2").arg(name, QStringLiteral("%1")));
        Q_EMIT snapshotChanged(m_snapshot, Change::Planned); // away with the last preview
        Q_EMIT passFinished(false);
        return;
    }
    const PassRecord *record =
        result.plan->history.empty() ? nullptr : &result.plan->history.back();
    m_undo.push(new PlanCommand(*this, name, m_snapshot, result.snapshot, Change::Planned));
    m_messages.add(MessageModel::Severity::Info,
                   cancelled ? tr("Pass %1 was cancelled: this is its best plan so far").arg(name)
                             : tr("Pass %1 is done in %2 s (measured on this machine)")
                                   .arg(name, formatReal(record ? record->seconds : 0)));
    Q_EMIT passFinished(true);
}

void Session::preview(std::shared_ptr<const Plan> plan)
{
    if (m_previewer.isRunning()) {
        m_nextPreview = std::move(plan); // the one that waits already is out of date
        return;
    }
    m_previewer.start([plan = std::move(plan), before = m_snapshot](
                          std::stop_token stop) { return snapshotOf(plan, before, stop); },
                      [this](const SnapshotPointer &snapshot) {
                          if (snapshot && m_runner.isRunning())
                              Q_EMIT snapshotChanged(snapshot, Change::Live);
                          if (auto next = std::exchange(m_nextPreview, nullptr))
                              preview(std::move(next));
                      });
}

void Session::endPreviews()
{
    m_previewer.abandon();
    m_nextPreview.reset();
}

void Session::edit(const QString &text, std::function<Plan(Plan)> change)
{
    if (!m_snapshot || isBusy())
        return;
    m_editor.start(
        [change = std::move(change), before = m_snapshot](std::stop_token) {
            return snapshotOf(std::make_shared<const Plan>(change(*before->plan)), before, {});
        },
        [this, text](const SnapshotPointer &snapshot) {
            m_undo.push(new PlanCommand(*this, text, m_snapshot, snapshot, Change::Edited));
            Q_EMIT editingFinished();
        });
    Q_EMIT editingStarted();
}

void Session::abandonWork()
{
    if (isEditing()) {
        m_editor.abandon();
        Q_EMIT editingFinished();
    }
    if (!isRunning())
        return;
    m_runner.abandon();
    endPreviews();
    Q_EMIT snapshotChanged(m_snapshot, Change::Planned); // away with the last preview
    Q_EMIT passFinished(false);
}

void Session::cancel()
{
    m_opener.stop();
    m_runner.stop();
}

} // namespace graphloom
