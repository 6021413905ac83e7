// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <optional>

class QDragEnterEvent;
class QDropEvent;
class QMimeData;
class QWidget;

namespace graphloom {

/// Tells what becomes of something that is dropped or pasted.
struct Offer {
    QString text;               // "Open x.onnx", or why it is refused
    std::function<void()> take; // null: it is refused
};

/// Lets things be dropped on a widget. While something is dragged over it, the widget is framed,
/// and a text says what a drop does, or why it is refused.
class DropPlace final : public QObject {
    Q_OBJECT

public:
    /// Judges what is dragged; nothing for what a place around the widget may take.
    using Judge = std::function<std::optional<Offer>(const QMimeData &)>;
    DropPlace(QWidget &widget, Judge judge);

    /// Returns the text over the widget; empty while nothing is dragged over it.
    QString shownText() const;

Q_SIGNALS:
    /// Emitted when something was dropped that is refused.
    void refused(const QString &reason);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    class Mark;

    bool enter(QDragEnterEvent &event);
    bool drop(QDropEvent &event);

    QWidget &m_widget;
    Judge m_judge;
    std::optional<Offer> m_offer; // while something is dragged over the widget
    Mark *m_mark = nullptr;       // null until it is needed
};

} // namespace graphloom
