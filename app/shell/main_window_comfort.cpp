// SPDX-License-Identifier: GPL-3.0-or-later
// How the window helps its user along: the way to every panel, the list of keys, and what goes on
// in the background.
#include "app/shell/main_window.h"

#include "app/graph/canvas_page.h"
#include "app/help/help_view.h"
#include "app/help/key_list.h"
#include "app/help/key_rows.h"
#include "app/help/welcome_page.h"
#include "app/nodes/node_list_panel.h"
#include "app/query/search_bar.h"
#include "app/shell/edit_actions.h"
#include "app/shell/fission_actions.h"
#include "app/status/job_status.h"

#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QSignalBlocker>

namespace graphloom {

namespace {

/// Alt and a digit, then Alt, Shift and a digit: 1 to 9 and 0. None beyond these.
QKeySequence keyOfPanel(int number)
{
    constexpr int digits = 10;
    if (number >= 2 * digits)
        return {};
    const auto digit = Qt::Key(Qt::Key_0 + (number + 1) % digits);
    return number < digits ? QKeySequence(Qt::ALT | digit)
                           : QKeySequence(Qt::ALT | Qt::SHIFT | digit);
}

/// What of a panel takes keys: what had the focus last, else its first part that can have it.
QWidget *focusOf(const QDockWidget &panel)
{
    QWidget *content = panel.widget();
    if (QWidget *last = content->focusWidget(); last && last->isVisibleTo(content))
        return last;
    for (QWidget *next = content->nextInFocusChain(); next && content->isAncestorOf(next);
         next = next->nextInFocusChain())
        if (next->isVisibleTo(content) && next->isEnabled() &&
            (next->focusPolicy() & Qt::TabFocus) != 0)
            return next;
    return content;
}

} // namespace

void MainWindow::connectComfort()
{
    const Actions &a = *m_actions;
    m_session.setJobs(&m_jobs);
    m_drawings.setJobs(&m_jobs);
    m_timelines.setJobs(&m_jobs);
    m_runner.setJobs(&m_jobs);
    m_tuner.setJobs(&m_jobs);
    m_comparer.setJobs(&m_jobs);
    m_viewExporter.setJobs(&m_jobs);
    m_page->search().setJobs(&m_jobs);
    m_nodes->setJobs(&m_jobs);
    connect(&m_timelines, &TimelineMaker::cancelled, this, [this] {
        m_session.messages().add(MessageModel::Severity::Warning,
                                 tr("The memory timeline was stopped: it is made again when the "
                                    "plan changes"));
    });
    connect(a.jobs, &QAction::triggered, this, [this] { m_work->openList(); });
    connect(a.tour, &QAction::triggered, this, &MainWindow::startTour);
    connect(m_welcome, &WelcomePage::sampleWanted, this, [this] { openDocument(sampleModel()); });
    connect(a.training, &QAction::triggered, this, &MainWindow::chooseTraining);
    connect(a.keys, &QAction::triggered, this, &MainWindow::showKeys);
    connect(a.glossary, &QAction::triggered, this, [this] {
        m_help->showPage(QStringLiteral("glossary"));
        raiseDock(QStringLiteral("help"));
    });
    m_help->addPage(QStringLiteral("keys"), [this] {
        return QStringLiteral("# %1\n\n[%2](index.md)\n").arg(tr("Keys"), tr("Contents")) +
               markdownOf(keyRowsOf(*this, allCommands()));
    });
}

void MainWindow::addPanelActions()
{
    int number = 0;
    for (QDockWidget *panel : findChildren<QDockWidget *>(QString(), Qt::FindDirectChildrenOnly)) {
        QAction *action = makeAction(
            *this, "", panel->windowTitle(), {keyOfPanel(number++)},
            tr("Go to the panel %1, or hide it when it has the focus").arg(panel->windowTitle()));
        action->setCheckable(true);
        action->setObjectName(QStringLiteral("panel:") + panel->objectName());
        connect(action, &QAction::triggered, this, [this, panel] { goToPanel(*panel); });
        connect(panel->toggleViewAction(), &QAction::toggled, action, &QAction::setChecked);
        action->setChecked(!panel->isHidden());
        m_panelMenu->addAction(action);
        m_panelActions.push_back(action);
    }
}

/// Several panels may lie on each other: the one that is wanted comes to the top.
void MainWindow::goToPanel(QDockWidget &panel)
{
    const QWidget *focused = QApplication::focusWidget();
    if (!panel.isHidden() && focused && panel.isAncestorOf(focused)) {
        panel.hide();
        m_pages->currentWidget()->setFocus();
    } else {
        panel.show();
        panel.raise();
        focusOf(panel)->setFocus(Qt::ShortcutFocusReason);
    }
    for (QAction *action : m_panelActions) // a click has toggled it
        action->setChecked(
            !findChild<QDockWidget *>(action->objectName().section(':', 1))->isHidden());
}

std::vector<QAction *> MainWindow::allCommands() const
{
    std::vector<QAction *> commands = m_actions->all();
    for (const auto &edits : {m_edits->all(), m_fissionEdits->all()})
        commands.insert(commands.end(), edits.begin(), edits.end());
    commands.insert(commands.end(), m_panelActions.begin(), m_panelActions.end());
    return commands;
}

void MainWindow::showKeys()
{
    if (!m_keys) {
        m_keys = new KeyList(this);
        connect(m_keys, &KeyList::documentWanted, this, [this] {
            auto *dialog = new QFileDialog(m_keys, tr("Write the keys as PDF"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setAcceptMode(QFileDialog::AcceptSave);
            dialog->setNameFilters({tr("Documents (*.pdf)")});
            dialog->setDefaultSuffix(QStringLiteral("pdf"));
            dialog->selectFile(QStringLiteral("graphloom-keys.pdf"));
            connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &file) {
                writeInBackground(file.toStdString(),
                                  [rows = m_keys->model().rows(), file = file.toStdString()](
                                      const std::stop_token &) { return printKeys(rows, file); });
            });
            dialog->show();
        });
    }
    m_keys->setRows(keyRowsOf(*this, allCommands()));
    m_keys->open();
}

} // namespace graphloom
