// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/status/message_model.h"
#include "app/widgets/hinted_panel.h"

class QListView;
class QTextEdit;

namespace graphloom {

/// Shows messages with their details. It never interrupts the user's work.
class MessagePanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit MessagePanel(MessageModel &messages, QWidget *parent = nullptr);

    QListView &list() { return *m_list; }

private:
    void showDetails();

    MessageModel &m_messages;
    QListView *m_list;
    QTextEdit *m_details;
};

} // namespace graphloom
