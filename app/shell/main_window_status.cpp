// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of its state: which actions can be used, the status bar, hints in empty
// panels.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/compare/compare_panel.h"
#include "app/fission/fission_panel.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/kernels/kernel_panel.h"
#include "app/memory/memory_panel.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/properties/properties_panel.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/runs/pass_panel.h"
#include "app/runs/run_panel.h"
#include "app/status/job_status.h"
#include "app/status/message_panel.h"
#include "engine/plan/memory_plan.h"

#include <QLabel>

namespace graphloom {

namespace {

constexpr int longestLocation = 70;

} // namespace

void MainWindow::updateActions()
{
    const SnapshotPointer &snapshot = m_session.snapshot(), &shown = m_navigator.shown();
    // A pass would disturb what is being measured.
    const bool measuring = m_runner.isRunning() || m_tuner.isRunning();
    const bool working = m_session.isBusy() || measuring;
    for (QAction *action : m_actions->needModel())
        action->setEnabled(snapshot != nullptr);
    // A nested graph has none of them.
    const bool blocks = shown && shown->blocks, partition = shown && shown->partition;
    for (QAction *action : m_actions->needGroups())
        action->setEnabled(blocks || partition || (shown && (shown->modules || shown->fissions)));
    m_actions->groupBlocks->setEnabled(blocks);
    m_actions->groupSubgraphs->setEnabled(partition);
    m_actions->groupModules->setEnabled(shown && shown->modules);
    m_actions->groupFissions->setEnabled(shown && shown->fissions);
    m_actions->colourBySubgraph->setEnabled(partition);
    m_actions->openNested->setEnabled(shown && m_selection.item().kind == Item::Kind::Node &&
                                      !shown->facts->nestedIn(m_selection.item().node()).empty());
    const Focus &focus = m_drawings.options().focus;
    m_actions->focus->setEnabled(shown && m_selection.item());
    m_actions->focusWays->setEnabled(shown && m_selection.items().size() > 1);
    m_actions->focusMore->setEnabled(focus && !focus.between);
    m_actions->focusFewer->setEnabled(focus && !focus.between);
    m_actions->focusAll->setEnabled(bool(focus));
    m_actions->goUp->setEnabled(m_navigator.isInside());
    m_actions->goBack->setEnabled(m_navigator.canGoBack());
    m_actions->goForward->setEnabled(m_navigator.canGoForward());
    m_actions->run->setEnabled(snapshot && !working && m_passes->pass());
    updateRunActions();
    updateCompareActions();
    m_actions->runHere->setEnabled(snapshot && !working);
    m_actions->tuneHere->setEnabled(snapshot && !working);
    m_actions->cancel->setEnabled(m_session.isRunning() || m_session.isOpening() || measuring ||
                                  m_comparer.isRunning());
    m_actions->heat->setEnabled(m_heat != nullptr);
    m_actions->removeData->setEnabled(!m_ownData.empty());
    QUndoStack &undo = m_session.undoStack();
    m_actions->undo->setEnabled(undo.canUndo() && !working);
    m_actions->redo->setEnabled(undo.canRedo() && !working);
    m_actions->undo->setText(undo.canUndo() ? tr("&Undo %1").arg(undo.undoText()) : tr("&Undo"));
    m_actions->redo->setText(undo.canRedo() ? tr("&Redo %1").arg(undo.redoText()) : tr("&Redo"));
    m_actions->zoomSelection->setEnabled(snapshot && m_selection.item());
    m_actions->clearSelection->setEnabled(snapshot && m_selection.item());
}

void MainWindow::updateStatus()
{
    const SnapshotPointer &snapshot = m_navigator.shown();
    for (QLabel *status : {m_modelStatus, m_nodeStatus, m_costStatus, m_planStatus})
        status->setVisible(snapshot != nullptr);
    if (!snapshot) {
        m_work->setIdleText(tr("No model is open"));
        return;
    }
    const Model &model = *snapshot->plan->model;
    const GraphFacts &facts = *snapshot->facts;
    QStringList location{fileNameOf(m_session.path())};
    location += titlesOf(*snapshot);
    m_modelStatus->setText(elided(location.join(QStringLiteral(" › ")), longestLocation));
    m_modelStatus->setToolTip(QString::fromStdString(m_session.path().string()) + '\n' +
                              titleOf(*snapshot));
    m_nodeStatus->setText(formatNodes(snapshot->graph().nodeCount()));
    m_nodeStatus->setToolTip(tr("%1 in the file; what depends on constants alone is folded")
                                 .arg(formatNodes(model.fileNodes)));
    QString cost = tr("%1 MACs · %2 parameters (%3)")
                       .arg(formatCount(facts.macs), formatCount(double(facts.parameters)),
                            formatBytes(double(facts.parameterBytes)));
    if (facts.opaque + facts.symbolic > 0)
        cost += tr(" · %1 not counted").arg(formatNodes(facts.opaque + facts.symbolic));
    m_costStatus->setToolTip(
        tr("Computed from the shapes. Not counted: %1 opaque nodes, %2 whose extents are symbols")
            .arg(facts.opaque)
            .arg(facts.symbolic));
    m_costStatus->setText(cost);
    QStringList made;
    if (const auto &fusion = snapshot->plan->fusion)
        made << tr("%1: %2 → %3 layers")
                    .arg(fromUtf8(fusion->partition.method))
                    .arg(fusion->statistics.before.layers)
                    .arg(fusion->statistics.after.layers);
    if (const auto &partition = m_session.snapshot()->partition)
        made << tr("%1: %2 subgraphs")
                    .arg(fromUtf8(snapshot->plan->partition->method))
                    .arg(partition->rows.size());
    if (const auto &memory = snapshot->plan->memory)
        made << tr("peak %1 → %2, latency × %3 (modelled, %4)")
                    .arg(formatBytes(double(memory->before.peakBytes)),
                         formatBytes(double(memory->after.peakBytes)))
                    .arg(memory->before.ms > 0 ? memory->after.ms / memory->before.ms : 1, 0, 'f',
                         2)
                    .arg(fromUtf8(memory->device));
    if (const auto &history = snapshot->plan->history; made.isEmpty() && !history.empty())
        made << fromUtf8(history.back().pass);
    m_planStatus->setText(made.isEmpty() ? tr("no pass was run")
                                         : made.join(QStringLiteral(" · ")));
    m_work->setIdleText({});
}

void MainWindow::updateHints()
{
    const bool open = m_session.snapshot() != nullptr;
    const Actions &a = *m_actions;
    m_nodes->setHint(
        open ? tr("This graph has no nodes: its outputs are constants, or come from outside.")
             : tr("Lists every node with its shapes and cost once a model is open."),
        open ? m_navigator.isInside() ? a.goUp : nullptr : a.open);
    m_properties->setHint(
        open ? tr("Shows shapes, cost and index maps of what is selected: click a node, or find "
                  "one.")
             : tr("Shows shapes, cost and index maps of the selected node once a model is open."),
        open ? a.find : a.open);
    m_hierarchy->setHint(
        m_navigator.isInside() ? tr("Groups are of the model's own graph.")
        : open ? tr("Shows modules once the names of nodes tell of them, and blocks, subgraphs and "
                    "fission regions once a pass has made them.")
               : tr("Shows the modules of a model, its blocks and subgraphs as trees once one is "
                    "open."),
        open ? m_navigator.isInside() ? a.goUp : a.run : a.open);
    m_partition->setHint(open ? tr("Shows the subgraphs and the histogram of their weights after a "
                                   "pass has made a partition.")
                              : tr("Shows the subgraphs of a model's partition and the histogram "
                                   "of their weights once a model is open."),
                         open ? a.run : a.open);
    m_fusion->setHint(open ? tr("Shows the fusion blocks, why they are not larger, and what they "
                                "save after a pass such as dnnfusion or ago has made them.")
                           : tr("Shows the fusion blocks of a model once one is open."),
                      open ? a.run : a.open);
    m_rewriting->setHint(
        open ? tr("Shows which rules were applied where, and what the graph was before and after, "
                  "once a pass such as dnnfusion has rewritten it.")
             : tr("Shows how rules rewrote the graph of a model once one is open."),
        open ? a.run : a.open);
    m_kernels->setHint(
        open ? tr("Shows how long each kernel of the plan takes, its code and the roofline, once "
                  "the plan was run.")
             : tr("Shows how long the kernels of a plan take on this machine once a model is "
                  "open."),
        open ? a.runHere : a.open);
    m_runPanel->setHint(
        open ? tr("Shows every run of a pass with its parameters, its search as it goes, and what "
                  "came of it, once a pass was run.")
             : tr("Shows the runs of passes on a model once one is open."),
        open ? a.run : a.open);
    m_compare->setHint(
        open ? tr("Shows two plans side by side: what came, went and changed between them, their "
                  "figures, and where nodes come from. Compare with the model as it was opened, or "
                  "choose another plan from the menu Compare.")
             : tr("Shows what is different between two plans once a model is open."),
        open ? a.compareOriginal : a.open);
    m_memory->setHint(
        open ? tr("This graph has no steps that take memory.")
             : tr("Shows which tensors are in memory at each step of the schedule once a model is "
                  "open; after a pass such as magis what it changed."),
        open ? nullptr : a.open);
    m_fissions->setHint(
        open ? tr("Shows the regions that can run in parts, what each is worth, and which are "
                  "carried out, after a pass such as magis.")
             : tr("Shows the F-Tree of a plan once a model is open."),
        open ? a.run : a.open);
    m_pareto->setHint(
        open ? tr("Shows the plans between which memory is paid for with time, after a pass such "
                  "as magis has searched for them.")
             : tr("Shows plans of a model by latency and memory once one is open."),
        open ? a.run : a.open);
    m_messages->setHint(
        tr("Shows errors with their details, and what was done: opening a model is the first."),
        a.open);
}

} // namespace graphloom
