// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/status_line.h"

#include "app/common/format.h"
#include "app/status/job_status.h"
#include "app/workbench/workbench.h"
#include "engine/plan/memory_plan.h"

#include <QLabel>
#include <QMainWindow>
#include <QStatusBar>

namespace graphloom {

namespace {

constexpr int longestLocation = 70;
constexpr int noticeTime = 8000; // milliseconds

/// Returns the results of the passes.
QString madeOf(const Snapshot &shown, const Snapshot &own)
{
    QStringList made;
    if (const auto &fusion = shown.plan->fusion)
        made << StatusLine::tr("%1: %2 → %3 layers")
                    .arg(fromUtf8(fusion->partition.method))
                    .arg(fusion->statistics.before.layers)
                    .arg(fusion->statistics.after.layers);
    if (const auto &partition = own.partition)
        made << StatusLine::tr("%1: %2 subgraphs")
                    .arg(fromUtf8(shown.plan->partition->method))
                    .arg(partition->rows.size());
    if (const auto &memory = shown.plan->memory)
        made << StatusLine::tr("peak %1 → %2, latency × %3 (modelled, %4)")
                    .arg(formatBytes(double(memory->before.peakBytes)),
                         formatBytes(double(*shown.peakBytes)))
                    .arg(memory->before.ms > 0 ? memory->after.ms / memory->before.ms : 1, 0, 'f',
                         2)
                    .arg(fromUtf8(memory->device));
    if (const auto &history = shown.plan->history; made.isEmpty() && !history.empty())
        made << fromUtf8(history.back().pass);
    return made.isEmpty() ? StatusLine::tr("no pass has run") : made.join(QStringLiteral(" · "));
}

} // namespace

StatusLine::StatusLine(QMainWindow &window, Workbench &bench) : m_bench(bench)
{
    QStatusBar &bar = *window.statusBar();
    bar.setSizeGripEnabled(false);
    const auto label = [&bar](const char *name) {
        auto *status = new QLabel;
        status->setObjectName(QLatin1String(name));
        status->setContentsMargins(6, 0, 6, 0);
        bar.addWidget(status);
        return status;
    };
    m_model = label("modelStatus");
    m_nodes = label("nodeStatus");
    m_cost = label("costStatus");
    m_plan = label("planStatus");
    m_work = new JobStatus(bench.jobs, window);
    bar.addPermanentWidget(m_work);
    connect(bench.actions.jobs, &QAction::triggered, this, [this] { m_work->openList(); });
    const auto notice = [&bar](const QString &text) { bar.showMessage(text, noticeTime); };
    connect(&bench, &Workbench::noticed, this, notice);
    connect(&bench, &Workbench::refused, this, notice);
    connect(&bench, &Workbench::graphShown, this, &StatusLine::update);
    update();
}

void StatusLine::update()
{
    const SnapshotPointer &snapshot = m_bench.navigator.shown();
    for (QLabel *status : {m_model, m_nodes, m_cost, m_plan})
        status->setVisible(snapshot != nullptr);
    if (!snapshot) {
        m_work->setIdleText(tr("No model is open"));
        return;
    }
    const GraphFacts &facts = *snapshot->facts;
    QStringList location{fileNameOf(m_bench.session.path())};
    location += titlesOf(*snapshot);
    m_model->setText(elided(location.join(QStringLiteral(" › ")), longestLocation));
    m_model->setToolTip(QString::fromStdString(m_bench.session.path().string()) + '\n' +
                        titleOf(*snapshot));
    m_nodes->setText(formatNodes(snapshot->graph().nodeCount()));
    m_nodes->setToolTip(tr("%1 in the file, before constant folding")
                            .arg(formatNodes(snapshot->plan->model->fileNodes)));
    QString cost = tr("%1 MACs · %2 parameters (%3)")
                       .arg(formatCount(facts.macs), formatCount(double(facts.parameters)),
                            formatBytes(double(facts.parameterBytes)));
    if (facts.opaque + facts.symbolic > 0)
        cost += tr(" · %1 not counted").arg(formatNodes(facts.opaque + facts.symbolic));
    m_cost->setToolTip(
        tr("Computed from the shapes. Not counted: %1 opaque nodes, %2 with dynamic shape")
            .arg(facts.opaque)
            .arg(facts.symbolic));
    m_cost->setText(cost);
    m_plan->setText(madeOf(*snapshot, *m_bench.session.snapshot()));
    m_work->setIdleText({});
}

} // namespace graphloom
