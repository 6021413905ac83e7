// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/fission_actions.h"

#include "app/common/format.h"
#include "app/workbench/actions.h"

#include <QMenu>

namespace graphloom {

FissionActions::FissionActions(QMainWindow &window, Session &session)
    : m_window(window), m_session(session)
{
    enable = add("split", tr("&Enable fission"),
                 tr("Split the region into the smallest number of parts, which run one after the "
                    "other (MAGIS, section 5.1)"),
                 &FissionEdits::enable);
    disable = add("merge", tr("&Disable fission"),
                  tr("Run the region as a whole (MAGIS, section 5.1)"), &FissionEdits::disable);
    more = add("next", tr("&More parts"),
               tr("Split the region into the next larger number of parts (MAGIS, section 5.1)"),
               &FissionEdits::more);
    fewer = add("previous", tr("&Fewer parts"),
                tr("Split the region into the next smaller number of parts (MAGIS, section 5.1)"),
                &FissionEdits::fewer);
    lift = add("up", tr("L&ift fission"),
               tr("Enable this fission in place of those that it overlaps (MAGIS, section 5.1)"),
               &FissionEdits::lift);
    lock = add("lock", tr("Loc&k fission"),
               tr("Lock or unlock the region; continued searches do not change locked regions"),
               &FissionEdits::lock);
    // Names for the settings, which are the same in every language.
    for (const auto &[action, name] : {std::pair{enable, "enable-fission"},
                                       {disable, "disable-fission"},
                                       {more, "more-parts"},
                                       {fewer, "fewer-parts"},
                                       {lift, "lift-fission"},
                                       {lock, "lock-fission"}})
        action->setObjectName(QLatin1String(name));
    for (const auto signal : {&Session::editingStarted, &Session::editingFinished})
        connect(&session, signal, this, &FissionActions::refresh);
    connect(&session, &Session::passStarted, this, &FissionActions::refresh);
    connect(&session, &Session::passFinished, this, &FissionActions::refresh);
    connect(&session, &Session::snapshotChanged, this, &FissionActions::refresh);
    refresh();
}

QAction *FissionActions::add(const char *icon, const QString &text, const QString &meaning,
                             FissionEdits::Outcome FissionEdits::*outcome)
{
    QAction *action = makeAction(m_window, icon, text, {}, meaning);
    m_actions[action] = {meaning, outcome};
    connect(action, &QAction::triggered, this, [this, action, outcome] {
        if (const auto &edit = m_edits.*outcome)
            Q_EMIT editWanted(*edit, nameInText(*action));
    });
    return action;
}

void FissionActions::setFission(int fission)
{
    if (std::exchange(m_fission, fission) != fission)
        refresh();
}

void FissionActions::refresh()
{
    const SnapshotPointer &snapshot = m_session.snapshot();
    m_edits = {};
    if (!snapshot || m_session.isBusy()) {
        const FissionEdits::Outcome refusal = fail(
            Error::Kind::Usage,
            (snapshot ? tr("a task is changing the plan") : tr("no model is open")).toStdString());
        for (const auto &[action, what] : m_actions)
            m_edits.*what.second = refusal;
    } else {
        m_edits = fissionEditsFor(*snapshot, m_fission);
    }
    lock->setText(m_edits.locked ? tr("Unloc&k fission") : tr("Loc&k fission"));
    for (QAction *action : all()) {
        const auto &[meaning, which] = m_actions.at(action);
        const auto &outcome = m_edits.*which;
        action->setEnabled(outcome.has_value());
        setMeaning(
            *action,
            outcome ? meaning
                    : tr("%1. Not available: %2").arg(meaning, fromUtf8(outcome.error().text())));
    }
    Q_EMIT checked();
}

QString FissionActions::legality() const
{
    if (m_fission < 0)
        return {};
    const auto actions = all();
    QStringList lines;
    for (const QAction *action : {enable, lift}) {
        const auto &outcome = m_edits.*m_actions.at(action).second;
        const QString name = action->iconText().toHtmlEscaped();
        lines << (outcome ? tr("%1: possible").arg(name)
                          : tr("%1: <a href=\"%2\">%3</a>")
                                .arg(name)
                                .arg(std::ranges::find(actions, action) - actions.begin())
                                .arg(fromUtf8(outcome.error().text()).toHtmlEscaped()));
    }
    return lines.join(QStringLiteral(" · "));
}

void FissionActions::showCause(int action)
{
    const auto actions = all();
    if (action < 0 || action >= int(actions.size()))
        return;
    const QAction *of = actions[std::size_t(action)];
    const auto &outcome = m_edits.*m_actions.at(of).second;
    if (outcome)
        return;
    std::vector<Item> cause;
    for (const std::uint32_t node : outcome.error().nodes)
        cause.push_back(Item::of(NodeId{node}));
    Q_EMIT refused(tr("%1: %2").arg(of->iconText(), fromUtf8(outcome.error().text())), cause);
}

void FissionActions::addTo(QMenu &menu)
{
    menu.setToolTipsVisible(true);
    menu.addActions({enable, disable, more, fewer});
    QMenu *numbers = menu.addMenu(tr("&Parts"));
    numbers->setToolTipsVisible(true);
    for (const auto &[number, outcome] : m_edits.numbers) {
        QAction *action = numbers->addAction(tr("%n part(s)", nullptr, number));
        action->setEnabled(outcome.has_value());
        if (!outcome) {
            action->setToolTip(fromUtf8(outcome.error().text()));
            continue;
        }
        connect(action, &QAction::triggered, this, [this, edit = *outcome] {
            Q_EMIT editWanted(edit, tr("split into %1 parts").arg(edit.number));
        });
    }
    numbers->setEnabled(!m_edits.numbers.empty());
    menu.addActions({lift, lock});
}

} // namespace graphloom
