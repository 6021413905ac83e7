// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QDateTime>

#include <vector>

namespace graphloom {

/// A list of the messages of the program: errors, warnings and what was done. Newest first.
class MessageModel final : public QAbstractListModel {
    Q_OBJECT

public:
    enum class Severity { Info, Warning, Error };
    enum Role { SeverityRole = Qt::UserRole, DetailsRole, TimeRole };

    using QAbstractListModel::QAbstractListModel;

    void add(Severity severity, const QString &text, const QString &details = {});
    void clear();

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    void added(graphloom::MessageModel::Severity severity);

private:
    struct Message {
        Severity severity;
        QString text, details;
        QDateTime time;
    };
    std::vector<Message> m_messages; // oldest first
};

} // namespace graphloom
