// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/toasts/toast.h"

#include <QObject>
#include <QPointer>
#include <QRect>

#include <functional>
#include <vector>

namespace graphloom {

/// Shows toasts over a widget, one above the other, the newest lowest. Escape closes the newest one
/// while the focus is on a toast or on the widget, unless that edits a text.
class ToastStack final : public QObject {
    Q_OBJECT

public:
    /// Shows toasts in the lower right corner of the rectangle that `place` returns, in coordinates
    /// of the host.
    ToastStack(QWidget &host, std::function<QRect()> place);
    ~ToastStack() override;

    /// Tells that a file was written: `text` says what has happened to it, its size follows.
    void showFile(const QString &text, const QString &file);
    void showError(const QString &text);
    /// Gives the focus to the newest toast, so that its buttons can be used by keys.
    void takeFocus();
    /// Moves the toasts to their place, above everything else in the host.
    void place();
    bool isEmpty() const { return m_toasts.empty(); }
    /// Returns the toasts, the newest last.
    const std::vector<Toast *> &toasts() const { return m_toasts; }

Q_SIGNALS:
    /// Emitted when there is the first toast, or none any more.
    void emptyChanged();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void show(Toast::Content content);
    void close(Toast &toast);
    void noteFocus(QWidget *now);
    bool takesEscape(const QWidget &to) const;
    bool isInToast(const QWidget *widget) const;

    QWidget &m_host;
    std::function<QRect()> m_place;
    std::vector<Toast *> m_toasts;
    QPointer<QWidget> m_before; // had the focus last, outside of toasts
};

} // namespace graphloom
