// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/tuning_run.h"

namespace graphloom {

TuningRun::TuningRun(KernelTuner &tuner, RunList &runs) : m_runs(runs), m_tuner(tuner)
{
    connect(&tuner, &KernelTuner::progress, this, [this](double fraction, const QString &what) {
        m_runs.change(m_number, [&](PassRun &run) {
            run.fraction = fraction;
            run.doing = what;
        });
    });
}

void TuningRun::begin(const SnapshotPointer &before)
{
    m_search = {};
    PassRun run;
    run.pass = tuningName;
    run.request.threads = m_tuner.runOptions().threads;
    run.request.settings = Settings(tuningParameters());
    const auto set = [&](std::string_view name, double value) {
        static_cast<void>(run.request.settings.set(name, value)); // all are in the table
    };
    set("seconds", m_tuner.limits().seconds);
    set("trials", m_tuner.limits().trials);
    set("threads", m_tuner.runOptions().threads);
    run.before = before;
    m_number = m_runs.list(std::move(run), {[this](bool held) { m_tuner.hold(held); },
                                            [this] { m_tuner.cancel(); }, m_tuner.clock()});
}

void TuningRun::take(const TuningLog &log)
{
    const PassRun *run = active();
    if (!run || (run->search && run->search->generated == log.trials().size()))
        return;
    m_search.take(log, run->seconds);
    m_runs.change(m_number, [this](PassRun &of) { of.search = m_search.record(); });
}

void TuningRun::end(bool stopped, const std::optional<Error> &problem)
{
    m_runs.change(m_number, [&](PassRun &run) {
        run.state = problem   ? PassRun::State::Failed
                    : stopped ? PassRun::State::Stopped
                              : PassRun::State::Done;
        run.error = problem;
        run.fraction = 1;
        run.doing.clear();
    });
}

void TuningRun::setResult(const SnapshotPointer &result)
{
    m_runs.change(m_number, [&](PassRun &run) {
        run.result = result;
        run.latest = result->plan;
    });
}

const PassRun *TuningRun::active() const
{
    const PassRun *run = m_runs.find(m_number);
    return run && run->isActive() && run->pass == tuningName ? run : nullptr;
}

} // namespace graphloom
