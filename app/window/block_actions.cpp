// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/block_actions.h"

#include "app/models/format.h"
#include "app/window/actions.h"

#include <QMainWindow>
#include <QMenu>
#include <QShortcut>

namespace graphloom {

namespace {

Result<void> verdict(const BlockEdits::Outcome &outcome)
{
    if (!outcome)
        return tl::unexpected(outcome.error());
    return {};
}

} // namespace

BlockActions::BlockActions(QMainWindow &window, Session &session, Selection &selection,
                           const Navigator &navigator, std::function<QPoint(const Item &)> placeOf)
    : m_window(window), m_session(session), m_selection(selection), m_navigator(navigator),
      m_placeOf(std::move(placeOf))
{
    using Key = QKeySequence;
    merge = makeAction(window, "merge", tr("&Merge blocks"), {Key(tr("Ctrl+J"))},
                       tr("Make one block of the selected ones"));
    split = makeAction(window, "split", tr("&Split off nodes"), {Key(tr("Ctrl+Shift+J"))},
                       tr("Make a block of its own of the selected nodes"));
    move = makeAction(window, "next", tr("Mo&ve node to a neighbouring block"),
                      {Key(tr("Ctrl+Alt+J"))},
                      tr("Take the selected node out of its block and into one beside it"));
    lock = makeAction(window, "lock", tr("&Lock block"), {Key(tr("Ctrl+U"))},
                      tr("Lock the selected blocks, which passes then leave as they are, or "
                         "unlock them"));
    for (QAction *action : all()) {
        m_meanings[action] = action->statusTip();
        auto *keys = new QShortcut(action->shortcut(), &window);
        connect(keys, &QShortcut::activated, this, [this, action] {
            Q_EMIT refused(tr("%1: %2").arg(action->iconText(), m_reasons[action]));
        });
        m_keysOfDisabled[action] = keys;
    }
    connect(merge, &QAction::triggered, this, [this] { perform(*merge, m_edits.merge); });
    connect(split, &QAction::triggered, this, [this] { perform(*split, m_edits.split); });
    connect(move, &QAction::triggered, this, &BlockActions::chooseMove);
    connect(lock, &QAction::triggered, this, &BlockActions::toggleLock);
    connect(&m_selection, &Selection::changed, this, &BlockActions::refresh);
    for (const auto &change : {&Session::editingStarted, &Session::editingFinished})
        connect(&m_session, change, this, &BlockActions::refresh);
    connect(&m_session, &Session::passStarted, this, &BlockActions::refresh);
    connect(&m_session, &Session::passFinished, this, &BlockActions::refresh);
    connect(&m_session, &Session::openingStarted, this, &BlockActions::refresh);
    connect(&m_session, &Session::openingFinished, this, &BlockActions::refresh);
    refresh();
}

void BlockActions::set(QAction &action, const Result<void> &allowed)
{
    const QString reason = allowed ? QString() : fromUtf8(allowed.error().text());
    m_reasons[&action] = reason;
    action.setEnabled(allowed.has_value());
    m_keysOfDisabled.at(&action)->setEnabled(!allowed);
    setMeaning(action, allowed ? m_meanings.at(&action)
                               : tr("%1. Not now: %2").arg(m_meanings.at(&action), reason));
}

void BlockActions::disableAll(const QString &reason)
{
    for (QAction *action : all())
        set(*action, fail(Error::Kind::Usage, reason.toStdString()));
    Q_EMIT checked();
}

void BlockActions::refresh()
{
    m_checker.abandon();
    m_edits = {};
    const SnapshotPointer &shown = m_navigator.shown();
    if (!shown || !shown->plan->fusion)
        return disableAll(tr("there are no fusion blocks; a pass makes them"));
    if (!shown->blocks)
        return disableAll(tr("the nodes of nested graphs are not fused"));
    if (m_session.isBusy())
        return disableAll(tr("work on the plan is going on"));
    disableAll(tr("it is still being looked at"));
    if (shown->facts != std::exchange(m_factsOf, shown->facts))
        m_facts.reset();
    m_checker.start(
        [shown, known = m_facts, items = m_selection.items()](std::stop_token stop) {
            Findings findings;
            findings.facts = known ? Result<FusionFactsPointer>(known) : fusionFactsOf(*shown);
            if (findings.facts)
                findings.edits = blockEditsFor(*shown, **findings.facts, items, stop);
            return findings;
        },
        [this](Findings findings) { show(std::move(findings)); });
}

void BlockActions::show(Findings findings)
{
    if (!findings.facts)
        return disableAll(fromUtf8(findings.facts.error().text()));
    m_facts = *findings.facts;
    m_edits = std::move(findings.edits);
    set(*merge, verdict(m_edits.merge));
    set(*split, verdict(m_edits.split));
    set(*move, m_edits.move);
    set(*lock, m_edits.blocks.empty()
                   ? Result<void>(fail(Error::Kind::Usage, "select a block, or a node of one"))
                   : Result<void>());
    lock->setText(m_edits.locked ? tr("Un&lock block") : tr("&Lock block"));
    Q_EMIT checked();
}

QString BlockActions::legality() const
{
    if (m_edits.blocks.empty())
        return {};
    QStringList lines;
    const auto say = [&](const QAction &action) {
        const QString &reason = m_reasons.at(&action);
        lines << (reason.isEmpty() ? tr("%1: possible").arg(action.iconText())
                                   : tr("%1: %2").arg(action.iconText(), reason));
    };
    if (m_edits.blocks.size() > 1)
        say(*merge);
    else if (m_selection.item().kind == Item::Kind::Node) {
        say(*split);
        if (m_selection.items().size() == 1)
            say(*move);
    }
    return lines.join(QStringLiteral(" · "));
}

void BlockActions::perform(const QAction &action, const BlockEdits::Outcome &outcome) const
{
    if (outcome)
        m_session.edit(action.iconText().toLower(),
                       [facts = m_facts, blocks = *outcome](Plan plan) {
                           return withBlocks(std::move(plan), *facts, blocks);
                       });
}

void BlockActions::toggleLock()
{
    m_session.edit(lock->iconText().toLower(),
                   [facts = m_facts, blocks = m_edits.blocks, locked = !m_edits.locked](Plan plan) {
                       return withLocks(std::move(plan), *facts, blocks, locked);
                   });
}

void BlockActions::fillMoves(QMenu &menu) const
{
    menu.setToolTipsVisible(true);
    const Snapshot &shown = *m_navigator.shown();
    for (const BlockEdits::Move &to : m_edits.moves) {
        QAction *action = menu.addAction(
            tr("Block %1: %2")
                .arg(to.block.index)
                .arg(elided(titleOfBlock(shown.block(to.block)) + QStringLiteral(" · ") +
                                shown.factsOf(to.block).operators,
                            60)));
        action->setEnabled(to.outcome.has_value());
        if (to.outcome)
            connect(action, &QAction::triggered, this,
                    [this, outcome = to.outcome] { perform(*move, outcome); });
        else
            action->setToolTip(fromUtf8(to.outcome.error().text()));
    }
}

/// Where one block alone can take the node, there is nothing to choose.
void BlockActions::chooseMove()
{
    const auto isAllowed = [](const BlockEdits::Move &to) { return to.outcome.has_value(); };
    if (std::ranges::count_if(m_edits.moves, isAllowed) == 1) {
        perform(*move, std::ranges::find_if(m_edits.moves, isAllowed)->outcome);
        return;
    }
    auto *menu = new QMenu(&m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("moveMenu"));
    fillMoves(*menu);
    menu->popup(m_placeOf(m_selection.item()));
}

void BlockActions::addTo(QMenu &menu) const
{
    menu.setToolTipsVisible(true);
    menu.addActions({merge, split});
    if (m_edits.moves.size() > 1) {
        QMenu *moves = menu.addMenu(move->icon(), tr("Mo&ve node to"));
        fillMoves(*moves);
    } else {
        menu.addAction(move);
    }
    menu.addAction(lock);
}

} // namespace graphloom
