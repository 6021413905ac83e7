// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/edit_actions.h"

#include "app/common/format.h"
#include "app/workbench/actions.h"

#include <QMainWindow>
#include <QMenu>
#include <QShortcut>

namespace graphloom {

namespace {

template <class Outcome> Result<void> verdict(const Outcome &outcome)
{
    if (!outcome)
        return tl::unexpected(outcome.error());
    return {};
}

} // namespace

EditActions::EditActions(QMainWindow &window, Session &session, Selection &selection,
                         const Navigator &navigator, std::function<QPoint(const Item &)> placeOf)
    : m_window(window), m_session(session), m_selection(selection), m_navigator(navigator),
      m_placeOf(std::move(placeOf))
{
    merge = add("merge", tr("&Merge blocks"), tr("Ctrl+J"), {});
    split = add("split", tr("&Split off nodes"), tr("Ctrl+Shift+J"), {});
    move = add("next", tr("Mo&ve node to neighbouring block"), tr("Ctrl+Alt+J"), {});
    lock = add("lock", tr("&Lock block"), tr("Ctrl+U"), {});
    earlier = add("previous", tr("Move &earlier"), tr("Ctrl+Shift+Up"),
                  tr("Move the selected node or block one step earlier in the schedule, if "
                     "dependences allow it"));
    later = add("next", tr("Move la&ter"), tr("Ctrl+Shift+Down"),
                tr("Move the selected node or block one step later in the schedule, if dependences "
                   "allow it"));
    channelsFirst = add("", tr("Channels &first (NCHW)"), {},
                        tr("Use channels-first layout for the selected blocks, and choose the "
                           "other layouts again"));
    channelsLast = add(
        "", tr("Channels &last (NHWC)"), {},
        tr("Use channels-last layout for the selected blocks, and choose the other layouts again"));
    freeLayout =
        add("", tr("Choose &cheapest layout"), {},
            tr("Choose the layouts of the selected blocks so that the total cost is lowest"));
    // Names for the settings, which are the same in every language.
    for (const auto &[action, name] : {std::pair{merge, "merge-blocks"},
                                       {split, "split-off-nodes"},
                                       {move, "move-node"},
                                       {lock, "lock-block"},
                                       {earlier, "run-earlier"},
                                       {later, "run-later"},
                                       {channelsFirst, "channels-first"},
                                       {channelsLast, "channels-last"},
                                       {freeLayout, "cheapest-layout"}})
        action->setObjectName(QLatin1String(name));
    nameGroups();
    connect(merge, &QAction::triggered, this, [this] { perform(*merge, m_edits.groups.merge); });
    connect(split, &QAction::triggered, this, [this] { perform(*split, m_edits.groups.split); });
    connect(move, &QAction::triggered, this, &EditActions::chooseMove);
    connect(lock, &QAction::triggered, this, [this] { perform(*lock, m_edits.groups.lock); });
    connect(earlier, &QAction::triggered, this, [this] { perform(*earlier, m_edits.earlier); });
    connect(later, &QAction::triggered, this, [this] { perform(*later, m_edits.later); });
    const auto layout = [this](QAction *action, Layout which) {
        connect(action, &QAction::triggered, this,
                [this, action, which] { perform(*action, m_edits.layouts[std::size_t(which)]); });
    };
    layout(channelsFirst, Layout::ChannelsFirst);
    layout(channelsLast, Layout::ChannelsLast);
    connect(freeLayout, &QAction::triggered, this,
            [this] { perform(*freeLayout, m_edits.freeLayout); });
    connect(&m_selection, &Selection::changed, this, &EditActions::refresh);
    for (const auto &change : {&Session::editingStarted, &Session::editingFinished})
        connect(&m_session, change, this, &EditActions::refresh);
    connect(&m_session, &Session::passStarted, this, &EditActions::refresh);
    connect(&m_session, &Session::passFinished, this, &EditActions::refresh);
    connect(&m_session, &Session::openingStarted, this, &EditActions::refresh);
    connect(&m_session, &Session::openingFinished, this, &EditActions::refresh);
    refresh();
}

QAction *EditActions::add(const char *icon, const QString &text, const QString &keys,
                          const QString &meaning)
{
    QAction *action = makeAction(m_window, icon, text, {QKeySequence(keys)}, meaning);
    Entry &entry = m_entries[action];
    entry.meaning = meaning;
    entry.keys = new QShortcut(action->shortcut(), &m_window);
    connect(entry.keys, &QShortcut::activated, this, [this, action] {
        const auto actions = all();
        showCause(int(std::ranges::find(actions, action) - actions.begin()));
    });
    connect(action, &QAction::changed, this, [this, action] { // the user may choose other keys
        QShortcut &keysWhenDisabled = *m_entries[action].keys;
        if (keysWhenDisabled.key() != action->shortcut())
            keysWhenDisabled.setKey(action->shortcut());
    });
    return action;
}

void EditActions::showCause(int action)
{
    const auto actions = all();
    if (action < 0 || action >= int(actions.size()))
        return;
    const Entry &entry = m_entries.at(actions[std::size_t(action)]);
    if (!entry.reason.isEmpty())
        Q_EMIT refused(tr("%1: %2").arg(actions[std::size_t(action)]->iconText(), entry.reason),
                       entry.cause);
}

/// Names the actions after blocks or subgraphs, depending on the view.
void EditActions::nameGroups()
{
    const bool subgraphs = m_edits.grouping == Grouping::Subgraphs;
    const bool locked = m_edits.groups.locked;
    merge->setText(subgraphs ? tr("&Merge subgraphs") : tr("&Merge blocks"));
    move->setText(subgraphs ? tr("Mo&ve node to neighbouring subgraph")
                            : tr("Mo&ve node to neighbouring block"));
    lock->setText(subgraphs ? locked ? tr("Un&lock subgraph") : tr("&Lock subgraph")
                  : locked ? tr("Un&lock block")
                            : tr("&Lock block"));
    m_entries[merge].meaning = subgraphs ? tr("Merge the selected subgraphs into one")
                                         : tr("Merge the selected blocks into one");
    m_entries[split].meaning = subgraphs
                                   ? tr("Split the selected nodes off into a subgraph of their own")
                                   : tr("Split the selected nodes off into a block of their own");
    m_entries[move].meaning = subgraphs ? tr("Move the selected node into a neighbouring subgraph")
                                        : tr("Move the selected node into a neighbouring block");
    m_entries[lock].meaning =
        subgraphs
            ? tr("Lock or unlock the selected subgraphs; passes do not change locked subgraphs")
            : tr("Lock or unlock the selected blocks; passes do not change locked blocks");
}

void EditActions::set(QAction &action, const Result<void> &allowed)
{
    Entry &entry = m_entries[&action];
    entry.reason = allowed ? QString() : fromUtf8(allowed.error().text());
    entry.cause.clear();
    if (!allowed)
        for (const std::uint32_t node : allowed.error().nodes)
            entry.cause.push_back(Item::of(NodeId{node}));
    action.setEnabled(allowed.has_value());
    if (entry.keys)
        entry.keys->setEnabled(!allowed);
    setMeaning(action, allowed ? entry.meaning
                               : tr("%1. Not available: %2").arg(entry.meaning, entry.reason));
}

void EditActions::disableAll(const QString &reason)
{
    for (QAction *action : all())
        set(*action, fail(Error::Kind::Usage, reason.toStdString()));
    Q_EMIT checked();
}

void EditActions::setGrouping(Grouping grouping)
{
    if (std::exchange(m_grouping, grouping) != grouping)
        refresh();
}

void EditActions::refresh()
{
    m_checker.abandon();
    m_edits = {};
    const SnapshotPointer &shown = m_navigator.shown();
    if (!shown)
        return disableAll(tr("no model is open"));
    if (shown->nested)
        return disableAll(tr("passes do not change nested graphs"));
    if (m_session.isBusy())
        return disableAll(tr("a task is changing the plan"));
    disableAll(tr("the graph is still being analysed"));
    const auto &fusion = shown->plan->fusion;
    const std::pair of(shown->facts, fusion ? fusion->within : nullptr);
    if (of != std::exchange(m_factsOf, of))
        m_facts.reset();
    m_checker.start(
        [shown, known = m_facts, grouping = m_grouping,
         items = m_selection.items()](std::stop_token stop) {
            Findings findings{known, {}};
            if (!known && shown->plan->fusion)
                findings.facts = fusionFactsOf(*shown);
            if (findings.facts)
                findings.edits = planEditsFor(*shown, *findings.facts, grouping, items, stop);
            return findings;
        },
        [this](Findings findings) { show(std::move(findings)); });
}

void EditActions::show(Findings findings)
{
    if (!findings.facts)
        return disableAll(fromUtf8(findings.facts.error().text()));
    m_facts = *findings.facts;
    m_edits = std::move(findings.edits);
    nameGroups();
    if (m_edits.grouping == Grouping::None) {
        const auto without =
            fail(Error::Kind::Usage,
                 tr("there are no fusion blocks or subgraphs; run a pass first").toStdString());
        for (QAction *action : ofGroups())
            set(*action, without);
    } else {
        set(*merge, verdict(m_edits.groups.merge));
        set(*split, verdict(m_edits.groups.split));
        set(*move, m_edits.groups.move);
        set(*lock, verdict(m_edits.groups.lock));
    }
    set(*earlier, verdict(m_edits.earlier));
    set(*later, verdict(m_edits.later));
    if (m_facts) {
        set(*channelsFirst, verdict(m_edits.layouts[std::size_t(Layout::ChannelsFirst)]));
        set(*channelsLast, verdict(m_edits.layouts[std::size_t(Layout::ChannelsLast)]));
        set(*freeLayout, verdict(m_edits.freeLayout));
    } else {
        const auto without = fail(Error::Kind::Usage,
                                  tr("there are no fusion blocks; run a pass first").toStdString());
        for (QAction *action : {channelsFirst, channelsLast, freeLayout})
            set(*action, without);
    }
    Q_EMIT checked();
}

QString EditActions::legality() const
{
    if (m_edits.groups.groups.empty())
        return {};
    const auto actions = all();
    QStringList lines;
    const auto say = [&](const QAction *action) {
        const QString &reason = m_entries.at(action).reason;
        const QString name = action->iconText().toHtmlEscaped();
        lines << (reason.isEmpty() ? tr("%1: possible").arg(name)
                                   : tr("%1: <a href=\"%2\">%3</a>")
                                         .arg(name)
                                         .arg(std::ranges::find(actions, action) - actions.begin())
                                         .arg(reason.toHtmlEscaped()));
    };
    if (m_edits.groups.groups.size() > 1)
        say(merge);
    else if (m_selection.item().kind == Item::Kind::Node) {
        say(split);
        if (m_selection.items().size() == 1)
            say(move);
    }
    return lines.join(QStringLiteral(" · "));
}

void EditActions::perform(const QAction &action, const EditOutcome &outcome) const
{
    if (outcome)
        m_session.edit(nameInText(action), *outcome);
}

void EditActions::fillMoves(QMenu &menu) const
{
    menu.setToolTipsVisible(true);
    const Snapshot &shown = *m_navigator.shown();
    const bool subgraphs = m_edits.grouping == Grouping::Subgraphs;
    for (const GroupEdits::Move &to : m_edits.groups.moves) {
        const QString operators = shown.factsOf(to.group).operators;
        QAction *action = menu.addAction(
            subgraphs ? tr("Subgraph %1: %2").arg(to.group.index).arg(elided(operators, 60))
                      : tr("Block %1: %2")
                            .arg(to.group.index)
                            .arg(elided(titleOfBlock(shown.block(to.group)) +
                                            QStringLiteral(" · ") + operators,
                                        60)));
        action->setEnabled(to.outcome.has_value());
        if (to.outcome)
            connect(action, &QAction::triggered, this,
                    [this, outcome = to.outcome] { perform(*move, outcome); });
        else
            action->setToolTip(fromUtf8(to.outcome.error().text()));
    }
}

/// Moves the node directly if only one group is possible, and otherwise asks.
void EditActions::chooseMove()
{
    const auto isAllowed = [](const GroupEdits::Move &to) { return to.outcome.has_value(); };
    const auto &moves = m_edits.groups.moves;
    if (std::ranges::count_if(moves, isAllowed) == 1) {
        perform(*move, std::ranges::find_if(moves, isAllowed)->outcome);
        return;
    }
    auto *menu = new QMenu(&m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("moveMenu"));
    fillMoves(*menu);
    menu->popup(m_placeOf(m_selection.item()));
}

void EditActions::addTo(QMenu &menu) const
{
    menu.setToolTipsVisible(true);
    if (m_edits.grouping != Grouping::None) {
        menu.addActions({merge, split});
        if (m_edits.groups.moves.size() > 1) {
            QMenu *moves = menu.addMenu(move->icon(), tr("Mo&ve node to"));
            fillMoves(*moves);
        } else {
            menu.addAction(move);
        }
        menu.addAction(lock);
    }
    menu.addActions({earlier, later});
    if (m_facts) {
        QMenu *layouts = menu.addMenu(tr("La&yout"));
        layouts->setToolTipsVisible(true);
        layouts->addActions({channelsFirst, channelsLast, freeLayout});
    }
}

} // namespace graphloom
