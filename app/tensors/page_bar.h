// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <cstdint>

class QLabel;
class QToolButton;

namespace graphloom {

/// Says which part of very many rows or columns a table shows, and leads to the others. Hidden if
/// the table shows all of them.
class PageBar final : public QWidget {
    Q_OBJECT

public:
    /// Creates a bar for parts of `page` rows. `text` has places for the first and the last row of
    /// the part and the number of all: "rows %1 to %2 of %3".
    PageBar(const QString &text, std::int64_t page, QWidget *parent = nullptr);

    void setPlace(std::int64_t first, std::int64_t all);

Q_SIGNALS:
    /// Emitted when the part that begins with this row is wanted.
    void wanted(qint64 first);

private:
    const QString m_text;
    const std::int64_t m_page;
    std::int64_t m_first = 0;
    QLabel *m_label;
    QToolButton *m_previous, *m_next;
};

} // namespace graphloom
