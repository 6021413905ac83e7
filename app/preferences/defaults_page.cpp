// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/defaults_page.h"

#include "app/common/format.h"
#include "app/style/icons.h"
#include "app/workbench/workbench.h"

#include <QComboBox>
#include <QScopedValueRollback>
#include <QSpinBox>

#include <climits>
#include <utility>

namespace graphloom {

namespace {

constexpr int daySeconds = 24 * 3600, mostDefaultThreads = 1024, mostDefaultRuns = 100'000,
              mostDefaultTrials = 1'000'000;

} // namespace

DefaultsPage::DefaultsPage(Workbench &bench)
    : PreferencePage(tr("Defaults"), themedIcon(QStringLiteral("sliders"))), m_bench(bench),
      m_start(new QComboBox), m_pass(new QComboBox)
{
    addStart();
    addPasses();
    addKernels();
    endRows();
    refresh();
}

void DefaultsPage::addStart()
{
    addHeading(tr("Start"));
    m_start->setObjectName(QStringLiteral("startChoice"));
    m_start->addItem(tr("Show the start page"), false);
    m_start->addItem(tr("Restore the tabs of the last time"), true);
    connect(m_start, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_showing)
            store();
    });
    addRow(tr("&When Graphloom starts:"), m_start,
           tr("Show the start page, or restore the tabs of the window that was closed last; "
              "neither when Graphloom is started with files"));
}

void DefaultsPage::addPasses()
{
    addHeading(tr("Passes"));
    m_pass->setObjectName(QStringLiteral("defaultPass"));
    m_pass->addItem(tr("First available"), QString());
    for (const PassPlugin &plugin : m_bench.options.plugins)
        if (plugin.pass)
            m_pass->addItem(fromUtf8(plugin.pass->name()), fromUtf8(plugin.pass->name()));
    connect(m_pass, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_showing)
            store();
    });
    addRow(tr("Default &pass:"), m_pass, tr("Pass selected in new tabs and windows"));
    m_passSeconds =
        addNumber("defaultSeconds", tr("Pass &time limit:"), -1, daySeconds, tr(" s"),
                  tr("pass default"), tr("Time limit of passes that have one; 0: no limit"));
    m_seed = addNumber("defaultSeed", tr("&Seed:"), 0, INT_MAX, {}, {},
                       tr("Seed of random choices; the same seed gives the same plan"));
    m_threads =
        addNumber("defaultThreads", tr("Pass t&hreads:"), 0, mostDefaultThreads, tr(" threads"),
                  tr("all cores"), tr("Threads of a pass; 0: one per core"));
}

void DefaultsPage::addKernels()
{
    addHeading(tr("Runs and tuning on this machine"));
    m_runs = addNumber("defaultRuns", tr("&Number of runs:"), 1, mostDefaultRuns, tr(" runs"), {},
                       tr("Number of timed runs, after warm-up"));
    m_runThreads = addNumber("defaultRunThreads", tr("Run thr&eads:"), 0, mostDefaultThreads,
                             tr(" threads"), tr("all cores"),
                             tr("Threads of one run, each pinned to a core; 0: one per core"));
    m_seconds = addNumber("defaultTuneSeconds", tr("T&uning time limit:"), 1, daySeconds, tr(" s"),
                          {}, tr("Time budget for trying schedules, all kernels together"));
    m_trials = addNumber("defaultTuneTrials", tr("Tun&ing trial limit:"), 0, mostDefaultTrials,
                         tr(" trials"), tr("no trial limit"),
                         tr("Maximum number of schedules to try; 0: no limit"));
}

QSpinBox *DefaultsPage::addNumber(const char *name, const QString &label, int least, int most,
                                  const QString &unit, const QString &special,
                                  const QString &meaning)
{
    auto *box = new QSpinBox;
    box->setObjectName(QLatin1String(name));
    box->setRange(least, most);
    box->setSuffix(unit);
    box->setSpecialValueText(special);
    connect(box, &QSpinBox::valueChanged, this, [this] {
        if (!m_showing)
            store();
    });
    addRow(label, box, meaning);
    return box;
}

Defaults DefaultsPage::shown() const
{
    Defaults defaults;
    defaults.restoresTabs = m_start->currentData().toBool();
    defaults.pass = m_pass->currentData().toString();
    if (m_passSeconds->value() >= 0)
        defaults.seconds = m_passSeconds->value();
    defaults.seed = std::uint64_t(m_seed->value());
    defaults.threads = unsigned(m_threads->value());
    defaults.run.runs = m_runs->value();
    defaults.run.threads = unsigned(m_runThreads->value());
    defaults.tuning = {m_seconds->value(), m_trials->value()};
    return defaults;
}

void DefaultsPage::show(const Defaults &defaults)
{
    const QScopedValueRollback showing(m_showing, true);
    m_start->setCurrentIndex(m_start->findData(defaults.restoresTabs));
    if (m_pass->findData(defaults.pass) < 0) // its plugin may be back next time
        m_pass->addItem(tr("%1 (missing)").arg(defaults.pass), defaults.pass);
    m_pass->setCurrentIndex(m_pass->findData(defaults.pass));
    m_passSeconds->setValue(int(defaults.seconds.value_or(m_passSeconds->minimum())));
    m_seed->setValue(int(std::min<std::uint64_t>(defaults.seed, INT_MAX)));
    m_threads->setValue(int(defaults.threads));
    m_runs->setValue(defaults.run.runs);
    m_runThreads->setValue(int(defaults.run.threads));
    m_seconds->setValue(defaults.tuning.seconds);
    m_trials->setValue(defaults.tuning.trials);
}

/// What the user has left alone stays as it is, in panels and in other windows, too.
void DefaultsPage::store()
{
    const Defaults now = shown(), before = std::exchange(m_before, now);
    keep(followed(defaultsIn(*m_bench.settings), before, now), *m_bench.settings);
    Q_EMIT defaultsChanged(before, now);
}

/// The panel of kernels keeps what its fields have.
void DefaultsPage::refresh()
{
    Defaults defaults = defaultsIn(*m_bench.settings);
    defaults.run = m_bench.kernels.choices.run();
    defaults.tuning = m_bench.kernels.choices.limits();
    show(defaults);
    m_before = shown();
}

void DefaultsPage::reset()
{
    show({});
    keep(Defaults(), *m_bench.settings); // also what the fields did not show
    store();
}

} // namespace graphloom
