// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status/message_panel.h"

#include "app/style/icons.h"
#include "app/widgets/copy_rows.h"

#include <QAction>
#include <QListView>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTextEdit>

namespace graphloom {

namespace {

/// Puts the icon of the severity and the time before the text.
class MessageDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        static const char *const names[] = {"info", "warning", "error"};
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->icon =
            themedIcon(QLatin1String(names[index.data(MessageModel::SeverityRole).toInt()]));
        option->decorationSize = QSize(16, 16);
        const QString time =
            index.data(MessageModel::TimeRole).toDateTime().toString(QStringLiteral("HH:mm:ss"));
        option->text = time + QStringLiteral("   ") + option->text;
    }
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {200, option.fontMetrics.height() + 8};
    }
};

} // namespace

MessagePanel::MessagePanel(MessageModel &messages, QWidget *parent)
    : HintedPanel(parent), m_messages(messages)
{
    m_list = new QListView;
    m_list->setModel(&m_messages);
    m_list->setItemDelegate(new MessageDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setAlternatingRowColors(true);
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(tr("Messages"));
    m_list->setObjectName(QStringLiteral("messageList"));
    auto *clear = new QAction(themedIcon(QStringLiteral("clear")), tr("Clear messages"), m_list);
    connect(clear, &QAction::triggered, &m_messages, &MessageModel::clear);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    makeRowsCopyable(*m_list);
    m_list->addAction(clear);
    m_list->setContextMenuPolicy(Qt::ActionsContextMenu);

    m_details = new QTextEdit;
    m_details->setReadOnly(true);
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setAccessibleName(tr("Details of the message"));

    auto *split = new QSplitter;
    split->addWidget(m_list);
    split->addWidget(m_details);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    setContent(split);

    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &MessagePanel::showDetails);
    const auto update = [this] {
        setEmpty(m_messages.rowCount() == 0);
        if (m_messages.rowCount() > 0)
            m_list->setCurrentIndex(m_messages.index(0));
        showDetails();
    };
    connect(&m_messages, &QAbstractItemModel::rowsInserted, this, update);
    connect(&m_messages, &QAbstractItemModel::modelReset, this, update);
    setEmpty(true);
}

void MessagePanel::showDetails()
{
    const QModelIndex current = m_list->currentIndex();
    if (!current.isValid()) {
        m_details->clear();
        return;
    }
    const QString details = current.data(MessageModel::DetailsRole).toString();
    m_details->setPlainText(current.data().toString() +
                            (details.isEmpty() ? QString() : QStringLiteral("\n\n") + details));
}

} // namespace graphloom
