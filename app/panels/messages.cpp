// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"
#include "app/status/message_panel.h"
#include "app/workbench/workbench.h"

#include <QListView>

namespace graphloom {

namespace {

/// Lists errors with their details, and completed actions.
class MessagesDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(MessagesDock)

public:
    explicit MessagesDock(Workbench &bench)
        : Panel({.key = QStringLiteral("messages"),
                 .title = tr("Messages"),
                 .icon = QStringLiteral("message"),
                 .isLastTab = true},
                new MessagePanel(bench.session.messages())),
          m_bench(bench), m_panel(static_cast<MessagePanel &>(widget()))
    {
        connect(&bench.jobs, &JobList::failed, this,
                [this](const QString &what, const QString &reason) {
                    m_bench.tell(MessageModel::Severity::Error,
                                 tr("%1 failed: %2").arg(what, reason));
                });
    }

    Hint hint() const override
    {
        return {tr("Shows what Graphloom has done, and errors with their details."),
                m_bench.actions.open};
    }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("messages"), tr("Messages"), &m_panel, {}, [this] {
                     return sourceOf(m_bench.session.messages());
                 }}};
    }
    std::vector<QWidget *> exportedViews() override { return {&m_panel.list()}; }

private:
    Workbench &m_bench;
    MessagePanel &m_panel;
};

} // namespace

PanelPointer panels::messages(Workbench &bench)
{
    return std::make_unique<MessagesDock>(bench);
}

} // namespace graphloom
