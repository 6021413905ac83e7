// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pareto/pareto_panel.h"

#include "app/common/format.h"
#include "app/pareto/pareto_view.h"
#include "app/widgets/explain.h"
#include "app/widgets/panel_layout.h"

#include <QButtonGroup>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace graphloom {

ParetoPanel::ParetoPanel(QWidget *parent) : HintedPanel(parent)
{
    m_view = new ParetoView;
    m_line = statisticsLabel();
    m_line->setObjectName(QStringLiteral("paretoLine"));
    auto *chart = new QWidget;
    QVBoxLayout *column = makeColumn(*chart);
    column->addWidget(makeBar());
    column->addWidget(m_view, 1);
    m_list = new FilteredTable(m_model,
                               {tr("Pareto front and baselines"), tr("Filter points"),
                                tr("Filter by series or origin"), QStringLiteral("paretoTable")});
    m_list->makeCopyable(QStringLiteral("copyPareto"));
    table().sortByColumn(ParetoModel::Latency, Qt::AscendingOrder);
    m_tabs = new QTabWidget;
    m_tabs->addTab(chart, tr("Chart"));
    m_tabs->addTab(m_list, tr("Points"));
    setContent(makeTabbedContent(*m_line, *m_tabs));
    setEmpty(true);

    connect(m_view, &ParetoView::chosen, this, [this](int number) {
        m_list->choose(number);
        choose(number);
    });
    connect(m_view, &ParetoView::activated, this, &ParetoPanel::activate);
    connect(&table(), &QTableView::activated, this,
            [this](const QModelIndex &index) { activate(m_list->rowAt(index)); });
    connect(table().selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &now) {
                if (now.isValid() && table().hasFocus())
                    choose(m_list->rowAt(now));
            });
}

QWidget *ParetoPanel::makeBar()
{
    auto *bar = new QWidget;
    QHBoxLayout *row = makeToolRow(*bar);
    auto *group = new QButtonGroup(bar);
    const auto add = [row](const char *name, const QString &text, const QString &meaning) {
        return addTool(*row, name, text, meaning);
    };
    m_absolute = add("absolute", tr("ms and bytes"), tr("Latency and memory as they are"));
    auto *ratios = add("ratios", tr("Ratios"),
                       tr("Relative to the graph before the pass; measured runs have no ratio to "
                          "modelled values"));
    m_energy = add("energy", tr("Energy"),
                   tr("The energy of a run over memory, for runs on devices that tell it"));
    for (QToolButton *button : {m_absolute, ratios, m_energy}) {
        button->setCheckable(true);
        group->addButton(button);
    }
    m_absolute->setChecked(true);
    m_energy->hide();
    explainTerm(*ratios, "provenance");
    m_whole =
        add("wholeFront", tr("All"),
            tr("Also show plans more than three times slower than the graph before the pass"));
    m_whole->setCheckable(true);
    row->addSpacing(10);
    m_load = add("loadPlan", tr("Apply plan"), tr("Apply the plan of the selected point (Enter)"));
    m_load->setEnabled(false);
    row->addStretch(1);
    connect(group, &QButtonGroup::buttonToggled, this, [this, ratios](QAbstractButton *, bool on) {
        if (!on)
            return; // the one that takes its place follows
        if (m_energy->isChecked())
            m_view->setEnergy(true);
        else
            m_view->setRatios(ratios->isChecked());
    });
    connect(m_whole, &QToolButton::toggled, m_view, &ParetoView::setWhole);
    connect(m_view, &ParetoView::wholeNeeded, m_whole, [this] { m_whole->setChecked(true); });
    connect(m_load, &QToolButton::clicked, this, [this] {
        if (const auto marked = m_view->marked())
            activate(int(*marked));
    });
    return bar;
}

void ParetoPanel::setSnapshot(const SnapshotPointer &snapshot)
{
    const bool same = snapshot && m_snapshot && snapshot->plan->model == m_snapshot->plan->model;
    const auto memory = snapshot ? snapshot->plan->memory : nullptr;
    m_snapshot = snapshot;
    if (!same) {
        m_runs.clear();
        m_others.clear();
    } else if (memory == m_memory) {
        return;
    }
    m_memory = memory;
    refresh(same);
}

void ParetoPanel::setRuns(const std::vector<PlanRunPointer> &runs)
{
    if (runs == m_runs)
        return;
    m_runs = runs;
    refresh(true);
}

/// One run has nothing to be compared with, unless there is a front.
bool ParetoPanel::hasRuns() const
{
    return m_memory || !m_others.empty() || m_runs.size() > 1;
}

void ParetoPanel::setOthers(std::vector<std::pair<QString, std::shared_ptr<const Plan>>> others)
{
    m_others = std::move(others);
    refresh(true);
}

