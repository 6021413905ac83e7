// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status/message_model.h"

namespace graphloom {

namespace {

constexpr std::size_t mostMessages = 500; // older ones are dropped

} // namespace

void MessageModel::add(Severity severity, const QString &text, const QString &details)
{
    if (m_messages.size() == mostMessages) {
        const int last = int(mostMessages) - 1;
        beginRemoveRows({}, last, last);
        m_messages.erase(m_messages.begin());
        endRemoveRows();
    }
    beginInsertRows({}, 0, 0);
    m_messages.push_back({severity, text, details, QDateTime::currentDateTime()});
    endInsertRows();
    Q_EMIT added(severity);
}

void MessageModel::clear()
{
    beginResetModel();
    m_messages.clear();
    endResetModel();
}

int MessageModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_messages.size());
}

QVariant MessageModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Message &message = m_messages[m_messages.size() - 1 - std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return message.text;
    case Qt::ToolTipRole:
        return message.details.isEmpty() ? message.text : message.text + '\n' + message.details;
    case Qt::AccessibleTextRole: {
        const QString kind = message.severity == Severity::Error     ? tr("Error")
                             : message.severity == Severity::Warning ? tr("Warning")
                                                                     : tr("Information");
        return kind + ": " + message.text;
    }
    case SeverityRole:
        return int(message.severity);
    case DetailsRole:
        return message.details;
    case TimeRole:
        return message.time;
    default:
        return {};
    }
}

} // namespace graphloom
