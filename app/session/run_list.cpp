// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/run_list.h"

#include "app/common/format.h"
#include "engine/base/throttle.h"
#include "engine/pass/device_parameter.h"
#include "engine/profile/user_profile.h"
#include "engine/worker/pass_process.h"

namespace graphloom {

namespace {

constexpr std::chrono::milliseconds previewInterval{100}, searchInterval{100};
constexpr int clockInterval = 500; // milliseconds

/// Runs the pass with the profile database, for the device of the plan. A pass of this process gets
/// it opened, while a plugin's process opens it itself.
Result<Plan> runWithProfile(const PassJob &job, Context context, Plan before,
                            const RunList::DeviceMaker &device, std::stop_token stop)
{
    context.stop = stop;
    if (!before.device && device && usesPlanDevice(*job.pass, context.settings)) {
        context.progress(0, "measuring the device");
        GL_TRY_RESULT(made, device({.stop = stop, .progress = context.progress}, context.timers));
        before.device = std::move(made->device);
        if (!made->instead.empty())
            job.warn(made->instead);
    }
    if (job.profile) // the pass opens it, and reports failures
        (void)openOrMakeProfile(job.profile);
    if (job.library.empty()) {
        const auto profile = openProfile(job.profile, stop);
        if (profile)
            context.profile = profile->database;
        if (const std::string problem = profile ? profile->problem : profile.error().text();
            !problem.empty())
            job.warn("Measured latencies are not used: " + problem);
    }
    return runPassApart(job, before, context);
}

} // namespace

RunList::RunList(QObject *parent) : QObject(parent)
{
    m_clock.setInterval(clockInterval);
    connect(&m_clock, &QTimer::timeout, this, &RunList::tick);
}

RunList::~RunList()
{
    for (const auto *entries : {&m_entries, &m_ended})
        for (const auto &entry : *entries)
            end(*entry);
}

/// Abandons the run, as a pass that ignores the stop must not block.
void RunList::end(Entry &entry)
{
    entry.control->abandon();
    entry.control->hold(false);
    entry.worker->abandon();
}

RunList::Entry *RunList::entry(int number)
{
    const auto found =
        std::ranges::find_if(m_entries, [&](const auto &one) { return one->run.number == number; });
    return found == m_entries.end() ? nullptr : found->get();
}

std::vector<const PassRun *> RunList::runs() const
{
    std::vector<const PassRun *> all;
    for (const auto &one : m_entries)
        all.push_back(&one->run);
    return all;
}

const PassRun *RunList::find(int number) const
{
    const Entry *found = const_cast<RunList *>(this)->entry(number);
    return found ? &found->run : nullptr;
}

int RunList::activeCount() const
{
    return int(std::ranges::count_if(m_entries, [](auto &one) { return one->run.isActive(); }));
}

const PassRun *RunList::followed() const
{
    for (const auto &one : m_entries)
        if (one->run.followed && one->run.isActive())
            return &one->run;
    return nullptr;
}

RunList::Entry &RunList::add(PassRun run)
{
    auto made = std::make_unique<Entry>();
    made->worker = std::make_unique<Worker>();
    made->clock = made->control->clock();
    made->run = std::move(run);
    m_entries.push_back(std::move(made));
    return *m_entries.back();
}

void RunList::restore(std::vector<PassRun> runs)
{
    for (PassRun &run : runs) {
        m_last = std::max(m_last, run.number);
        Q_EMIT added(add(std::move(run)).run.number);
    }
}

int RunList::list(PassRun run, Guest guest)
{
    const int number = run.number = ++m_last;
    run.began = QDateTime::currentDateTime();
    Entry &entry = add(std::move(run));
    entry.clock = guest.clock;
    entry.guest = std::move(guest);
    m_clock.start();
    Q_EMIT added(number);
    return number;
}

void RunList::change(int number, const std::function<void(PassRun &)> &change)
{
    Entry *of = entry(number);
    if (!of || !of->guest)
        return;
    if (of->run.isActive())
        of->run.seconds = of->clock();
    change(of->run);
    Q_EMIT changed(number);
}

/// Returns the context of a run. Its functions may be called from other threads at any rate.
Context RunList::contextOf(const PassRun &run, Worker &worker)
{
    Context context;
    context.settings = run.request.settings;
    context.objective = run.request.objective;
    context.seed = run.request.seed;
    context.threads = run.request.threads;
    context.resume = run.request.resume;
    context.edit = run.request.edit;
    context.timers = m_timers;
    const auto note = [this, post = worker.poster(), number = run.number](auto change) {
        post([this, number, change = std::move(change)]() mutable {
            if (Entry *of = entry(number))
                change(of->run);
        });
    };
    context.progress =
        worker.progress([this, number = run.number](double done, const QString &what) {
            if (Entry *of = entry(number)) {
                of->run.fraction = done;
                of->run.doing = what;
                Q_EMIT changed(number);
            }
        });
    context.observe = [this, note, throttle = std::make_shared<Throttle>(searchInterval)](
                          const SearchRecord &record) {
        if (throttle->allows())
            note([this, kept = std::make_shared<const SearchRecord>(record)](PassRun &of) {
                of.search = kept;
                Q_EMIT changed(of.number);
            });
    };
    context.publish = [this, note, throttle = std::make_shared<Throttle>(previewInterval)](
                          std::shared_ptr<const Plan> plan) {
        if (throttle->allows())
            note([this, parcel = Parcel(std::move(plan))](PassRun &of) {
                of.latest = parcel.open();
                if (of.latest->search)
                    of.search = of.latest->search;
                Q_EMIT published(of.number);
            });
    };
    return context;
}

int RunList::start(RunRequest request, const SnapshotPointer &before, bool followed)
{
    constexpr std::size_t leftAlone = 4; // these have ended or are about to end; see Worker
    while (m_ended.size() > leftAlone)
        m_ended.erase(m_ended.begin());
    const int number = ++m_last;
    PassRun described;
    described.number = number;
    described.request = std::move(request);
    described.pass = described.request.pass->name();
    described.began = QDateTime::currentDateTime();
    described.before = before;
    described.followed = followed;
    const Entry &entry = add(std::move(described));
    const PassRun &run = entry.run;

    PassJob job;
    job.library = run.request.library;
    job.pass = run.request.pass;
    job.version = GRAPHLOOM_VERSION;
    job.profile = m_profile;
    job.control = entry.control;
    job.warn = [this, post = entry.worker->poster()](const std::string &text) {
        post([this, warning = fromUtf8(text)] { Q_EMIT warned(warning); });
    };
    entry.worker->announce(m_jobs, tr("Run %1, %2").arg(number).arg(fromUtf8(run.pass)),
                           [this, number] { stop(number); });
    entry.worker->start(
        [job, context = contextOf(run, *entry.worker), before,
         device = m_device](std::stop_token stop) {
            Outcome outcome(runWithProfile(job, context, *before->plan, device, stop));
            if (outcome.plan)
                // Cannot be stopped, as a stopped pass has a result too.
                outcome.snapshot =
                    snapshotOf(std::make_shared<const Plan>(*outcome.plan), before, {});
            return outcome;
        },
        [this, number](Outcome outcome) { finish(number, std::move(outcome)); });
    m_clock.start();
    Q_EMIT added(number);
    return number;
}

void RunList::finish(int number, Outcome outcome)
{
    Entry *of = entry(number);
    if (!of)
        return;
    PassRun &run = of->run;
    run.seconds = of->clock();
    run.fraction = 1;
    run.doing.clear();
    if (outcome.snapshot) {
        run.state = of->worker->isStopped() ? PassRun::State::Stopped : PassRun::State::Done;
        run.result = outcome.snapshot;
        run.latest = outcome.snapshot->plan;
        if (run.latest->search && run.latest->search != run.before->plan->search)
            run.search = run.latest->search;
    } else {
        run.state = PassRun::State::Failed;
        run.error = outcome.plan.error();
    }
    Q_EMIT finished(number);
}

void RunList::unfollow(int number)
{
    if (Entry *of = entry(number); of && of->run.followed) {
        of->run.followed = false;
        Q_EMIT changed(number);
    }
}

void RunList::follow(int number)
{
    if (Entry *of = entry(number); of && !of->run.followed && !followed()) {
        of->run.followed = true;
        Q_EMIT changed(number);
    }
}

void RunList::hold(int number, bool held)
{
    Entry *of = entry(number);
    const auto from = held ? PassRun::State::Running : PassRun::State::Held;
    if (!of || of->run.state != from)
        return;
    if (of->guest) {
        of->guest->hold(held);
    } else {
        of->control->hold(held);
        of->worker->setPaused(held);
    }
    of->run.state = held ? PassRun::State::Held : PassRun::State::Running;
    Q_EMIT changed(number);
}

void RunList::stop(int number)
{
    Entry *of = entry(number);
    if (!of || !of->run.isActive())
        return;
    if (of->run.state == PassRun::State::Stopping)
        of->control->abandon();
    of->run.state = PassRun::State::Stopping;
    if (of->guest) {
        of->guest->stop();
    } else {
        of->worker->stop();
        of->control->hold(false);
    }
    Q_EMIT changed(number);
}

void RunList::abandon(int number)
{
    Entry *of = entry(number);
    if (!of || !of->run.isActive())
        return;
    of->run.seconds = of->clock();
    of->run.state = PassRun::State::Stopped;
    of->run.followed = false;
    end(*of);
    Q_EMIT changed(number);
}

void RunList::remove(int number)
{
    const auto found =
        std::ranges::find_if(m_entries, [&](const auto &one) { return one->run.number == number; });
    if (found == m_entries.end() || (*found)->run.isActive())
        return;
    m_ended.push_back(std::move(*found));
    m_entries.erase(found);
    Q_EMIT removed(number);
}

std::vector<PassRun> RunList::clear()
{
    for (const auto &one : m_entries)
        end(*one);
    std::vector<PassRun> gone;
    for (auto &one : m_entries) {
        gone.push_back(std::exchange(one->run, {}));
        m_ended.push_back(std::move(one));
    }
    m_entries.clear();
    m_last = 0;
    for (const PassRun &run : gone)
        Q_EMIT removed(run.number);
    return gone;
}

void RunList::tick()
{
    bool active = false;
    for (const auto &one : m_entries) {
        if (!one->run.isActive())
            continue;
        active = true;
        one->run.seconds = one->clock();
        Q_EMIT changed(one->run.number);
    }
    if (!active)
        m_clock.stop();
}

} // namespace graphloom