void ParetoPanel::setObjective(const Objective &objective)
{
    m_objective = objective;
    showLimits();
}

void ParetoPanel::showLimits()
{
    std::optional<double> ms;
    std::optional<std::int64_t> bytes;
    if (m_memory && m_objective.latencyLimit)
        ms = *m_objective.latencyLimit * m_memory->referenceMs;
    if (m_memory && m_objective.memoryLimit)
        bytes = std::int64_t(
            bytesOf(*m_objective.memoryLimit, std::uint64_t(m_memory->before.peakBytes)));
    m_view->setLimits(ms, bytes);
}

void ParetoPanel::setTheme(const Theme &theme)
{
    m_view->setTheme(theme);
}

void ParetoPanel::refresh(bool same)
{
    auto found = std::make_shared<ParetoData>();
    if (m_memory) {
        found->device = fromUtf8(m_memory->device);
        found->series = paretoOf(*m_snapshot->plan);
    }
    for (const auto &[name, plan] : m_others)
        for (ParetoSeries &series : paretoOf(*plan, name)) {
            for (ParetoPoint &point : series.points)
                point.front = -1; // belongs to another plan
            found->series.push_back(std::move(series));
        }
    if (hasRuns())
        for (ParetoSeries &series : paretoOf(m_runs))
            found->series.push_back(std::move(series));
    m_list->change([&] { m_model.setData(found); });
    m_view->setPoints(found, same);
    m_energy->setVisible(found->hasEnergy());
    if (!found->hasEnergy() && m_energy->isChecked())
        m_absolute->setChecked(true);
    showLimits();
    const std::size_t beyond = m_view->beyond();
    m_whole->setText(beyond > 0 ? tr("Show %n slower plan(s)", nullptr, int(beyond)) : tr("All"));
    m_whole->setEnabled(beyond > 0 || m_whole->isChecked());
    m_line->setText(summary());
    m_load->setEnabled(m_view->marked() && isApplicable(int(*m_view->marked())));
    setEmpty(found->size() == 0);
}

QString ParetoPanel::summary() const
{
    if (!m_memory) {
        std::set<QString> devices;
        for (const PlanRunPointer &run : m_runs)
            devices.insert(run->deviceName());
        return hasRuns() ? tr("<b>%n measured run(s)</b> on %1, with their spread", nullptr,
                              int(m_runs.size()))
                               .arg(tr("%n device(s)", nullptr, int(devices.size())))
                         : QString();
    }
    const MemoryPlan &of = *m_memory;
    const auto peak = double(*m_snapshot->peakBytes);
    const auto ratio = [](double now, double before) { return before > 0 ? now / before : 1; };
    QString text =
        tr("<b>%n Pareto-optimal plan(s)</b> · current plan: peak %1, <b>× %2</b>, latency %3 ms, "
           "<b>× %4</b>, × %5 of the rewritten graph's (modelled, %6)",
           nullptr, int(of.front.size()))
            .arg(formatBytes(peak),
                 QString::number(ratio(peak, double(of.before.peakBytes)), 'f', 3),
                 formatReal(of.after.ms), QString::number(ratio(of.after.ms, of.before.ms), 'f', 3),
                 QString::number(ratio(of.after.ms, of.rewritten.ms), 'f', 3),
                 fromUtf8(of.device).toHtmlEscaped());
    if (of.times.measured > 0)
        text += tr(" · %1 % of the kernels' time from measured calls")
                    .arg(100 * of.times.share, 0, 'f', 0);
    if (std::ranges::any_of(of.baselines, &MemoryPlan::Baseline::rewritten))
        text += tr(" · baselines: outlined on the original graph, filled on the rewritten graph");
    if (!of.limitsMet)
        text += tr(" · <b>no plan meets the limits</b>");
    return text;
}

std::optional<int> ParetoPanel::frontOf(int number) const
{
    const ParetoPointer &found = m_model.data();
    if (!found || number < 0 || std::size_t(number) >= found->size())
        return std::nullopt;
    const int front = found->point(std::size_t(number)).front;
    return front < 0 ? std::nullopt : std::optional(front);
}

PlanRunPointer ParetoPanel::runOf(int number) const
{
    const ParetoPointer &found = m_model.data();
    return found && number >= 0 && std::size_t(number) < found->size()
               ? found->point(std::size_t(number)).run
               : nullptr;
}

void ParetoPanel::choose(int number)
{
    m_view->mark(std::size_t(number));
    const auto front = frontOf(number);
    m_load->setEnabled(isApplicable(number));
    if (front)
        Q_EMIT pointChosen(*front);
}

void ParetoPanel::activate(int number)
{
    if (const auto front = frontOf(number))
        Q_EMIT pointActivated(*front);
    else if (const PlanRunPointer run = runOf(number))
        Q_EMIT runActivated(run);
}

} // namespace graphloom
