// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/defaults.h"

#include <QSettings>

namespace graphloom {

namespace {

const QString restoresTabsKey = QStringLiteral("defaults/restoresTabs"),
              passKey = QStringLiteral("defaults/pass"),
              passSecondsKey = QStringLiteral("defaults/seconds"),
              seedKey = QStringLiteral("defaults/seed"),
              passThreadsKey = QStringLiteral("defaults/threads"),
              runsKey = QStringLiteral("kernels/runs"),
              runThreadsKey = QStringLiteral("kernels/threads"),
              tuneSecondsKey = QStringLiteral("kernels/seconds"),
              tuneTrialsKey = QStringLiteral("kernels/trials");

} // namespace

Defaults defaultsIn(const QSettings &settings)
{
    Defaults defaults;
    defaults.restoresTabs = settings.value(restoresTabsKey, defaults.restoresTabs).toBool();
    defaults.pass = settings.value(passKey).toString();
    if (const QVariant seconds = settings.value(passSecondsKey); seconds.isValid())
        defaults.seconds = seconds.toDouble();
    defaults.seed = settings.value(seedKey, qulonglong(defaults.seed)).toULongLong();
    defaults.threads = settings.value(passThreadsKey, defaults.threads).toUInt();
    defaults.run.runs = settings.value(runsKey, defaults.run.runs).toInt();
    defaults.run.threads = settings.value(runThreadsKey, defaults.run.threads).toUInt();
    defaults.tuning.seconds = settings.value(tuneSecondsKey, defaults.tuning.seconds).toInt();
    defaults.tuning.trials = settings.value(tuneTrialsKey, defaults.tuning.trials).toInt();
    return defaults;
}

void keep(const Defaults &defaults, QSettings &settings)
{
    settings.setValue(restoresTabsKey, defaults.restoresTabs);
    settings.setValue(passKey, defaults.pass);
    if (defaults.seconds)
        settings.setValue(passSecondsKey, *defaults.seconds);
    else
        settings.remove(passSecondsKey);
    settings.setValue(seedKey, qulonglong(defaults.seed));
    settings.setValue(passThreadsKey, defaults.threads);
    settings.setValue(runsKey, defaults.run.runs);
    settings.setValue(runThreadsKey, defaults.run.threads);
    settings.setValue(tuneSecondsKey, defaults.tuning.seconds);
    settings.setValue(tuneTrialsKey, defaults.tuning.trials);
}

Defaults followed(Defaults held, const Defaults &before, const Defaults &now)
{
    const auto follow = [](auto &value, const auto &old, const auto &next) {
        if (next != old)
            value = next;
    };
    follow(held.restoresTabs, before.restoresTabs, now.restoresTabs);
    follow(held.pass, before.pass, now.pass);
    follow(held.seconds, before.seconds, now.seconds);
    follow(held.seed, before.seed, now.seed);
    follow(held.threads, before.threads, now.threads);
    follow(held.run.runs, before.run.runs, now.run.runs);
    follow(held.run.threads, before.run.threads, now.run.threads);
    follow(held.tuning.seconds, before.tuning.seconds, now.tuning.seconds);
    follow(held.tuning.trials, before.tuning.trials, now.tuning.trials);
    return held;
}

} // namespace graphloom
